import assert from 'node:assert/strict'
import { testOnEveryEngine } from '../backends/testing.ts'
import { listOrganizations, sitesMigrations } from '../sites/index.ts'
import { prepareFirstStart } from './first-start.ts'

testOnEveryEngine('lets one of several nodes be the first', sitesMigrations, async (database) => {
  const starts = await Promise.all(
    Array.from({ length: 4 }, () => prepareFirstStart(database, { domain: 'docs', now: 1 })),
  )
  assert.equal(starts.filter(Boolean).length, 1)
  assert.equal((await listOrganizations(database)).length, 1)
})
