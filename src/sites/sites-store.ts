import type { Database } from '../backends/index.ts'
import type { SitesTables } from './sites-migrations.ts'

export type Site = {
  id: string
  organizationId: string
  /** The identifier, such as `acme`. */
  domain: string
  name: string
  /** The site's own host names, the first being the one in its address. */
  hosts: string[]
  liveReleaseId: string | null
  /** Whether the project's own scripts run; such a site is served at its own host names only. */
  customScripts: boolean
  createdAt: number
}

export type NewSite = {
  id: string
  organizationId: string
  domain: string
  name: string
  hosts: string[]
  createdAt: number
}

/** Undefined where the identifier or a host name is taken; then nothing is written. */
export async function createSite(database: Database, site: NewSite): Promise<Site | undefined> {
  return database.transaction(async (inside) => {
    const tables = inside.tables<SitesTables>()
    if (await taken(inside, site)) return undefined
    await tables
      .insertInto('sites')
      .values({
        id: site.id,
        organization_id: site.organizationId,
        domain: site.domain,
        name: site.name,
        live_release_id: null,
        custom_scripts: 0,
        created_at: site.createdAt,
      })
      .execute()
    await writeHosts(inside, site.id, site.hosts)
    return { ...site, liveReleaseId: null, customScripts: false }
  })
}

/** False where another site has one of the host names; then nothing is changed. */
export async function setHosts(database: Database, siteId: string, hosts: string[]): Promise<boolean> {
  return database.transaction(async (inside) => {
    const tables = inside.tables<SitesTables>()
    if (hosts.length > 0) {
      const others = await tables
        .selectFrom('site_hosts')
        .select('host')
        .where('host', 'in', hosts)
        .where('site_id', '!=', siteId)
        .execute()
      if (others.length > 0) return false
    }
    await tables.deleteFrom('site_hosts').where('site_id', '=', siteId).execute()
    await writeHosts(inside, siteId, hosts)
    return true
  })
}

export async function setCustomScripts(database: Database, siteId: string, on: boolean): Promise<void> {
  await database
    .tables<SitesTables>()
    .updateTable('sites')
    .set({ custom_scripts: on ? 1 : 0 })
    .where('id', '=', siteId)
    .execute()
}

export async function listSites(database: Database, organizationId: string): Promise<Site[]> {
  const rows = await database
    .tables<SitesTables>()
    .selectFrom('sites')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('domain')
    .execute()
  return withHosts(database, rows)
}

export async function readSite(database: Database, id: string): Promise<Site | undefined> {
  const rows = await database
    .tables<SitesTables>()
    .selectFrom('sites')
    .selectAll()
    .where('id', '=', id)
    .execute()
  return (await withHosts(database, rows))[0]
}

/** Finds a site by its identifier, its hosted host name (`acme.<anything>` is not guessed), or one of its own host names. */
export async function findSite(database: Database, domainOrHost: string): Promise<Site | undefined> {
  const name = domainOrHost.toLowerCase()
  const rows = await database
    .tables<SitesTables>()
    .selectFrom('sites')
    .leftJoin('site_hosts', (join) =>
      join.onRef('site_hosts.site_id', '=', 'sites.id').on('site_hosts.host', '=', name),
    )
    .selectAll('sites')
    .where((where) => where.or([where('sites.domain', '=', name), where('site_hosts.host', '=', name)]))
    .execute()
  return (await withHosts(database, rows))[0]
}

async function withHosts(database: Database, rows: SitesTables['sites'][]): Promise<Site[]> {
  if (rows.length === 0) return []
  const hosts = await database
    .tables<SitesTables>()
    .selectFrom('site_hosts')
    .selectAll()
    .where(
      'site_id',
      'in',
      rows.map((row) => row.id),
    )
    .orderBy('position')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    organizationId: row.organization_id,
    domain: row.domain,
    name: row.name,
    hosts: hosts.filter((host) => host.site_id === row.id).map((host) => host.host),
    liveReleaseId: row.live_release_id,
    customScripts: row.custom_scripts === 1,
    createdAt: row.created_at,
  }))
}

async function taken(database: Database, site: NewSite): Promise<boolean> {
  const tables = database.tables<SitesTables>()
  const sameDomain = await tables
    .selectFrom('sites')
    .select('id')
    .where('domain', '=', site.domain)
    .executeTakeFirst()
  if (sameDomain) return true
  if (site.hosts.length === 0) return false
  return Boolean(
    await tables.selectFrom('site_hosts').select('host').where('host', 'in', site.hosts).executeTakeFirst(),
  )
}

async function writeHosts(database: Database, siteId: string, hosts: string[]): Promise<void> {
  if (hosts.length === 0) return
  await database
    .tables<SitesTables>()
    .insertInto('site_hosts')
    .values(hosts.map((host, position) => ({ host, site_id: siteId, position })))
    .execute()
}
