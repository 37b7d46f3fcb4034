import { sql } from 'kysely'
import type { Database } from '../backends/index.ts'
import {
  createOrganization,
  createSite,
  findSite,
  issueKey,
  listOrganizations,
  newId,
  type Site,
} from '../sites/index.ts'

export type FirstStart = { site: Site; adminKey: string; assistantKey: string }

/** Makes the first organization, its site and its keys in an empty database; undefined where there is one already. */
export async function prepareFirstStart(
  database: Database,
  input: { domain: string; now: number },
): Promise<FirstStart | undefined> {
  const { domain, now } = input
  return database.transaction(async (inside) => {
    // Of several nodes that start at once on an empty database, one is the first.
    if (inside.engine === 'postgres')
      await sql`select pg_advisory_xact_lock(7186534)`.execute(inside.tables())
    if ((await listOrganizations(inside)).length > 0) return undefined
    const organizationId = newId('org')
    await createOrganization(inside, {
      id: organizationId,
      name: 'My organization',
      plan: 'enterprise',
      createdAt: now,
    })
    const site = await createSite(inside, {
      id: newId('site'),
      organizationId,
      domain,
      name: domain,
      hosts: [],
      createdAt: now,
    })
    const admin = await issueKey(
      inside,
      { kind: 'admin', organizationId, siteId: null, name: 'First admin key', expiresInDays: null },
      now,
    )
    const assistant = await issueKey(
      inside,
      {
        kind: 'assistant',
        organizationId,
        siteId: site!.id,
        name: 'First assistant key',
        expiresInDays: null,
      },
      now,
    )
    return { site: site!, adminKey: admin.secret, assistantKey: assistant.secret }
  })
}

/** The site that a local folder is published to, made where it is missing. */
export async function siteForFolder(
  database: Database,
  input: { domain: string; now: number },
): Promise<Site> {
  const known = await findSite(database, input.domain)
  if (known) return known
  const [organization] = await listOrganizations(database)
  const site = await createSite(database, {
    id: newId('site'),
    organizationId: organization!.id,
    domain: input.domain,
    name: input.domain,
    hosts: [],
    createdAt: input.now,
  })
  return site!
}
