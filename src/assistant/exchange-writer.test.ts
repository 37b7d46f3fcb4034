import assert from 'node:assert/strict'
import { testOnEveryEngine } from '../backends/testing.ts'
import { assistantMigrations } from './assistant-store.ts'
import { ExchangeWriter } from './exchange-writer.ts'
import { exchange } from './testing.ts'
import { listThreads } from './threads-store.ts'

testOnEveryEngine(
  'stores what ends together in one transaction, each where it belongs',
  assistantMigrations,
  async (database) => {
    let transactions = 0
    const counting = {
      ...database,
      transaction: ((work) => {
        transactions += 1
        return database.transaction(work)
      }) as typeof database.transaction,
    }
    const writer = new ExchangeWriter({ database: counting, clock: () => 0 })
    const ends = ['one', 'two', 'three', 'one'].map((threadId, place) =>
      writer.store(exchange({ threadId, askedAt: place + 1 })),
    )
    await Promise.all(ends)
    assert.equal(transactions, 1)
    const threads = await listThreads({ database, siteId: 'site', before: null, limit: 9 })
    assert.deepEqual(
      threads.map(({ threadId, messageCount }) => [threadId, messageCount]),
      [
        ['one', 4],
        ['three', 2],
        ['two', 2],
      ],
    )
    await writer.store(exchange({ threadId: 'later' }))
    assert.equal(transactions, 2)
  },
)

testOnEveryEngine(
  'one exchange that cannot be stored takes no other with it',
  assistantMigrations,
  async (database) => {
    const writer = new ExchangeWriter({ database, clock: () => 0 })
    const good = exchange({ threadId: 'good' })
    const bad = { ...exchange({ threadId: 'bad' }), answerId: good.answerId }
    const [first, second, third] = await Promise.allSettled([
      writer.store(good),
      writer.store(bad),
      writer.store(exchange({ threadId: 'other' })),
    ])
    assert.deepEqual([first.status, second.status, third.status], ['fulfilled', 'rejected', 'fulfilled'])
    const threads = await listThreads({ database, siteId: 'site', before: null, limit: 9 })
    assert.deepEqual(threads.map(({ threadId }) => threadId).toSorted(), ['good', 'other'])
  },
)
