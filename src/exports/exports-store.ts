import { sql } from 'kysely'
import type { Database, Migration } from '../backends/index.ts'
import type { FailedPage } from '../compiler/index.ts'
import type { ExportView, exportStatuses } from './exports-api.ts'

export type ExportStatus = (typeof exportStatuses)[number]

/** One export job. This row is the truth; every change of state is one statement guarded by status and attempt. */
export type Export = {
  id: string
  organizationId: string
  siteId: string
  domain: string
  releaseId: string
  version: string | null
  paths: string[] | null
  strict: boolean
  status: ExportStatus
  attempt: number
  progress: number
  pageCount: number
  pagesTotal: number | null
  archive: { key: string; sha256: string; sizeBytes: number; digest: string } | null
  /** When the bundle was taken back; its links are dead since. */
  revokedAt: number | null
  error: string | null
  code: string | null
  failedPages: FailedPage[]
  warnings: string[]
  createdAt: number
  updatedAt: number
}

type ExportTables = {
  exports: {
    id: string
    organization_id: string
    site_id: string
    domain: string
    release_id: string
    version: string | null
    paths: string | null
    strict: number
    status: string
    attempt: number
    progress: number
    page_count: number
    pages_total: number | null
    archive_key: string | null
    archive_sha256: string | null
    archive_bytes: number | null
    archive_digest: string | null
    revoked_at: number | null
    error: string | null
    code: string | null
    failed_pages: string
    warnings: string
    created_at: number
    updated_at: number
  }
  export_idempotency: {
    organization_id: string
    key: string
    request_hash: string
    export_id: string
    created_at: number
  }
}

