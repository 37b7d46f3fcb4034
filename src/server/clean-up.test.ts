import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { listThreads } from '../assistant/index.ts'
import { exchange, storeExchange } from '../assistant/testing.ts'
import { diskStoreWithServer, testOnEveryEngine } from '../backends/testing.ts'
import { createOrganization, createSite } from '../sites/index.ts'
import { beginRelease, completeRelease, createRelease, listReleases } from '../sites/testing.ts'
import { cleanUp } from './clean-up.ts'
import { allMigrations } from './open-node.ts'

const dayMs = 86_400_000

testOnEveryEngine(
  'keeps what is live or new and forgets the rest with its objects',
  allMigrations,
  async (database, context) => {
    const { store: objects } = await diskStoreWithServer(context)
    const put = (key: string) =>
      objects.put(key, Readable.from([Buffer.from(key)]), { contentType: 'application/gzip' })
    await createOrganization(database, { id: 'org', name: 'o', plan: 'enterprise', createdAt: 0 })
    await createSite(database, {
      id: 'site',
      organizationId: 'org',
      domain: 'acme',
      name: 'a',
      hosts: [],
      createdAt: 0,
    })
    for (const id of ['one', 'two', 'three']) {
      await put(`sources/${id}.tar.gz`)
      await put(`bundles/${id}/bundle.tar.gz`)
      await createRelease(database, { id, siteId: 'site', sourceKey: `sources/${id}.tar.gz`, createdAt: 0 })
      await beginRelease(database, id, 1)
      const bundle = { key: `bundles/${id}/bundle.tar.gz`, sha256: 's', sizeBytes: 1, digest: id }
      const rest = { pageCount: 1, problems: [], failedPages: [], instructions: null, finishedAt: 1 }
      await completeRelease(database, { id, attempt: 1, bundle, ...rest })
    }
    await put('bundles/orphan/bundle.tar.gz')
    const retention = { exportDays: 30, releasesPerSite: 2, threadDays: 365 }
    const now = Date.now()
    const fresh = await cleanUp({ database, objects, retention, now })
    assert.deepEqual(
      fresh,
      { exports: 0, releases: 1, threads: 0, objects: 0 },
      'young objects are left alone',
    )
    const later = await cleanUp({ database, objects, retention, now: now + 2 * dayMs })
    assert.equal(later.objects, 3, 'the two of the oldest release and the orphan')
    assert.deepEqual(
      (await listReleases(database, 'site', 9)).map(({ id }) => id),
      ['three', 'two'],
    )
    assert.ok(await objects.head('bundles/three/bundle.tar.gz'))
    assert.equal(await objects.head('bundles/orphan/bundle.tar.gz'), null)
  },
)

testOnEveryEngine(
  'forgets what readers asked when it is older than the owner wants to keep it',
  allMigrations,
  async (database, context) => {
    const { store: objects } = await diskStoreWithServer(context)
    const now = Date.UTC(2026, 10, 1)
    await storeExchange({ database, ...exchange({ threadId: 'old', askedAt: now - 91 * dayMs }) })
    await storeExchange({ database, ...exchange({ threadId: 'revived', askedAt: now - 400 * dayMs }) })
    await storeExchange({ database, ...exchange({ threadId: 'revived', askedAt: now - 2 * dayMs }) })
    await storeExchange({ database, ...exchange({ threadId: 'young', askedAt: now - 89 * dayMs }) })
    const retention = { exportDays: 30, releasesPerSite: 2, threadDays: 90 }
    assert.equal((await cleanUp({ database, objects, retention, now })).threads, 1)
    const left = await listThreads({ database, siteId: 'site', before: null, limit: 9 })
    assert.deepEqual(
      left.map(({ threadId, messageCount }) => [threadId, messageCount]),
      [
        ['revived', 4],
        ['young', 2],
      ],
    )
  },
)
