import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, type Migration, migrate } from '../backends/index.ts'
import { testOnEveryEngine } from '../backends/testing.ts'
import { ApiError, rateLimitMigrations } from '../http/index.ts'
import { authorizeAdmin, authorizeAssistant } from './authorize.ts'
import { issueKey, rotateKey } from './issue-key.ts'
import { makeKey, readKeyKind } from './key-format.ts'
import { findKey, listKeys, revokeKey } from './keys-store.ts'
import { createOrganization } from './organizations-store.ts'
import { sitesMigrations } from './sites-migrations.ts'
import { createSite } from './sites-store.ts'

const migrations: Migration[] = [...rateLimitMigrations, ...sitesMigrations]
const dayMs = 86_400_000

async function prepare(database: Database) {
  await migrate(database, migrations, 0)
  for (const id of ['org_1', 'org_2'])
    await createOrganization(database, { id, name: id, plan: 'enterprise', createdAt: 0 })
  const site = { organizationId: 'org_1', name: 'Site', createdAt: 0 }
  await createSite(database, { ...site, id: 'site_1', domain: 'acme', hosts: ['docs.acme.com'] })
  await createSite(database, { ...site, id: 'site_2', domain: 'other', hosts: [] })
  const admin = {
    kind: 'admin',
    organizationId: 'org_1',
    siteId: null,
    name: 'a',
    expiresInDays: 90,
  } as const
  const assistant = {
    kind: 'assistant',
    organizationId: 'org_1',
    siteId: 'site_1',
    name: 'b',
    expiresInDays: null,
  } as const
  return { admin: await issueKey(database, admin, 0), assistant: await issueKey(database, assistant, 0) }
}

const headers = (key: string, origin?: string) => ({
  authorization: `Bearer ${key}`,
  ...(origin ? { origin } : {}),
})
const refusedAs = (status: number, code: string) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error))
  assert.deepEqual([error.status, error.code], [status, code])
  return true
}

test('keys carry their kind and a checksum that finds every changed character', () => {
  const seen = new Set<string>()
  for (let index = 0; index < 2_000; index += 1) {
    for (const kind of ['admin', 'assistant'] as const) {
      const key = makeKey(kind)
      assert.equal(readKeyKind(key), kind)
      assert.match(key, kind === 'admin' ? /^quire_[0-9A-Za-z]{38}$/ : /^quire_dsc_[0-9A-Za-z]{38}$/)
      seen.add(key)
      const place = 6 + (index % (key.length - 6))
      const changed = key[place] === 'x' ? 'y' : 'x'
      assert.equal(readKeyKind(key.slice(0, place) + changed + key.slice(place + 1)), null)
    }
  }
  assert.equal(seen.size, 4_000)
})

testOnEveryEngine('stores a hash and never the key', [], async (database) => {
  const { admin } = await prepare(database)
  const stored = JSON.stringify(await listKeys(database, 'org_1'))
  assert.ok(!stored.includes(admin.secret) && !stored.includes(admin.secret.slice(10, 40)))
  assert.equal((await findKey(database, admin.secret))?.id, admin.key.id)
})

testOnEveryEngine('refuses keys for the reason that holds', [], async (database) => {
  const { admin, assistant } = await prepare(database)
  const asAdmin = (key: string, now = 1) => authorizeAdmin({ headers: headers(key), database, now })
  assert.equal((await asAdmin(admin.secret)).organizationId, 'org_1')
  await assert.rejects(authorizeAdmin({ headers: {}, database, now: 1 }), refusedAs(401, 'invalid_key'))
  await assert.rejects(asAdmin('quire_short'), refusedAs(401, 'invalid_key'))
  await assert.rejects(asAdmin(makeKey('admin')), refusedAs(401, 'invalid_key'))
  await assert.rejects(asAdmin(assistant.secret), refusedAs(403, 'wrong_key_type'))
  await asAdmin(admin.secret, 90 * dayMs - 1)
  await assert.rejects(asAdmin(admin.secret, 90 * dayMs), refusedAs(401, 'key_expired'))
  await revokeKey(database, admin.key.id, 5)
  await assert.rejects(asAdmin(admin.secret), refusedAs(401, 'key_revoked'))
})

testOnEveryEngine('admits an assistant key to its own site alone', [], async (database) => {
  const { admin, assistant } = await prepare(database)
  const ask = (key: string, domain: string) =>
    authorizeAssistant({ headers: headers(key), database, domain, now: 1 })
  assert.equal((await ask(assistant.secret, 'acme')).site.id, 'site_1')
  assert.equal((await ask(assistant.secret, 'docs.acme.com')).site.id, 'site_1')
  await assert.rejects(ask(assistant.secret, 'other'), refusedAs(404, 'site_not_found'))
  await assert.rejects(ask(assistant.secret, 'nobody'), refusedAs(404, 'site_not_found'))
  await assert.rejects(ask(admin.secret, 'acme'), refusedAs(403, 'wrong_key_type'))
})

testOnEveryEngine('holds a key to its origins', [], async (database) => {
  await prepare(database)
  const { secret } = await issueKey(
    database,
    {
      kind: 'assistant',
      organizationId: 'org_1',
      siteId: 'site_1',
      name: 'c',
      origins: ['https://acme.com'],
      expiresInDays: null,
    },
    0,
  )
  const from = (origin?: string) =>
    authorizeAssistant({ headers: headers(secret, origin), database, domain: 'acme', now: 1 })
  assert.ok(await from('https://acme.com'))
  assert.ok(await from())
  await assert.rejects(from('https://evil.example'), refusedAs(403, 'origin_not_allowed'))
})

testOnEveryEngine('lets the old key live for the overlap when it is rotated', [], async (database) => {
  const { admin } = await prepare(database)
  const rotated = await rotateKey(database, admin.key, { overlapSeconds: 60, now: 1_000 })
  const at = (key: string, now: number) => authorizeAdmin({ headers: headers(key), database, now })
  await at(admin.secret, 60_999)
  await assert.rejects(at(admin.secret, 61_000), refusedAs(401, 'key_expired'))
  await at(rotated.secret, 61_000)
})

testOnEveryEngine('writes the last use at most once a minute', [], async (database) => {
  const { admin } = await prepare(database)
  const lastUse = async (now: number) => {
    await authorizeAdmin({ headers: headers(admin.secret), database, now })
    return (await findKey(database, admin.secret))?.lastUsedAt
  }
  assert.equal(await lastUse(1_000), 1_000)
  assert.equal(await lastUse(60_999), 1_000)
  assert.equal(await lastUse(61_000), 61_000)
})
