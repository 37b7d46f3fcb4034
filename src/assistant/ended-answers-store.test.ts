import assert from 'node:assert/strict'
import { testOnEveryEngine } from '../backends/testing.ts'
import { assistantMigrations } from './assistant-store.ts'
import { readEndedAnswer } from './ended-answers-store.ts'
import { exchange, storeExchange } from './testing.ts'

const chat = 'hash-of-a-chat'
const day = 86_400_000

testOnEveryEngine(
  'finds the last answer of a chat, of its site alone and while it is young',
  assistantMigrations,
  async (database) => {
    for (const threadId of ['first', 'second']) {
      const stored = exchange({ threadId, askedAt: threadId === 'first' ? day : day + 1000 })
      await storeExchange({ database, ...stored, chat })
    }
    const found = await readEndedAnswer({ database, siteId: 'site', chat, since: day })
    assert.equal(found?.threadId, 'second')
    assert.equal(found?.text, 'Very.')
    assert.equal(found?.sources[0]?.url, 'https://kiln.example/')
    assert.equal(await readEndedAnswer({ database, siteId: 'other', chat, since: day }), null)
    assert.equal(await readEndedAnswer({ database, siteId: 'site', chat: 'another', since: day }), null)
    assert.equal(await readEndedAnswer({ database, siteId: 'site', chat, since: 2 * day }), null)
  },
)

testOnEveryEngine('finds no answer whose reader left', assistantMigrations, async (database) => {
  await storeExchange({ database, ...exchange({ threadId: 'thread' }), chat, status: 'left' as const })
  assert.equal(await readEndedAnswer({ database, siteId: 'site', chat, since: 0 }), null)
})
