import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createOpenAI } from '@ai-sdk/openai'
import { fakeOpenAi } from './fake-openai.ts'
import { type LanguageModel, ModelError, type ModelEvent, type ModelRequest } from './language-model.ts'
import { openLanguageModel } from './open-language-model.ts'
import { Pace } from './pace.ts'
import { sdkModel } from './sdk-model.ts'
import { steadyModel } from './steady-model.ts'
import { type ScriptedStep, scriptedModel } from './testing.ts'

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  instructions: 'Answer briefly.',
  messages: [{ role: 'user', text: 'Hello?' }],
  tools: [],
  maxOutputTokens: 100,
  signal: new AbortController().signal,
  ...more,
})

async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const collected: ModelEvent[] = []
  for await (const event of events) collected.push(event)
  return collected
}

const textOf = (events: ModelEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')

/** The same suite for the scripted model and for those behind HTTP. */
const adapters: Record<string, (context: TestContext, steps: ScriptedStep[]) => Promise<LanguageModel>> = {
  scripted: async (_context, steps) => scriptedModel(steps),
  'openai-compatible': async (context, steps) => {
    const server = await fakeOpenAi(context, steps)
    return openLanguageModel({ model: 'm', url: server.url })
  },
  'AI SDK provider': async (context, steps) => {
    const server = await fakeOpenAi(context, steps)
    const provider = createOpenAI({ baseURL: server.url, apiKey: 'k' })
    return sdkModel({ name: 'm', model: provider.chat('m'), pace: new Pace() })
  },
}

for (const [name, open] of Object.entries(adapters)) {
  test(`streams text and ends with its usage (${name})`, async (context) => {
    const model = await open(context, ['Hel', 'lo ', '🏺'])
    const events = await collect(model.stream(request()))
    assert.equal(textOf(events), 'Hello 🏺')
    assert.deepEqual(events.at(-1), {
      type: 'step-end',
      reason: 'stop',
      usage: { inputTokens: 10, outputTokens: 3 },
    })
  })

  test(`gives tool calls to the caller (${name})`, async (context) => {
    const model = await open(context, [{ toolName: 'search', input: { query: 'kiln' } }])
    const events = await collect(
      model.stream(
        request({ tools: [{ name: 'search', description: 'Search.', inputs: { query: 'What.' } }] }),
      ),
    )
    assert.deepEqual(events[0], {
      type: 'tool-call',
      call: { callId: 'scripted-1', toolName: 'search', input: { query: 'kiln' } },
    })
    const last = events.at(-1)
    assert.equal(last?.type === 'step-end' ? last.reason : '', 'tool-calls')
  })

  test(`ends quietly when it is aborted (${name})`, async (context) => {
    const model = await open(context, ['Half', { wait: new Promise(() => {}) }])
    const leaving = new AbortController()
    const events = model.stream(request({ signal: leaving.signal }))[Symbol.asyncIterator]()
    assert.deepEqual((await events.next()).value, { type: 'text-delta', text: 'Half' })
    leaving.abort()
    assert.equal((await events.next()).done, true)
  })

  test(`throws when it fails on its way (${name})`, async (context) => {
    const seen = Promise.withResolvers<void>()
    const fail = new ModelError('failed', 'broken')
    const model = await open(context, ['Half', { wait: seen.promise }, { fail }])
    const events = model.stream(request())[Symbol.asyncIterator]()
    assert.deepEqual((await events.next()).value, { type: 'text-delta', text: 'Half' })
    seen.resolve()
    await assert.rejects(events.next(), ModelError)
  })
}

test('hangs up on the server when it is aborted', async (context) => {
  const server = await fakeOpenAi(context, ['Half', { wait: new Promise(() => {}) }])
  const model = await openLanguageModel({ model: 'm', url: server.url })
  const leaving = new AbortController()
  const events = model.stream(request({ signal: leaving.signal }))[Symbol.asyncIterator]()
  await events.next()
  leaving.abort()
  await events.next()
  while (server.left === 0) await new Promise((resolve) => setTimeout(resolve, 1))
})

test('sends roles, tools, results and limits as the server expects them', async (context) => {
  const server = await fakeOpenAi(context, ['ok'])
  const model = await openLanguageModel({ model: 'm', url: `${server.url}/`, apiKey: 'k' })
  await collect(
    model.stream(
      request({
        messages: [
          { role: 'user', text: 'Q' },
          {
            role: 'assistant',
            text: '',
            toolCalls: [{ callId: 'c1', toolName: 'search', input: { query: 'x' } }],
          },
          { role: 'tool', results: [{ callId: 'c1', toolName: 'search', output: 'found' }] },
        ],
      }),
    ),
  )
  const [sent] = server.requests
  assert.deepEqual(
    sent?.messages.map((message) => message.role),
    ['system', 'user', 'assistant', 'tool'],
  )
  assert.equal(sent?.messages[0]?.content, 'Answer briefly.')
  assert.equal(sent?.max_tokens, 100)
})

test('takes words that come at once as one, and all of them', async (context) => {
  const words = Array.from({ length: 300 }, (_, index) => `word${index} 🏺 `)
  const server = await fakeOpenAi(context, words)
  const model = await openLanguageModel({ model: 'm', url: server.url })
  const events = await collect(model.stream(request()))
  assert.equal(textOf(events), words.join(''))
  assert.ok(events.length < 20, `${events.length} events`)
})

test('goes on with the same connection after an answer was read to its end', async (context) => {
  const server = await fakeOpenAi(context, ['Hello ', 'there'])
  const model = await openLanguageModel({ model: 'm', url: server.url })
  for (let turn = 0; turn < 5; turn += 1) {
    assert.equal(textOf(await collect(model.stream(request()))), 'Hello there')
  }
  assert.equal(server.connections, 1)
})

test('throws what the server says within its stream', async (context) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end('data: {"error":{"message":"out of memory"}}\n\n')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  context.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const model = await openLanguageModel({ model: 'm', url: `http://127.0.0.1:${port}/v1` })
  await assert.rejects(collect(model.stream(request())), /out of memory/)
})

