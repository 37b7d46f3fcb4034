import assert from 'node:assert/strict'
import type { Database } from '../backends/index.ts'
import { testOnEveryEngine } from '../backends/testing.ts'
import { createOrganization } from './organizations-store.ts'
import {
  activateRelease,
  beginRelease,
  completeRelease,
  createRelease,
  failRelease,
  listLeftReleases,
  readRelease,
} from './releases-store.ts'
import { sitesMigrations } from './sites-migrations.ts'
import { createSite, findSite, readSite, setHosts } from './sites-store.ts'

async function prepare(database: Database): Promise<void> {
  await createOrganization(database, { id: 'org_1', name: 'One', plan: 'free', createdAt: 0 })
  await createSite(database, {
    id: 'site_1',
    organizationId: 'org_1',
    domain: 'acme',
    name: 'Acme',
    hosts: [],
    createdAt: 0,
  })
}

const create = (database: Database, id: string) =>
  createRelease(database, { id, siteId: 'site_1', sourceKey: `sources/${id}`, createdAt: 0 })
const complete = (database: Database, id: string, attempt: number) =>
  completeRelease(database, {
    id,
    attempt,
    bundle: { key: `bundles/${id}`, sha256: 'aa', sizeBytes: 5, digest: id },
    pageCount: 3,
    problems: [],
    failedPages: [],
    instructions: null,
    finishedAt: 9,
  })
const live = async (database: Database) => (await readSite(database, 'site_1'))?.liveReleaseId

testOnEveryEngine(
  'numbers releases one by one, also when they come at once',
  sitesMigrations,
  async (database) => {
    await prepare(database)
    await Promise.all(Array.from({ length: 8 }, (_, index) => create(database, `rel_${index}`)))
    const numbers = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => (await readRelease(database, `rel_${index}`))!.number),
    )
    assert.deepEqual(numbers.sort(), [1, 2, 3, 4, 5, 6, 7, 8])
  },
)

testOnEveryEngine(
  'lets only the newest attempt complete a release, once',
  sitesMigrations,
  async (database) => {
    await prepare(database)
    await create(database, 'rel_a')
    assert.equal(await beginRelease(database, 'rel_a', 1), true)
    assert.equal(await beginRelease(database, 'rel_a', 2), true)
    assert.equal(await complete(database, 'rel_a', 1), false, 'the frozen worker')
    assert.equal(await live(database), null)
    assert.equal(await complete(database, 'rel_a', 2), true)
    assert.equal(await complete(database, 'rel_a', 2), false)
    assert.equal(
      await failRelease(database, { id: 'rel_a', attempt: 3, error: 'x', problems: [], finishedAt: 9 }),
      false,
    )
    assert.equal(await live(database), 'rel_a')
  },
)

testOnEveryEngine('never puts an older release over a newer one', sitesMigrations, async (database) => {
  await prepare(database)
  for (const id of ['rel_old', 'rel_new']) {
    await create(database, id)
    await beginRelease(database, id, 1)
  }
  await complete(database, 'rel_new', 1)
  await complete(database, 'rel_old', 1)
  assert.equal(await live(database), 'rel_new')
  await activateRelease(database, 'site_1', 'rel_old', 10)
  assert.equal(await live(database), 'rel_old', 'a rollback may')
})

testOnEveryEngine('remembers when a release was left', sitesMigrations, async (database) => {
  await prepare(database)
  for (const id of ['rel_1', 'rel_2']) {
    await create(database, id)
    await beginRelease(database, id, 1)
    await complete(database, id, 1)
  }
  const left = async (since: number) =>
    (await listLeftReleases(database, 'site_1', since)).map(({ id }) => id)
  assert.deepEqual(await left(9), ['rel_1'])
  assert.deepEqual(await left(10), [])
  await activateRelease(database, 'site_1', 'rel_1', 20)
  assert.deepEqual(await left(10), ['rel_2'])
  await activateRelease(database, 'site_1', 'rel_1', 30)
  assert.deepEqual(await left(25), [], 'showing what is shown leaves nothing')
})

testOnEveryEngine(
  'finds a site by its identifier and its host names, and gives none away twice',
  sitesMigrations,
  async (database) => {
    await prepare(database)
    assert.equal(await setHosts(database, 'site_1', ['docs.acme.com', 'help.acme.com']), true)
    assert.deepEqual((await findSite(database, 'HELP.acme.com'))?.hosts, ['docs.acme.com', 'help.acme.com'])
    const other = { id: 'site_2', organizationId: 'org_1', name: 'Two', createdAt: 0 }
    assert.equal(await createSite(database, { ...other, domain: 'acme', hosts: [] }), undefined)
    assert.equal(await createSite(database, { ...other, domain: 'two', hosts: ['docs.acme.com'] }), undefined)
    assert.ok(await createSite(database, { ...other, domain: 'two', hosts: [] }))
    assert.equal(await setHosts(database, 'site_2', ['docs.acme.com']), false)
  },
)
