import assert from 'node:assert/strict'
import { testOnEveryEngine } from '../backends/testing.ts'
import { assistantMigrations, readThread, reserveTokens, type StoredExchange } from './assistant-store.ts'
import { storeExchange } from './testing.ts'

const exchange = (more: Partial<StoredExchange>): Omit<StoredExchange, 'database'> => ({
  siteId: 'site',
  organizationId: 'org',
  fp: 'anonymous',
  threadId: 'thread',
  questionId: 'q1',
  question: 'How hot?',
  answerId: 'a1',
  answer: 'Very.',
  status: 'complete',
  outcome: 'answered',
  sources: [{ id: 'source-1', url: 'https://kiln.example/', title: 'Kiln', path: 'index' }],
  usage: { inputTokens: 10, outputTokens: 5 },
  reservedTokens: 0,
  firstByteMs: 3,
  durationMs: 9,
  model: 'scripted',
  apiVersion: 1,
  currentPath: null,
  chat: null,
  askedAt: 1_800_000_000_000,
  answeredAt: 1_800_000_000_009,
  ...more,
})

testOnEveryEngine('reads a thread back in the order of its turns', assistantMigrations, async (database) => {
  await storeExchange({ database, ...exchange({}) })
  await storeExchange({
    database,
    ...exchange({
      questionId: 'q2',
      answerId: 'a2',
      question: 'And then?',
      answer: 'Half \0 \ud800',
      status: 'left',
    }),
  })
  const thread = await readThread({ database, threadId: 'thread', siteId: 'site', fp: 'anonymous' })
  assert.deepEqual(thread?.turns, [
    { role: 'user', text: 'How hot?' },
    { role: 'assistant', text: 'Very.' },
    { role: 'user', text: 'And then?' },
    { role: 'assistant', text: 'Half  \ufffd' },
  ])
})

testOnEveryEngine(
  'knows a thread only for its site and its fingerprint',
  assistantMigrations,
  async (database) => {
    await storeExchange({ database, ...exchange({}) })
    assert.equal(await readThread({ database, threadId: 'thread', siteId: 'other', fp: 'anonymous' }), null)
    assert.equal(await readThread({ database, threadId: 'thread', siteId: 'site', fp: 'other' }), null)
  },
)

testOnEveryEngine(
  'sets tokens aside up to the limit, exactly, and settles them',
  assistantMigrations,
  async (database) => {
    const reserve = () =>
      reserveTokens({ database, organizationId: 'org', now: 1_800_000_000_000, tokens: 10, limit: 45 })
    const tries = await Promise.all(Array.from({ length: 20 }, reserve))
    assert.equal(tries.filter((isReserved) => isReserved).length, 5) // The last one may pass the limit, none after it.
    await storeExchange({
      database,
      ...exchange({ usage: { inputTokens: 1, outputTokens: 1 }, reservedTokens: 10 }),
    })
    assert.equal(await reserve(), true)
    assert.equal(await reserve(), false)
  },
)

testOnEveryEngine('begins each day with no tokens spent', assistantMigrations, async (database) => {
  const day = 86_400_000
  const reserve = (now: number) =>
    reserveTokens({ database, organizationId: 'org', now, tokens: 10, limit: 10 })
  assert.deepEqual(
    [await reserve(day), await reserve(2 * day - 1), await reserve(2 * day)],
    [true, false, true],
  )
})
