import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openEmbeddingModel, openQuestionVectors } from '../../backends/index.ts'
import { type FakeEmbeddings, fakeEmbeddings } from '../../backends/testing.ts'
import { buildIndex } from '../build-index.ts'
import { openIndex } from '../open-index.ts'
import type { IndexedPage } from '../search-api.ts'
import { pageOf } from '../testing.ts'
import { signsOf } from './likely-passages.ts'
import { nearestPages } from './nearest-pages.ts'
import { PassageVectors, type VectorCounts } from './passage-vectors.ts'
import { packVector, readVectors, writeVectors } from './vectors-file.ts'

const pages: IndexedPage[] = [
  pageOf('placement', 'Placement', 'Distribute work over all machines of the group evenly.', { tag: 'core' }),
  pageOf('actors', 'Actors', 'An actor keeps state between calls and lives on one machine.'),
  pageOf('clusters', 'Clusters', 'A cluster has a head and workers that actors run on.'),
  pageOf('billing', 'Billing', 'You are charged at the end of the month.'),
]
const groups = [
  ['scatter', 'spread', 'distribute', 'placement'],
  ['charged', 'invoice', 'billing'],
]

test('finds by meaning what has none of the words, beside what has them', async (context) => {
  const site = await publishSite(context, pages)
  const lexical = await site.open({ withModel: false })
  const mixed = await site.open({ withModel: true })
  const paths = (hits: { path: string }[]) => hits.map((hit) => hit.path)
  assert.ok(!paths(await lexical.search({ query: 'scatter actors', limit: 10 })).includes('placement'))
  const found = await mixed.search({ query: 'scatter actors', limit: 10 })
  assert.ok(paths(found).slice(0, 3).includes('placement'))
  assert.ok(paths(found).slice(0, 3).includes('actors'))
  const scores = found.map((hit) => hit.score)
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  )
  assert.ok(scores.every((score) => score >= 0 && score <= 1))
})

test('holds filters for what is found by meaning too', async (context) => {
  const versions = pages.flatMap((page) => [
    { ...page, version: 'v1' },
    { ...page, path: `next/${page.path}`, version: 'v2' },
  ])
  const site = await publishSite(context, versions)
  const index = await site.open({ withModel: true })
  const hits = await index.search({ query: 'scatter', limit: 10, filter: { version: 'v2' } })
  assert.ok(hits.length > 0)
  assert.ok(hits.every((hit) => hit.path.startsWith('next/')))
  const tagged = await index.search({ query: 'spread', limit: 10, filter: { tag: 'core', version: 'v1' } })
  assert.deepEqual(
    tagged.map((hit) => hit.path),
    ['placement'],
  )
  assert.deepEqual(await index.search({ query: 'spread', limit: 10, filter: { tag: 'none' } }), [])
})

test('leaves identifiers and the unfinished words of someone who types to the words', async (context) => {
  const site = await publishSite(context, pages)
  const index = await site.open({ withModel: true })
  const calls = site.server.requests.length
  await index.search({ query: 'scatt', limit: 5, asYouType: true })
  assert.equal(site.server.requests.length, calls)
  assert.deepEqual(await index.search({ query: 'max_retries', limit: 5 }), [])
})

test('goes on with words alone when the model fails, is another one, or made only some of the vectors', async (context) => {
  const site = await publishSite(context, pages)
  const lexical = await (await site.open({ withModel: false })).search({ query: 'actors', limit: 10 })
  site.server.trouble = { status: 500 }
  assert.deepEqual(
    await (await site.open({ withModel: true })).search({ query: 'actors', limit: 10 }),
    lexical,
  )
  site.server.trouble = null
  const calls = site.server.requests.length
  const other = await site.open({ withModel: true, name: 'another' })
  assert.deepEqual(await other.search({ query: 'actors', limit: 10 }), lexical)
  assert.equal(site.server.requests.length, calls)
})

test('asks only for passages that changed since the release before', async (context) => {
  const first = await publishSite(context, pages)
  assert.deepEqual([first.result.passages, first.result.embedded, first.result.trouble], [4, 4, null])
  const changed = pages.map((page) =>
    page.path === 'billing' ? pageOf('billing', 'Billing', 'You are charged at once.') : page,
  )
  const second = await publishSite(context, changed, first)
  assert.deepEqual([second.result.passages, second.result.embedded], [4, 1])
  const same = await publishSite(context, changed, second)
  assert.equal(same.result.embedded, 0)
  assert.deepEqual(same.files.get('0/vectors.bin'), second.files.get('0/vectors.bin'))
})

