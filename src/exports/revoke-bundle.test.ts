import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { type Database, migrate, type ObjectStore, openDatabase } from '../backends/index.ts'
import { testOnEveryStore } from '../backends/testing.ts'
import {
  bundleKey,
  bundleKeyMigrations,
  createOrganization,
  createSite,
  sitesMigrations,
} from '../sites/index.ts'
import { beginRelease, completeRelease, createRelease } from '../sites/testing.ts'
import {
  beginExport,
  completeExport,
  createExport,
  type Export,
  exportMigrations,
  readExport,
} from './exports-store.ts'
import { requireLiveKey, revokeBundle } from './revoke-bundle.ts'

testOnEveryStore(
  'a revoked bundle’s link dies at once, and no other export suffers',
  async (objects, context) => {
    const database = await openTestDatabase(context)
    const first = await exportOf(database, objects, 'se_1')
    const second = await exportOf(database, objects, 'se_2')
    await releaseOf(database, first)
    const link = async (job: Export) =>
      objects.presignDownload(job.archive!.key, {
        expiresInSeconds: 600,
        nowMs: Date.now(),
        fileName: 'bundle.tar.gz',
      })
    const old = await link(first)
    assert.equal(await (await fetch(old)).text(), 'the archive')

    await revokeBundle({ database, objects, job: withArchive(first), now: 5 })
    assert.ok([403, 404, 410].includes((await fetch(old)).status), 'the link is dead')
    assert.equal((await readExport(database, 'se_1'))?.revokedAt, 5)

    const moved = (await readExport(database, 'se_2'))!
    assert.notEqual(moved.archive?.key, second.archive?.key)
    assert.equal(moved.revokedAt, null)
    assert.equal(await (await fetch(await link(moved))).text(), 'the archive')
    const { bundle_key: key } = await database
      .tables<{ releases: { bundle_key: string } }>()
      .selectFrom('releases')
      .select('bundle_key')
      .executeTakeFirstOrThrow()
    assert.equal(key, moved.archive?.key, 'the release goes on too')
    assert.equal(await text((await objects.get(key))!.stream), 'the archive')

    assert.equal(await bundleKey(database, 'digest'), key, 'the next export finds the archive that is there')
    await assert.rejects(requireLiveKey(database, first.archive!.key), /revoked/)
    await requireLiveKey(database, key)
  },
)

testOnEveryStore(
  'a revocation that was interrupted is finished by the next call',
  async (objects, context) => {
    const database = await openTestDatabase(context)
    const job = withArchive(await exportOf(database, objects, 'se_1'))
    const failing: ObjectStore = Object.create(objects, {
      delete: { value: async () => Promise.reject(new Error('The store is away.')) },
    })
    await assert.rejects(revokeBundle({ database, objects: failing, job, now: 5 }), /away/)
    await revokeBundle({ database, objects, job, now: 9 })
    assert.equal(await objects.head(job.archive.key), null)
    assert.equal((await readExport(database, 'se_1'))?.revokedAt, 5, 'the first moment counts')
    await revokeBundle({ database, objects, job, now: 10 })
    assert.notEqual(await bundleKey(database, 'digest'), job.archive.key, 'a dead key stays dead')
  },
)

async function openTestDatabase(context: TestContext): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-revoke-'))
  const database = await openDatabase(join(folder, 'quire.sqlite'))
  context.after(async () => {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  })
  await migrate(database, [...sitesMigrations, ...bundleKeyMigrations, ...exportMigrations], 0)
  await createOrganization(database, { id: 'org', name: 'o', plan: 'enterprise', createdAt: 0 })
  const site = { id: 'site', organizationId: 'org', domain: 'acme', name: 'Acme', hosts: [], createdAt: 0 }
  await createSite(database, site)
  return database
}

/** A finished export of one and the same content. */
async function exportOf(database: Database, objects: ObjectStore, id: string): Promise<Export> {
  const key = await bundleKey(database, 'digest')
  const put = await objects.put(key, Readable.from([Buffer.from('the archive')]), {
    contentType: 'application/gzip',
  })
  await createExport(database, {
    id,
    organizationId: 'org',
    siteId: 'site',
    domain: 'acme',
    releaseId: 'release',
    version: null,
    paths: null,
    strict: false,
    createdAt: 0,
  })
  await beginExport(database, { id, attempt: 1, pagesTotal: 1, now: 1 })
  await completeExport(database, {
    id,
    attempt: 1,
    archive: { key, ...put, digest: 'digest' },
    pageCount: 1,
    failedPages: [],
    warnings: [],
    now: 2,
  })
  return (await readExport(database, id))!
}

async function releaseOf(database: Database, job: Export): Promise<void> {
  await createRelease(database, { id: 'release', siteId: 'site', sourceKey: 'sources/a', createdAt: 0 })
  await beginRelease(database, 'release', 1)
  await completeRelease(database, {
    id: 'release',
    attempt: 1,
    bundle: job.archive!,
    pageCount: 1,
    problems: [],
    failedPages: [],
    instructions: null,
    finishedAt: 1,
  })
}

const withArchive = (job: Export) => ({ ...job, archive: job.archive! })
