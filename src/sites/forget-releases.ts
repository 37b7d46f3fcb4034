import type { Database } from '../backends/index.ts'
import type { SitesTables } from './sites-migrations.ts'

/** Forgets all but the newest releases of each site; the live one and those that `keep` names always stay. */
export async function forgetReleases(
  database: Database,
  rule: { keepNewest: number; keep: ReadonlySet<string> },
): Promise<number> {
  const tables = database.tables<SitesTables>()
  const rows = await tables
    .selectFrom('releases')
    .innerJoin('sites', 'sites.id', 'releases.site_id')
    .select(['releases.id', 'releases.site_id', 'releases.status', 'sites.live_release_id'])
    .orderBy('releases.number', 'desc')
    .execute()
  const kept = new Map<string, number>()
  const old = rows.filter(({ id, site_id, status, live_release_id }) => {
    const newer = kept.get(site_id) ?? 0
    kept.set(site_id, newer + 1)
    const needed =
      id === live_release_id || rule.keep.has(id) || status === 'queued' || status === 'compiling'
    return newer >= rule.keepNewest && !needed
  })
  for (const { id } of old) await tables.deleteFrom('releases').where('id', '=', id).execute()
  return old.length
}

/** The keys of all objects that a release needs. */
export async function releaseObjectKeys(database: Database): Promise<Set<string>> {
  const rows = await database
    .tables<SitesTables>()
    .selectFrom('releases')
    .select(['source_key', 'bundle_key'])
    .execute()
  return new Set(
    rows.flatMap((row) => (row.bundle_key === null ? [row.source_key] : [row.source_key, row.bundle_key])),
  )
}
