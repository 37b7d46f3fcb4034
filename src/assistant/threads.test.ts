import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testOnEveryEngine } from '../backends/testing.ts'
import { assistantMigrations } from './assistant-store.ts'
import { askV1, exchange, startTestAssistant, storeExchange } from './testing.ts'
import {
  eraseThreads,
  forgetOldThreads,
  listThreads,
  readWholeThread,
  storeFeedback,
} from './threads-store.ts'

const day = 86_400_000

testOnEveryEngine(
  'lists the threads of one site, the newest first, page by page',
  assistantMigrations,
  async (database) => {
    for (const [place, threadId] of ['one', 'two', 'three'].entries()) {
      await storeExchange({ database, ...exchange({ threadId, askedAt: day * (place + 1) }) })
    }
    await storeExchange({ database, ...exchange({ threadId: 'one', askedAt: day * 9 }) })
    await storeExchange({ database, ...exchange({ threadId: 'foreign', siteId: 'other' }) })
    const first = await listThreads({ database, siteId: 'site', before: null, limit: 2 })
    assert.deepEqual(
      first.map((thread) => [thread.threadId, thread.messageCount, thread.question]),
      [
        ['one', 4, 'How hot is one?'],
        ['three', 2, 'How hot is three?'],
      ],
    )
    const before = Date.parse(first.at(-1)!.updatedAt)
    const rest = await listThreads({ database, siteId: 'site', before, limit: 2 })
    assert.deepEqual(
      rest.map((thread) => thread.threadId),
      ['two'],
    )
  },
)

testOnEveryEngine(
  'reads a thread with all that is known of its answers',
  assistantMigrations,
  async (database) => {
    await storeExchange({ database, ...exchange({ threadId: 'one' }) })
    const feedback = { threadId: 'one', fp: 'reader', helpful: false, comment: 'Too hot.' }
    assert.equal(await storeFeedback({ database, siteId: 'site', feedback }), true)
    assert.equal(await storeFeedback({ database, siteId: 'other', feedback }), false)
    assert.equal(await storeFeedback({ database, siteId: 'site', feedback: { ...feedback, fp: 'x' } }), false)
    const thread = await readWholeThread({ database, siteId: 'site', threadId: 'one' })
    assert.equal(thread?.messages[0]?.content, 'How hot is one?')
    const answer = thread?.messages[1]
    assert.deepEqual(answer?.feedback, { helpful: false, comment: 'Too hot.' })
    assert.equal(answer?.outcome, 'answered')
    assert.equal(answer?.sources[0]?.url, 'https://kiln.example/')
    assert.equal(answer?.outputTokens, 5)
    assert.equal(await readWholeThread({ database, siteId: 'other', threadId: 'one' }), null)
  },
)

testOnEveryEngine('erases a reader, and forgets what is old', assistantMigrations, async (database) => {
  await storeExchange({ database, ...exchange({ threadId: 'one' }) })
  await storeExchange({ database, ...exchange({ threadId: 'two', fp: 'somebody', askedAt: day * 5 }) })
  await storeExchange({ database, ...exchange({ threadId: 'three', siteId: 'other' }) })
  assert.equal(await eraseThreads({ database, siteId: 'site', fp: 'reader' }), 1)
  assert.equal(await readWholeThread({ database, siteId: 'site', threadId: 'one' }), null)
  assert.equal(await forgetOldThreads({ database, olderThan: day * 3 }), 1)
  assert.equal((await listThreads({ database, siteId: 'site', before: null, limit: 9 })).length, 1)
})

test('takes feedback from who asked, and from nobody else', async (context) => {
  const assistant = await startTestAssistant(context)
  const answered = await assistant.post(1, askV1('How do I install Kiln?'))
  await answered.text()
  const send = (body: object) =>
    fetch(assistant.v1.replace(/message$/, 'feedback'), {
      method: 'POST',
      headers: { authorization: `Bearer ${assistant.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const threadId = answered.headers.get('x-thread-id')
  assert.equal((await send({ threadId, helpful: true })).status, 204)
  assert.equal((await send({ threadId, helpful: true, fp: 'somebody' })).status, 404)
  assert.equal((await send({ threadId: 'nothing', helpful: true })).status, 404)
  assert.equal((await send({ threadId })).status, 400)
})
