import type { Database } from '../backends/index.ts'
import type { FailedPage, Problem } from '../compiler/index.ts'
import type { ReleaseView, releaseStatuses } from './sites-api.ts'
import type { SitesTables } from './sites-migrations.ts'

export type ReleaseStatus = (typeof releaseStatuses)[number]

/** One published state of a site. Immutable once it is ready; which one is live is a field of the site. */
export type Release = {
  id: string
  siteId: string
  number: number
  status: ReleaseStatus
  attempt: number
  sourceKey: string
  /** The archive of its bundle in the object store, once it is ready. */
  bundle: { key: string; sha256: string; sizeBytes: number; digest: string } | null
  pageCount: number
  problems: Problem[]
  failedPages: FailedPage[]
  /** The site owner's instructions to the assistant; never part of the bundle. */
  instructions: string | null
  error: string | null
  createdAt: number
  finishedAt: number | null
}

export async function createRelease(
  database: Database,
  release: { id: string; siteId: string; sourceKey: string; createdAt: number },
): Promise<void> {
  await database.transaction(async (inside) => {
    const tables = inside.tables<SitesTables>()
    await tables.updateTable('sites').set({ id: release.siteId }).where('id', '=', release.siteId).execute() // Holds the row, so that numbers are given one by one.
    const last = await tables
      .selectFrom('releases')
      .select((select) => select.fn.max('number').as('number'))
      .where('site_id', '=', release.siteId)
      .executeTakeFirst()
    await tables
      .insertInto('releases')
      .values({
        id: release.id,
        site_id: release.siteId,
        number: (last?.number ?? 0) + 1,
        status: 'queued',
        attempt: 0,
        source_key: release.sourceKey,
        bundle_key: null,
        bundle_sha256: null,
        bundle_bytes: null,
        digest: null,
        page_count: 0,
        problems: '[]',
        failed_pages: '[]',
        instructions: null,
        error: null,
        created_at: release.createdAt,
        finished_at: null,
        left_at: null,
      })
      .execute()
  })
}

export async function readRelease(database: Database, id: string): Promise<Release | undefined> {
  const row = await database
    .tables<SitesTables>()
    .selectFrom('releases')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toRelease(row)
}

export async function listReleases(database: Database, siteId: string, limit: number): Promise<Release[]> {
  const rows = await database
    .tables<SitesTables>()
    .selectFrom('releases')
    .selectAll()
    .where('site_id', '=', siteId)
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toRelease)
}

/** Takes the release for a worker; false where it is finished or a later attempt has it. */
export async function beginRelease(database: Database, id: string, attempt: number): Promise<boolean> {
  const result = await database
    .tables<SitesTables>()
    .updateTable('releases')
    .set({ status: 'compiling', attempt })
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'compiling'])
    .where('attempt', '<', attempt)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export type CompletedRelease = {
  id: string
  attempt: number
  bundle: { key: string; sha256: string; sizeBytes: number; digest: string }
  pageCount: number
  problems: Problem[]
  failedPages: FailedPage[]
  instructions: string | null
  finishedAt: number
}

/** Completes a release and makes it live in the same step, unless a newer one is live already. */
export async function completeRelease(database: Database, done: CompletedRelease): Promise<boolean> {
  return database.transaction(async (inside) => {
    const tables = inside.tables<SitesTables>()
    const row = await tables
      .updateTable('releases')
      .set({
        status: 'ready',
        bundle_key: done.bundle.key,
        bundle_sha256: done.bundle.sha256,
        bundle_bytes: done.bundle.sizeBytes,
        digest: done.bundle.digest,
        page_count: done.pageCount,
        problems: JSON.stringify(done.problems),
        failed_pages: JSON.stringify(done.failedPages),
        instructions: done.instructions,
        finished_at: done.finishedAt,
      })
      .where('id', '=', done.id)
      .where('status', '=', 'compiling')
      .where('attempt', '=', done.attempt)
      .returning(['site_id', 'number'])
      .executeTakeFirst()
    if (!row) return false
    const live = await tables
      .selectFrom('sites')
      .innerJoin('releases', 'releases.id', 'sites.live_release_id')
      .select('releases.number')
      .where('sites.id', '=', row.site_id)
      .executeTakeFirst()
    if (!live || live.number < row.number) await showRelease(inside, row.site_id, done.id, done.finishedAt)
    return true
  })
}

export async function failRelease(
  database: Database,
  failed: { id: string; attempt: number; error: string; problems: Problem[]; finishedAt: number },
): Promise<boolean> {
  const result = await database
    .tables<SitesTables>()
    .updateTable('releases')
    .set({
      status: 'failed',
      error: failed.error,
      problems: JSON.stringify(failed.problems),
      finished_at: failed.finishedAt,
    })
    .where('id', '=', failed.id)
    .where('status', 'in', ['queued', 'compiling'])
    .where('attempt', '<=', failed.attempt)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** The one step by which readers see another release. */
export async function activateRelease(
  database: Database,
  siteId: string,
  releaseId: string,
  now: number,
): Promise<void> {
  await database.transaction((inside) => showRelease(inside, siteId, releaseId, now))
}

async function showRelease(inside: Database, siteId: string, releaseId: string, now: number): Promise<void> {
  const tables = inside.tables<SitesTables>()
  await tables
    .updateTable('releases')
    .set({ left_at: now })
    .where('id', '=', (select) =>
      select.selectFrom('sites').select('live_release_id').where('sites.id', '=', siteId),
    )
    .where('id', '!=', releaseId)
    .execute()
  await tables.updateTable('sites').set({ live_release_id: releaseId }).where('id', '=', siteId).execute()
}

/** Releases that readers saw until lately, the last first: pages that are still open ask for their files. */
export async function listLeftReleases(
  database: Database,
  siteId: string,
  leftSince: number,
): Promise<Release[]> {
  const rows = await database
    .tables<SitesTables>()
    .selectFrom('releases')
    .selectAll()
    .where('site_id', '=', siteId)
    .where('left_at', '>=', leftSince)
    .orderBy('left_at', 'desc')
    .execute()
  return rows.map(toRelease)
}

export function releaseView(release: Release, live: boolean): ReleaseView {
  return {
    releaseId: release.id,
    number: release.number,
    status: release.status,
    live,
    pageCount: release.pageCount,
    problems: release.problems,
    failedPages: release.failedPages,
    error: release.error,
    digest: release.bundle?.digest ?? null,
    createdAt: new Date(release.createdAt).toISOString(),
    finishedAt: release.finishedAt === null ? null : new Date(release.finishedAt).toISOString(),
  }
}

function toRelease(row: SitesTables['releases']): Release {
  const bundle =
    row.bundle_key === null
      ? null
      : { key: row.bundle_key, sha256: row.bundle_sha256!, sizeBytes: row.bundle_bytes!, digest: row.digest! }
  return {
    id: row.id,
    siteId: row.site_id,
    number: row.number,
    status: row.status as ReleaseStatus,
    attempt: row.attempt,
    sourceKey: row.source_key,
    bundle,
    pageCount: row.page_count,
    problems: JSON.parse(row.problems) as Problem[],
    failedPages: JSON.parse(row.failed_pages) as FailedPage[],
    instructions: row.instructions,
    error: row.error,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  }
}
