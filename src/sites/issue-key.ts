import type { Database } from '../backends/index.ts'
import { type KeyKind, makeKey } from './key-format.ts'
import { type Key, limitKey, storeKey } from './keys-store.ts'
import { newId } from './new-id.ts'

const dayMs = 86_400_000

export type KeyRequest = {
  kind: KeyKind
  organizationId: string
  siteId: string | null
  name: string
  origins?: string[]
  expiresInDays: number | null
}

/** Makes a key, stores its hash, and gives the secret out this once. */
export async function issueKey(
  database: Database,
  request: KeyRequest,
  now: number,
): Promise<{ key: Key; secret: string }> {
  const secret = makeKey(request.kind)
  const key = await storeKey(database, {
    id: newId('key'),
    kind: request.kind,
    organizationId: request.organizationId,
    siteId: request.siteId,
    name: request.name,
    origins: request.origins ?? ['*'],
    secret,
    createdAt: now,
    expiresAt: request.expiresInDays === null ? null : now + request.expiresInDays * dayMs,
  })
  return { key, secret }
}

/** A new key in the place of an old one, which goes on working for the overlap. */
export async function rotateKey(
  database: Database,
  old: Key,
  rotation: { overlapSeconds: number; now: number },
): Promise<{ key: Key; secret: string }> {
  const { overlapSeconds, now } = rotation
  return database.transaction(async (inside) => {
    const expiresInDays =
      old.expiresAt === null ? null : Math.max(1, Math.round((old.expiresAt - old.createdAt) / dayMs))
    const issued = await issueKey(inside, { ...old, expiresInDays }, now)
    await limitKey(inside, old.id, now + overlapSeconds * 1000)
    return issued
  })
}