test('asks once more before the first byte, and not after it', async (context) => {
  const busy = await fakeOpenAi(context, { status: 503 }, ['Hello'])
  assert.equal(
    textOf(await collect((await openLanguageModel({ model: 'm', url: busy.url })).stream(request()))),
    'Hello',
  )
  assert.equal(busy.requests.length, 2)
  const seen = Promise.withResolvers<void>()
  const broken = await fakeOpenAi(context, ['Half', { wait: seen.promise }, { fail: new Error('cut') }])
  const model = await openLanguageModel({ model: 'm', url: broken.url })
  const events = model.stream(request())[Symbol.asyncIterator]()
  await events.next()
  seen.resolve()
  await assert.rejects(events.next())
  assert.equal(broken.requests.length, 1)
})

test('does not ask again where that cannot help', async (context) => {
  const server = await fakeOpenAi(context, { status: 401, body: '{"error":{"message":"bad key"}}' })
  const model = await openLanguageModel({ model: 'm', url: server.url })
  await assert.rejects(collect(model.stream(request())), { fault: 'refused' })
  assert.equal(server.requests.length, 1)
})

test('asks the second model when the first cannot answer', async (context) => {
  const first = await fakeOpenAi(context, { status: 500 })
  const second = await fakeOpenAi(context, ['Here I am'])
  const model = await openLanguageModel({
    model: 'm',
    url: first.url,
    fallback: { model: 'n', url: second.url },
  })
  assert.equal(textOf(await collect(model.stream(request()))), 'Here I am')
  assert.equal(first.requests.length, 2)
})

test('tells an unreachable server from one that fails and one that is silent', async (context) => {
  const closed = await openLanguageModel({ model: 'm', url: 'http://127.0.0.1:9/v1' })
  await assert.rejects(collect(closed.stream(request())), { fault: 'unreachable' })
  const failing = await fakeOpenAi(context, { status: 500 })
  const failed = await openLanguageModel({ model: 'm', url: failing.url })
  await assert.rejects(collect(failed.stream(request())), { fault: 'failed' })
  const hanging = await fakeOpenAi(context, 'hang')
  const silent = await openLanguageModel({ model: 'm', url: hanging.url, firstEventTimeoutMs: 30 })
  await assert.rejects(collect(silent.stream(request())), { fault: 'timeout' })
})

test('gives up a model that falls silent and aborts it', async () => {
  const stuck = scriptedModel(['Half', { wait: new Promise(() => {}) }])
  const model = steadyModel(stuck, {
    fallback: null,
    firstEventTimeoutMs: 1000,
    idleTimeoutMs: 20,
    totalTimeoutMs: 9000,
  })
  const events = model.stream(request())[Symbol.asyncIterator]()
  await events.next()
  const aborted = once(stuck.requests[0]!.signal, 'abort')
  await assert.rejects(events.next(), { fault: 'timeout' })
  await aborted
})

test('gives up a model that never comes to an end', async () => {
  const endless: LanguageModel = {
    name: 'endless',
    async *stream() {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 1))
        yield { type: 'text-delta', text: 'more ' }
      }
    },
  }
  const model = steadyModel(endless, {
    fallback: null,
    firstEventTimeoutMs: 9000,
    idleTimeoutMs: 9000,
    totalTimeoutMs: 50,
  })
  await assert.rejects(collect(model.stream(request())), { fault: 'timeout' })
})

test('loads each provider by its name and refuses others with a sentence', async () => {
  for (const model of ['openai:gpt-5-mini', 'anthropic:claude-sonnet-4-5', 'google:gemini-2.5-flash']) {
    assert.equal((await openLanguageModel({ model, apiKey: 'k' })).name, model)
  }
  await assert.rejects(openLanguageModel({ model: 'gpt-5' }), /names no provider/)
})