export const exportMigrations: Migration[] = [
  {
    name: 'exports-001-exports',
    up: async (database) => {
      const { schema } = database.tables<ExportTables>()
      await schema
        .createTable('exports')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('organization_id', 'text', (column) => column.notNull())
        .addColumn('site_id', 'text', (column) => column.notNull())
        .addColumn('domain', 'text', (column) => column.notNull())
        .addColumn('release_id', 'text', (column) => column.notNull())
        .addColumn('version', 'text')
        .addColumn('paths', 'text')
        .addColumn('strict', 'integer', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('attempt', 'integer', (column) => column.notNull())
        .addColumn('progress', 'integer', (column) => column.notNull())
        .addColumn('page_count', 'integer', (column) => column.notNull())
        .addColumn('pages_total', 'integer')
        .addColumn('archive_key', 'text')
        .addColumn('archive_sha256', 'text')
        .addColumn('archive_bytes', 'bigint')
        .addColumn('archive_digest', 'text')
        .addColumn('error', 'text')
        .addColumn('code', 'text')
        .addColumn('failed_pages', 'text', (column) => column.notNull())
        .addColumn('warnings', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .execute()
      await schema
        .createIndex('exports_by_organization')
        .on('exports')
        .columns(['organization_id', 'created_at', 'id'])
        .execute()
      await schema
        .createTable('export_idempotency')
        .addColumn('organization_id', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('request_hash', 'text', (column) => column.notNull())
        .addColumn('export_id', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('export_idempotency_key', ['organization_id', 'key'])
        .execute()
    },
  },
  {
    name: 'exports-002-revoked',
    up: async (database) => {
      await database
        .tables<ExportTables>()
        .schema.alterTable('exports')
        .addColumn('revoked_at', 'bigint')
        .execute()
    },
  },
]

export type NewExport = Pick<
  Export,
  'id' | 'organizationId' | 'siteId' | 'domain' | 'releaseId' | 'version' | 'paths' | 'strict' | 'createdAt'
>

export async function createExport(database: Database, job: NewExport): Promise<void> {
  await database
    .tables<ExportTables>()
    .insertInto('exports')
    .values({
      id: job.id,
      organization_id: job.organizationId,
      site_id: job.siteId,
      domain: job.domain,
      release_id: job.releaseId,
      version: job.version,
      paths: job.paths && JSON.stringify(job.paths),
      strict: job.strict ? 1 : 0,
      status: 'queued',
      attempt: 0,
      progress: 0,
      page_count: 0,
      pages_total: null,
      archive_key: null,
      archive_sha256: null,
      archive_bytes: null,
      archive_digest: null,
      revoked_at: null,
      error: null,
      code: null,
      failed_pages: '[]',
      warnings: '[]',
      created_at: job.createdAt,
      updated_at: job.createdAt,
    })
    .execute()
}

const idempotencyMs = 86_400_000

/** Claims an idempotency key for a request: the id of the export that it stands for, or a mismatch with an earlier request. */
export async function claimIdempotencyKey(
  database: Database,
  claim: { organizationId: string; key: string; requestHash: string; exportId: string; now: number },
): Promise<{ type: 'new' } | { type: 'repeat'; exportId: string } | { type: 'mismatch' }> {
  const tables = database.tables<ExportTables>()
  const row = {
    organization_id: claim.organizationId,
    key: claim.key,
    request_hash: claim.requestHash,
    export_id: claim.exportId,
    created_at: claim.now,
  }
  const written = await tables
    .insertInto('export_idempotency')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'key'])
        .doUpdateSet({ request_hash: row.request_hash, export_id: row.export_id, created_at: row.created_at })
        .where('export_idempotency.created_at', '<=', claim.now - idempotencyMs),
    )
    .returning('export_id')
    .executeTakeFirst()
  if (written) return { type: 'new' }
  const earlier = await tables
    .selectFrom('export_idempotency')
    .select(['export_id', 'request_hash'])
    .where('organization_id', '=', claim.organizationId)
    .where('key', '=', claim.key)
    .executeTakeFirstOrThrow()
  return earlier.request_hash === claim.requestHash
    ? { type: 'repeat', exportId: earlier.export_id }
    : { type: 'mismatch' }
}

export async function readExport(database: Database, id: string): Promise<Export | undefined> {
  const row = await database
    .tables<ExportTables>()
    .selectFrom('exports')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toExport(row)
}

/** The newest first; `before` is the last one of the page before. */
export async function listExports(
  database: Database,
  list: {
    organizationId: string
    limit: number
    before?: { createdAt: number; id: string }
    siteId?: string
    status?: ExportStatus
  },
): Promise<Export[]> {
  const { before } = list
  let query = database
    .tables<ExportTables>()
    .selectFrom('exports')
    .selectAll()
    .where('organization_id', '=', list.organizationId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(list.limit)
  if (list.siteId !== undefined) query = query.where('site_id', '=', list.siteId)
  if (list.status !== undefined) query = query.where('status', '=', list.status)
  if (before) {
    query = query.where((where) =>
      where.or([
        where('created_at', '<', before.createdAt),
        where.and([where('created_at', '=', before.createdAt), where('id', '<', before.id)]),
      ]),
    )
  }
  return (await query.execute()).map(toExport)
}

/** Takes the export for a worker; false where it is final or a later attempt has it. */
export async function beginExport(
  database: Database,
  begin: { id: string; attempt: number; pagesTotal: number; now: number },
): Promise<boolean> {
  const result = await database
    .tables<ExportTables>()
    .updateTable('exports')
    .set({ status: 'running', attempt: begin.attempt, pages_total: begin.pagesTotal, updated_at: begin.now })
    .where('id', '=', begin.id)
    .where('status', 'in', ['queued', 'running'])
    .where('attempt', '<', begin.attempt)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Progress and page count only grow, whichever attempt reports them. False where the export is no longer this attempt's. */
export async function recordProgress(
  database: Database,
  step: { id: string; attempt: number; progress: number; pageCount: number; now: number },
): Promise<boolean> {
  const result = await database
    .tables<ExportTables>()
    .updateTable('exports')
    .set({
      progress: sql<number>`case when progress < ${step.progress} then ${step.progress} else progress end`,
      page_count: sql<number>`case when page_count < ${step.pageCount} then ${step.pageCount} else page_count end`,
      updated_at: step.now,
    })
    .where('id', '=', step.id)
    .where('status', '=', 'running')
    .where('attempt', '=', step.attempt)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export type CompletedExport = {
  id: string
  attempt: number
  archive: { key: string; sha256: string; sizeBytes: number; digest: string }
  pageCount: number
  failedPages: FailedPage[]
  warnings: string[]
  now: number
}

export async function completeExport(database: Database, done: CompletedExport): Promise<boolean> {
  const result = await database
    .tables<ExportTables>()
    .updateTable('exports')
    .set({
      status: 'completed',
      progress: 100,
      page_count: done.pageCount,
      pages_total: done.pageCount,
      archive_key: done.archive.key,
      archive_sha256: done.archive.sha256,
      archive_bytes: done.archive.sizeBytes,
      archive_digest: done.archive.digest,
      failed_pages: JSON.stringify(done.failedPages),
      warnings: JSON.stringify(done.warnings),
      updated_at: done.now,
    })
    .where('id', '=', done.id)
    .where('status', '=', 'running')
    .where('attempt', '=', done.attempt)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export type FailedExport = {
  id: string
  /** Absent for a cancellation, which wins over whoever works on it. */
  attempt?: number
  error: string
  code: string
  failedPages?: FailedPage[]
  now: number
}

export async function failExport(database: Database, failed: FailedExport): Promise<boolean> {
  let update = database
    .tables<ExportTables>()
    .updateTable('exports')
    .set({
      status: 'failed',
      error: failed.error,
      code: failed.code,
      updated_at: failed.now,
      ...(failed.failedPages ? { failed_pages: JSON.stringify(failed.failedPages) } : {}),
    })
    .where('id', '=', failed.id)
    .where('status', 'in', ['queued', 'running'])
  if (failed.attempt !== undefined) update = update.where('attempt', '<=', failed.attempt)
  return (await update.executeTakeFirst()).numUpdatedRows === 1n
}

/** From now on the export has no bundle to give. */
export async function markRevoked(database: Database, id: string, now: number): Promise<void> {
  await database
    .tables<ExportTables>()
    .updateTable('exports')
    .set({ revoked_at: now, updated_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Whether an export that was not revoked still needs the archive under this key. */
export async function exportsNeedKey(database: Database, key: string): Promise<boolean> {
  const row = await database
    .tables<ExportTables>()
    .selectFrom('exports')
    .select('id')
    .where('archive_key', '=', key)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function moveExportsToKey(database: Database, from: string, to: string): Promise<void> {
  await database
    .tables<ExportTables>()
    .updateTable('exports')
    .set({ archive_key: to })
    .where('archive_key', '=', from)
    .where('revoked_at', 'is', null)
    .execute()
}

export function exportView(job: Export): ExportView {
  return {
    jobId: job.id,
    status: job.status,
    progress: job.progress,
    pageCount: job.pageCount,
    pagesTotal: job.pagesTotal,
    domain: job.domain,
    version: job.version,
    createdAt: new Date(job.createdAt).toISOString(),
    updatedAt: new Date(job.updatedAt).toISOString(),
    error: job.error,
    code: job.code,
    failedPages: job.failedPages,
    warnings: job.warnings,
    bundleRevokedAt: job.revokedAt === null ? null : new Date(job.revokedAt).toISOString(),
  }
}

function toExport(row: ExportTables['exports']): Export {
  const archive =
    row.archive_key === null
      ? null
      : {
          key: row.archive_key,
          sha256: row.archive_sha256!,
          sizeBytes: row.archive_bytes!,
          digest: row.archive_digest!,
        }
  return {
    id: row.id,
    organizationId: row.organization_id,
    siteId: row.site_id,
    domain: row.domain,
    releaseId: row.release_id,
    version: row.version,
    paths: row.paths === null ? null : (JSON.parse(row.paths) as string[]),
    strict: row.strict === 1,
    status: row.status as ExportStatus,
    attempt: row.attempt,
    progress: row.progress,
    pageCount: row.page_count,
    pagesTotal: row.pages_total,
    archive,
    revokedAt: row.revoked_at,
    error: row.error,
    code: row.code,
    failedPages: JSON.parse(row.failed_pages) as FailedPage[],
    warnings: JSON.parse(row.warnings) as string[],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** Forgets final exports that ended before a moment, and idempotency keys that no longer hold. */
export async function forgetExports(
  database: Database,
  rule: { endedBefore: number; now: number },
): Promise<number> {
  const tables = database.tables<ExportTables>()
  const result = await tables
    .deleteFrom('exports')
    .where('status', 'in', ['completed', 'failed'])
    .where('updated_at', '<', rule.endedBefore)
    .executeTakeFirst()
  await tables
    .deleteFrom('export_idempotency')
    .where('created_at', '<=', rule.now - idempotencyMs)
    .execute()
  return Number(result.numDeletedRows)
}

/** What the exports that are kept still need: objects and releases. */
export async function exportNeeds(database: Database): Promise<{ keys: Set<string>; releases: Set<string> }> {
  const rows = await database
    .tables<ExportTables>()
    .selectFrom('exports')
    .select(['archive_key', 'revoked_at', 'release_id'])
    .execute()
  return {
    keys: new Set(
      rows.flatMap((row) => (row.archive_key === null || row.revoked_at !== null ? [] : [row.archive_key])),
    ),
    releases: new Set(rows.map((row) => row.release_id)),
  }
}
