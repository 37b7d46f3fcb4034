import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelError } from '../language-model/language-model.ts'
import { fakeEmbeddings } from './fake-embeddings.ts'
import { openEmbeddingModel } from './open-embedding-model.ts'
import { openQuestionVectors } from './question-vectors.ts'

const groups = [
  ['scatter', 'spread', 'distribute'],
  ['invoice', 'bill'],
]
const asPassage = () => ({ as: 'passage' as const, signal: new AbortController().signal })

test('gives one vector of length 1 for each text, in the order of the texts', async (context) => {
  const server = await fakeEmbeddings(context, groups)
  const model = openEmbeddingModel({ model: 'm', url: `${server.url}/`, apiKey: 'secret' }, {})
  const [scatter, spread, bill] = await model.embed(['scatter', 'spread', 'bill'], asPassage())
  assert.deepEqual(scatter, spread)
  assert.notDeepEqual(scatter, bill)
  assert.equal(Math.hypot(...bill!), 1)
  assert.deepEqual(server.requests[0]?.input, ['scatter', 'spread', 'bill'])
  assert.equal(server.requests[0]?.authorization, 'Bearer secret')
  assert.equal(model.name, 'openai-compatible:m')
})

test('asks for the dimensions that are set and cuts what comes longer', async (context) => {
  const server = await fakeEmbeddings(context, groups)
  const model = openEmbeddingModel({ model: 'm', url: server.url, dimensions: 2 }, {})
  const [vector] = await model.embed(['a bill to spread'], asPassage())
  assert.equal(server.requests[0]?.dimensions, 2)
  assert.equal(vector?.length, 2)
  assert.ok(Math.abs(Math.hypot(...vector!) - 1) < 1e-6)
  assert.equal(model.name, 'openai-compatible:m@2')
})

test('puts the prefixes of question and passage in front, and names the model after them', async (context) => {
  const server = await fakeEmbeddings(context, groups)
  const settings = { model: 'm', url: server.url, questionPrefix: 'query: ', passagePrefix: 'passage: ' }
  const model = openEmbeddingModel(settings, {})
  await model.embed(['one'], asPassage())
  await model.embed(['two'], { ...asPassage(), as: 'question' })
  assert.deepEqual(
    server.requests.flatMap(({ input }) => input),
    ['passage: one', 'query: two'],
  )
  assert.match(model.name, /^openai-compatible:m\+[0-9a-f]{8}$/)
})

test('knows the provider openai by name, and refuses a model that nobody serves', () => {
  assert.equal(
    openEmbeddingModel({ model: 'openai:text-embedding-3-small', dimensions: 256 }, { OPENAI_API_KEY: 'k' })
      .name,
    'openai:text-embedding-3-small@256',
  )
  assert.throws(() => openEmbeddingModel({ model: 'bge-m3' }, {}), /names no provider/)
  assert.throws(() => openEmbeddingModel({ model: 'openai:' }, {}), /names no provider/)
})

test('says why there is no vector, without the address or the key', async (context) => {
  const server = await fakeEmbeddings(context, groups)
  const model = openEmbeddingModel({ model: 'm', url: server.url, apiKey: 'secret' }, {})
  const faultOf = async (trouble: typeof server.trouble) => {
    server.trouble = trouble
    const error = await model.embed(['x'], asPassage()).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof ModelError)
    assert.doesNotMatch(error.message, /secret|127\.0\.0\.1/)
    return [error.fault, error.retryable]
  }
  assert.deepEqual(await faultOf({ status: 401 }), ['refused', false])
  assert.deepEqual(await faultOf({ status: 503 }), ['failed', true])
  assert.deepEqual(await faultOf('drop'), ['unreachable', true])
  assert.deepEqual(await faultOf({ status: 200, body: 'hello' }), ['failed', true])
  assert.deepEqual(await faultOf({ status: 200, body: '{"data":[{"embedding":[null]}]}' }), ['failed', true])
  assert.deepEqual(await faultOf({ status: 200, body: '{"data":[]}' }), ['failed', true])
  assert.deepEqual(await faultOf({ status: 307, location: `${server.url}/elsewhere` }), ['unreachable', true])
})

test('does not wait for a slow model, gives up one that keeps failing, and says so once', async (context) => {
  const server = await fakeEmbeddings(context, groups)
  const changes: boolean[] = []
  let time = 0
  const vectors = openQuestionVectors(openEmbeddingModel({ model: 'm', url: server.url }, {}), {
    timeoutMs: 20,
    failures: 2,
    pauseMs: 1000,
    now: () => time,
    onChange: ({ working }) => void changes.push(working),
  })
  server.trouble = 'hang'
  assert.equal(await vectors.ask('one'), null)
  server.trouble = { status: 500 }
  assert.equal(await vectors.ask('two'), null)
  assert.equal(await vectors.ask('three'), null)
  assert.equal(server.requests.length, 2)
  time = 1001
  assert.equal(await vectors.ask('four'), null)
  assert.equal(await vectors.ask('five'), null)
  assert.equal(server.requests.length, 3)
  assert.deepEqual(changes, [false])
  server.trouble = null
  time = 3000
  const generous = openQuestionVectors(openEmbeddingModel({ model: 'm', url: server.url }, {}), {
    now: () => time,
    onChange: () => {},
  })
  assert.ok(await generous.ask('six'))
  assert.deepEqual(vectors.counts, { answered: 0, remembered: 0, failed: 3, skipped: 2 })
})

test('comes back to a model that answers again, and asks nothing twice', async (context) => {
  const server = await fakeEmbeddings(context, groups)
  const changes: boolean[] = []
  let time = 0
  const vectors = openQuestionVectors(openEmbeddingModel({ model: 'm', url: server.url }, {}), {
    timeoutMs: 60_000,
    failures: 1,
    pauseMs: 10,
    remembered: 1,
    now: () => time,
    onChange: ({ working }) => void changes.push(working),
  })
  server.trouble = { status: 500 }
  assert.equal(await vectors.ask('bill'), null)
  server.trouble = null
  time = 11
  assert.ok(await vectors.ask('bill'))
  assert.ok(await vectors.ask('bill'))
  assert.equal(server.requests.length, 2)
  await vectors.ask('spread')
  await vectors.ask('bill')
  assert.equal(server.requests.length, 4)
  assert.deepEqual(changes, [false, true])
})