test('keeps what a failing model did make, and goes on from there the next time', async (context) => {
  const many = Array.from({ length: 150 }, (_, i) =>
    pageOf(`p${i}`, `Page ${i}`, `Text number ${i} to distribute.`),
  )
  const server = await fakeEmbeddings(context, groups)
  const model = openEmbeddingModel({ model: 'm', url: server.url }, {})
  let calls = 0
  const failing = {
    name: model.name,
    embed: (...given: Parameters<typeof model.embed>) => {
      calls += 1
      return calls === 2 ? Promise.reject(new Error('No more for today.')) : model.embed(...given)
    },
  }
  const first = await publishSite(context, many, undefined, { server, model: failing })
  assert.equal(first.result.trouble, 'No more for today.')
  assert.ok(first.result.embedded > 0 && first.result.embedded < 150)
  const index = await first.open({ withModel: true })
  const asked = server.requests.length
  assert.ok((await index.search({ query: 'text', limit: 5 })).length > 0)
  assert.equal(server.requests.length, asked)
  const second = await publishSite(context, many, first, { server, model })
  assert.equal(second.result.trouble, null)
  assert.equal(second.result.embedded, 150 - first.result.embedded)
})

test('gives a vector back within a hundredth, and refuses a file that is not whole', () => {
  const vector = Float32Array.from({ length: 64 }, (_, i) => Math.sin(i) / 6)
  const values = new Int8Array(64)
  const scale = packVector(vector, values, 0)
  vector.forEach((value, i) => {
    assert.ok(Math.abs(value - values[i]! * scale) < 0.01)
  })
  const file = writeVectors({
    header: { format: 1, model: 'm', dimensions: 64, count: 1, complete: true },
    digests: new Uint8Array(8),
    scales: Float32Array.of(scale),
    values,
  })
  assert.deepEqual(readVectors(file)?.values, values)
  for (const length of [0, 3, 20, file.length - 1])
    assert.equal(readVectors(file.subarray(0, length)), undefined)
})

test('finds among many by their signs what comparing all of them finds', () => {
  const dimensions = 64
  const count = 5000
  const random = randomNumbers(7)
  const topics = Array.from({ length: 40 }, () => Float32Array.from({ length: dimensions }, random))
  const values = new Int8Array(count * dimensions)
  const scales = new Float32Array(count)
  for (let passage = 0; passage < count; passage++) {
    const topic = topics[passage % topics.length]!
    scales[passage] = packVector(
      topic.map((value) => value + random()),
      values,
      passage * dimensions,
    )
  }
  const header = { format: 1 as const, model: 'm', dimensions, count, complete: true }
  const vectors = { header, digests: new Uint8Array(0), scales, values }
  const options = {
    firstPassage: Uint32Array.from({ length: count + 1 }, (_, i) => i),
    accepts: () => true,
    most: 10,
  }
  for (const topic of topics.slice(0, 10)) {
    const question = topic.map((value) => value + random() / 2)
    const all = nearestPages(vectors, question, options)
    assert.deepEqual(nearestPages({ ...vectors, signs: signsOf(vectors) }, question, options), all)
  }
})

function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 31 - 1
  }
}

type Published = {
  server: FakeEmbeddings
  files: Map<string, Uint8Array>
  result: VectorCounts
  open(input: { withModel: boolean; name?: string }): ReturnType<typeof openIndex>
}

async function publishSite(
  context: TestContext,
  given: IndexedPage[],
  before?: Published,
  by?: { server: FakeEmbeddings; model: ReturnType<typeof openEmbeddingModel> },
): Promise<Published> {
  const server = by?.server ?? before?.server ?? (await fakeEmbeddings(context, groups))
  const model = by?.model ?? openEmbeddingModel({ model: 'm', url: server.url }, {})
  const files = new Map((await buildIndex(given)).map((file) => [file.path, file.content]))
  const readFrom = (from: Map<string, Uint8Array>) => async (path: string) => {
    const content = from.get(path)
    if (content === undefined) throw new Error(`No file ${path}.`)
    return content
  }
  const vectors = new PassageVectors({
    model,
    ...(before === undefined ? {} : { readEarlier: readFrom(before.files) }),
    signal: new AbortController().signal,
    now: () => 0,
  })
  for (const file of await buildIndex(given)) await vectors.take(file)
  for (const file of await vectors.finish()) files.set(file.path, file.content)
  return {
    server,
    files,
    result: vectors.counts,
    open: ({ withModel, name = 'm' }) =>
      openIndex({
        read: readFrom(files),
        questions: withModel
          ? openQuestionVectors(openEmbeddingModel({ model: name, url: server.url }, {}), {
              timeoutMs: 60_000,
              now: () => 0,
              onChange: () => {},
            })
          : null,
      }),
  }
}
