import assert from 'node:assert/strict'
import { testOnEveryEngine } from '../backends/testing.ts'
import { feedbackMigrations, readFeedback, recordFeedback } from './feedback-store.ts'

const dayMs = 86_400_000

testOnEveryEngine(
  'counts what readers say of a page, by site and time',
  feedbackMigrations,
  async (database) => {
    const say = (siteId: string, path: string, value: 'up' | 'down', now: number) =>
      recordFeedback(database, { siteId, path, value, now })
    await Promise.all(Array.from({ length: 10 }, () => say('site_1', 'index', 'up', 5 * dayMs)))
    await say('site_1', 'index', 'down', 6 * dayMs)
    await say('site_1', 'guide', 'down', 6 * dayMs)
    await say('site_2', 'index', 'down', 6 * dayMs)
    assert.deepEqual(await readFeedback(database, 'site_1', 0), [
      { path: 'index', up: 10, down: 1 },
      { path: 'guide', up: 0, down: 1 },
    ])
    assert.equal((await readFeedback(database, 'site_1', 6 * dayMs)).length, 2)
    assert.deepEqual((await readFeedback(database, 'site_1', 6 * dayMs))[0]?.up, 0)
  },
)
