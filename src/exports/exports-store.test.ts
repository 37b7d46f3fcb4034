import assert from 'node:assert/strict'
import type { Database } from '../backends/index.ts'
import { testOnEveryEngine } from '../backends/testing.ts'
import {
  beginExport,
  claimIdempotencyKey,
  completeExport,
  createExport,
  exportMigrations,
  failExport,
  listExports,
  readExport,
  recordProgress,
} from './exports-store.ts'

const create = (database: Database, id: string, createdAt = 0) =>
  createExport(database, {
    id,
    organizationId: 'org_1',
    siteId: 'site_1',
    domain: 'acme',
    releaseId: 'rel_1',
    version: null,
    paths: null,
    strict: false,
    createdAt,
  })
const begin = (database: Database, attempt: number) =>
  beginExport(database, { id: 'se_a', attempt, pagesTotal: 10, now: 1 })
const complete = (database: Database, attempt: number) =>
  completeExport(database, {
    id: 'se_a',
    attempt,
    archive: { key: 'k', sha256: 's', sizeBytes: 1, digest: 'd' },
    pageCount: 10,
    failedPages: [],
    warnings: [],
    now: 2,
  })
const progress = (database: Database, attempt: number, percent: number, pageCount: number) =>
  recordProgress(database, { id: 'se_a', attempt, progress: percent, pageCount, now: 2 })

testOnEveryEngine(
  'never lets progress go down, not even in a new attempt',
  exportMigrations,
  async (database) => {
    await create(database, 'se_a')
    await begin(database, 1)
    await progress(database, 1, 60, 6)
    await begin(database, 2)
    await progress(database, 2, 20, 2)
    const job = await readExport(database, 'se_a')
    assert.deepEqual([job?.progress, job?.pageCount, job?.attempt], [60, 6, 2])
  },
)

testOnEveryEngine('completes once, by the newest attempt', exportMigrations, async (database) => {
  await create(database, 'se_a')
  assert.equal(await begin(database, 1), true)
  assert.equal(await begin(database, 2), true)
  assert.equal(await progress(database, 1, 90, 9), false)
  assert.equal(await complete(database, 1), false)
  assert.equal(await complete(database, 2), true)
  assert.equal(await complete(database, 2), false)
  assert.equal(await begin(database, 3), false)
  assert.equal(await failExport(database, { id: 'se_a', error: 'late', code: 'canceled', now: 3 }), false)
  assert.equal((await readExport(database, 'se_a'))?.status, 'completed')
})

testOnEveryEngine(
  'lets a cancellation win over whoever works on the export',
  exportMigrations,
  async (database) => {
    await create(database, 'se_a')
    await begin(database, 1)
    assert.equal(
      await failExport(database, { id: 'se_a', error: 'canceled', code: 'canceled', now: 3 }),
      true,
    )
    assert.equal(await complete(database, 1), false)
  },
)

testOnEveryEngine(
  'gives an idempotency key to one of many requests, for a day',
  exportMigrations,
  async (database) => {
    const claim = (exportId: string, requestHash: string, now: number) =>
      database.transaction((inside) =>
        claimIdempotencyKey(inside, { organizationId: 'org_1', key: 'k', requestHash, exportId, now }),
      )
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => claim(`se_${index}`, 'same', 0)),
    )
    assert.equal(claims.filter((one) => one.type === 'new').length, 1)
    assert.equal(new Set(claims.flatMap((one) => (one.type === 'repeat' ? [one.exportId] : []))).size, 1)
    assert.deepEqual(await claim('se_x', 'other', 86_399_999), { type: 'mismatch' })
    assert.deepEqual(await claim('se_x', 'other', 86_400_000), { type: 'new' })
  },
)

testOnEveryEngine('lists the newest first, page by page', exportMigrations, async (database) => {
  for (let index = 0; index < 5; index += 1) await create(database, `se_${index}`, Math.floor(index / 2))
  const list = { organizationId: 'org_1', limit: 2 }
  const first = await listExports(database, list)
  const second = await listExports(database, { ...list, before: first.at(-1)! })
  assert.deepEqual(
    [...first, ...second].map((job) => job.id),
    ['se_4', 'se_3', 'se_2', 'se_1'],
  )
  assert.deepEqual(await listExports(database, { ...list, organizationId: 'org_2' }), [])
})

testOnEveryEngine('lists the exports of one site and one state', exportMigrations, async (database) => {
  for (const id of ['se_a', 'se_b']) await create(database, id)
  await begin(database, 1)
  await complete(database, 1)
  const ids = async (filter: { siteId?: string; status?: 'completed' | 'queued' }) =>
    (await listExports(database, { organizationId: 'org_1', limit: 9, ...filter })).map(({ id }) => id)
  assert.deepEqual(await ids({ status: 'completed' }), ['se_a'])
  assert.deepEqual(await ids({ status: 'queued', siteId: 'site_1' }), ['se_b'])
  assert.deepEqual(await ids({ siteId: 'site_2' }), [])
})
