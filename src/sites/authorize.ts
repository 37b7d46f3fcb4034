import type { IncomingHttpHeaders } from 'node:http'
import type { Database } from '../backends/index.ts'
import { ApiError, bearerKey } from '../http/index.ts'
import { type KeyKind, readKeyKind } from './key-format.ts'
import { findKey, type Key, touchKey } from './keys-store.ts'
import { findSite, readSite, type Site } from './sites-store.ts'

export type Caller = { key: Key; organizationId: string }

type Request = { headers: IncomingHttpHeaders; database: Database; now: number }

/** Admits the holder of an admin key, for everything of one organization. */
export async function authorizeAdmin(request: Request): Promise<Caller> {
  const key = await authenticate(request, 'admin')
  return { key, organizationId: key.organizationId }
}

/** Admits the holder of a site's assistant key, for that site alone. */
export async function authorizeAssistant(
  request: Request & { domain: string },
): Promise<Caller & { site: Site }> {
  const key = await authenticate(request, 'assistant')
  checkOrigin(key, request.headers.origin)
  const own = await readSite(request.database, key.siteId!)
  const asked = request.domain.toLowerCase()
  if (!own || (own.domain !== asked && !own.hosts.includes(asked))) throw unknownSite(request.domain)
  return { key, organizationId: key.organizationId, site: own }
}

/** The organization's own site; any other is answered like one that does not exist. */
export async function findOwnSite(
  database: Database,
  organizationId: string,
  domainOrHost: string,
): Promise<Site> {
  const site = await findSite(database, domainOrHost)
  if (!site || site.organizationId !== organizationId) throw unknownSite(domainOrHost)
  return site
}

export function unknownSite(domain: string): ApiError {
  return new ApiError(
    404,
    'site_not_found',
    `There is no site ${JSON.stringify(domain.slice(0, 100))} for this key. GET /v1/sites lists your sites.`,
  )
}

async function authenticate({ headers, database, now }: Request, wanted: KeyKind): Promise<Key> {
  const secret = bearerKey(headers)
  const kind = secret === null ? null : readKeyKind(secret)
  if (secret === null) throw invalidKey('Send your key as Authorization: Bearer <key>.')
  if (kind === null) throw invalidKey('This is no Quire key: check that it was copied whole.') // No database is asked.
  const key = await findKey(database, secret)
  if (!key) throw invalidKey('This key is not known here.')
  if (key.revokedAt !== null)
    throw new ApiError(401, 'key_revoked', 'This key was revoked. Use another one.', challenge)
  if (key.expiresAt !== null && key.expiresAt <= now) {
    throw new ApiError(401, 'key_expired', 'This key has expired. Make a new one.', challenge)
  }
  if (key.kind !== wanted) throw wrongKind(wanted)
  await touchKey(database, key, now)
  return key
}

const challenge = { headers: { 'www-authenticate': 'Bearer' } }
const invalidKey = (sentence: string) => new ApiError(401, 'invalid_key', sentence, challenge)

function wrongKind(wanted: KeyKind): ApiError {
  return wanted === 'admin'
    ? new ApiError(
        403,
        'wrong_key_type',
        'This endpoint takes an admin key (quire_…); an assistant key was sent.',
      )
    : new ApiError(
        403,
        'wrong_key_type',
        'This endpoint takes an assistant key (quire_dsc_…); an admin key was sent. Keep admin keys out of client code.',
      )
}

function checkOrigin(key: Key, origin: string | undefined): void {
  if (origin === undefined || key.origins.includes('*') || key.origins.includes(origin)) return
  throw new ApiError(
    403,
    'origin_not_allowed',
    `This key may not be used from ${origin}. Add the origin to the key or use another.`,
  )
}
