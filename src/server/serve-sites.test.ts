import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import Fastify from 'fastify'
import type { Database } from '../backends/index.ts'
import { diskStoreWithServer, testOnEveryEngine } from '../backends/testing.ts'
import { archiveBundle, type SiteIndex } from '../bundle/index.ts'
import { temporaryFolder, writeTestBundle } from '../bundle/testing.ts'
import { indexOf } from '../search/testing.ts'
import {
  activateRelease,
  createOrganization,
  createSite,
  openReleaseFolders,
  type PublishedSites,
  readRelease,
} from '../sites/index.ts'
import { beginRelease, completeRelease, createRelease } from '../sites/testing.ts'
import { allMigrations } from './open-node.ts'
import { serveSites } from './serve-sites.ts'

const hourMs = 3_600_000

testOnEveryEngine(
  'finds the hashed files of releases that were live within a day, and of no others',
  allMigrations,
  async (database, context) => {
    const { get, publish, pass } = await startSites(context, database)
    await publish('acme', 'one')
    await publish('other', 'secret')
    pass(48 * hourMs)
    await publish('acme', 'two')
    pass(hourMs)
    await publish('acme', 'three')
    assert.match((await get('/sites/acme/')).body, /three/)
    for (const mark of ['one', 'two', 'three']) {
      const answer = await get(`/sites/acme/_quire/assets/site-${mark}.css`)
      assert.equal(answer.statusCode, 200, mark)
      assert.equal(answer.body, `/* ${mark} */`)
      assert.match(String(answer.headers['cache-control']), /immutable/)
    }
    assert.equal((await get('/sites/acme/only-one.txt')).statusCode, 404, 'pages come from what is live')
    assert.equal((await get('/sites/acme/_quire/assets/site-secret.css')).statusCode, 404)
    pass(23.5 * hourMs)
    assert.equal((await get('/sites/acme/_quire/assets/site-one.css')).statusCode, 404, 'a day has passed')
    assert.equal((await get('/sites/acme/_quire/assets/site-two.css')).statusCode, 200)
    await activateRelease(database, 'acme', 'acme-one', Date.UTC(2027, 0))
    assert.match((await get('/sites/acme/')).body, /one/)
    assert.equal(
      (await get('/sites/acme/_quire/assets/site-three.css')).statusCode,
      200,
      'also after a rollback',
    )
  },
)

async function startSites(context: TestContext, database: Database) {
  let now = Date.UTC(2026, 10, 1)
  const folder = await temporaryFolder(context)
  const { store: objects } = await diskStoreWithServer(context)
  const folders = await openReleaseFolders({ folder: join(folder, 'cache'), objects })
  const siteIndex: SiteIndex = {
    name: '',
    description: '',
    home: 'index',
    versions: [],
    languages: [],
    pages: [],
    redirects: [],
  }
  const published: PublishedSites = {
    open: async (site) => {
      const release = await readRelease(database, site.liveReleaseId!)
      return {
        release: release!,
        folder: await folders.open(release!.bundle!),
        index: await indexOf([]),
        siteIndex,
        instructions: null,
        readPage: async () => null,
      }
    },
  }
  await createOrganization(database, { id: 'org', name: 'o', plan: 'free', createdAt: 0 })
  for (const id of ['acme', 'other']) {
    await createSite(database, {
      id,
      organizationId: 'org',
      domain: id,
      name: id,
      hosts: [],
      createdAt: 0,
    })
  }
  const app = Fastify()
  context.after(() => app.close())
  serveSites(app, {
    database,
    published,
    folders,
    clock: () => now,
    compressedFolder: join(folder, 'compressed'),
    publicUrl: () => 'http://127.0.0.1',
  })
  return {
    get: (url: string) => app.inject({ url }),
    pass: (ms: number) => {
      now += ms
    },
    publish: async (siteId: string, mark: string) => {
      const bundle = join(folder, `${siteId}-${mark}`)
      const { digest } = await writeTestBundle(
        bundle,
        {
          'index.html': mark,
          [`only-${mark}.txt`]: mark,
          [`_quire/assets/site-${mark}.css`]: `/* ${mark} */`,
        },
        mark,
      )
      const key = `bundles/${digest}/bundle.tar.gz`
      const put = await objects.put(key, archiveBundle({ folder: bundle }), {
        contentType: 'application/gzip',
      })
      const id = `${siteId}-${mark}`
      await createRelease(database, { id, siteId, sourceKey: `sources/${id}`, createdAt: now })
      await beginRelease(database, id, 1)
      await completeRelease(database, {
        id,
        attempt: 1,
        bundle: { key, digest, ...put },
        pageCount: 1,
        problems: [],
        failedPages: [],
        instructions: null,
        finishedAt: now,
      })
    },
  }
}
