import type { Database } from '../backends/index.ts'
import { hashKey, type KeyKind, keyDisplay } from './key-format.ts'
import type { KeyView } from './sites-api.ts'
import type { SitesTables } from './sites-migrations.ts'

export type Key = {
  id: string
  kind: KeyKind
  organizationId: string
  siteId: string | null
  name: string
  prefix: string
  lastFour: string
  origins: string[]
  createdAt: number
  expiresAt: number | null
  lastUsedAt: number | null
  revokedAt: number | null
}

export type NewKey = {
  id: string
  kind: KeyKind
  organizationId: string
  siteId: string | null
  name: string
  origins: string[]
  secret: string
  createdAt: number
  expiresAt: number | null
}

export async function storeKey(database: Database, key: NewKey): Promise<Key> {
  const { prefix, lastFour } = keyDisplay(key.kind, key.secret)
  const row = await database
    .tables<SitesTables>()
    .insertInto('keys')
    .values({
      id: key.id,
      kind: key.kind,
      organization_id: key.organizationId,
      site_id: key.siteId,
      name: key.name,
      hash: hashKey(key.secret),
      prefix,
      last_four: lastFour,
      origins: JSON.stringify(key.origins),
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      last_used_at: null,
      revoked_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toKey(row)
}

export async function findKey(database: Database, secret: string): Promise<Key | undefined> {
  const row = await database
    .tables<SitesTables>()
    .selectFrom('keys')
    .selectAll()
    .where('hash', '=', hashKey(secret))
    .executeTakeFirst()
  return row && toKey(row)
}

export async function listKeys(database: Database, organizationId: string): Promise<Key[]> {
  const rows = await database
    .tables<SitesTables>()
    .selectFrom('keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toKey)
}

/** Undefined where the organization has no such key. */
export async function readKey(
  database: Database,
  organizationId: string,
  id: string,
): Promise<Key | undefined> {
  const row = await database
    .tables<SitesTables>()
    .selectFrom('keys')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return row && toKey(row)
}

export async function revokeKey(database: Database, id: string, now: number): Promise<void> {
  await database
    .tables<SitesTables>()
    .updateTable('keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Lets a key live until `expiresAt` at most. */
export async function limitKey(database: Database, id: string, expiresAt: number): Promise<void> {
  await database
    .tables<SitesTables>()
    .updateTable('keys')
    .set({ expires_at: expiresAt })
    .where('id', '=', id)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', expiresAt)]))
    .execute()
}

const lastUsedEveryMs = 60_000

/** Remembers that a key was used, with at most one write a minute. */
export async function touchKey(database: Database, key: Key, now: number): Promise<void> {
  if (key.lastUsedAt !== null && now - key.lastUsedAt < lastUsedEveryMs) return
  await database
    .tables<SitesTables>()
    .updateTable('keys')
    .set({ last_used_at: now })
    .where('id', '=', key.id)
    .where((where) =>
      where.or([where('last_used_at', 'is', null), where('last_used_at', '<=', now - lastUsedEveryMs)]),
    )
    .execute()
}

export function keyView(key: Key, domain: string | null): KeyView {
  return {
    keyId: key.id,
    kind: key.kind,
    name: key.name,
    domain,
    display: `${key.prefix}…${key.lastFour}`,
    origins: key.origins,
    createdAt: new Date(key.createdAt).toISOString(),
    expiresAt: isoOrNull(key.expiresAt),
    lastUsedAt: isoOrNull(key.lastUsedAt),
    revokedAt: isoOrNull(key.revokedAt),
  }
}

const isoOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString())

function toKey(row: SitesTables['keys']): Key {
  return {
    id: row.id,
    kind: row.kind as KeyKind,
    organizationId: row.organization_id,
    siteId: row.site_id,
    name: row.name,
    prefix: row.prefix,
    lastFour: row.last_four,
    origins: JSON.parse(row.origins) as string[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }
}
