import { sql } from 'kysely'
import type { Database, Migration } from '../backends/index.ts'

/** A piece of work to be done once. `attempt` is the fencing token: it grows with each claim, and only the newest counts. */
export type Job = {
  id: string
  kind: string
  /** The id of the row that the work is about; that row, not the job, is the truth. */
  subject: string
  organizationId: string
  attempt: number
  /** Attempts in a row that failed with a word, without getting further than before. */
  failures: number
  /** Attempts in a row that ended without a word, their worker having died, without getting further than before. */
  deaths: number
  /** How far any attempt has come, in the work's own count. */
  reached: number
  createdAt: number
}

type JobTables = {
  jobs: {
    id: string
    kind: string
    subject: string
    organization_id: string
    attempt: number
    failures: number
    deaths: number
    reached: number
    run_after: number
    worker: string | null
    lease_ends_at: number | null
    created_at: number
  }
}

export const jobMigrations: Migration[] = [
  {
    name: 'jobs-001-queue',
    up: async (database) => {
      const { schema } = database.tables<JobTables>()
      await schema
        .createTable('jobs')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('subject', 'text', (column) => column.notNull())
        .addColumn('organization_id', 'text', (column) => column.notNull())
        .addColumn('attempt', 'integer', (column) => column.notNull())
        .addColumn('failures', 'integer', (column) => column.notNull())
        .addColumn('run_after', 'bigint', (column) => column.notNull())
        .addColumn('worker', 'text')
        .addColumn('lease_ends_at', 'bigint')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute()
      await schema
        .createIndex('jobs_by_organization')
        .on('jobs')
        .columns(['organization_id', 'worker'])
        .execute()
    },
  },
  {
    name: 'jobs-002-deaths',
    up: async (database) => {
      const { schema } = database.tables<JobTables>()
      for (const name of ['deaths', 'reached']) {
        await schema
          .alterTable('jobs')
          .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
          .execute()
      }
    },
  },
]

/** Adds a job; call it in the transaction that writes the subject's row, so that neither is ever without the other. */
export async function enqueueJob(
  database: Database,
  job: { id: string; kind: string; subject: string; organizationId: string; now: number },
): Promise<void> {
  await database
    .tables<JobTables>()
    .insertInto('jobs')
    .values({
      id: job.id,
      kind: job.kind,
      subject: job.subject,
      organization_id: job.organizationId,
      attempt: 0,
      failures: 0,
      deaths: 0,
      reached: 0,
      run_after: 0, // At once: whoever asks may have another clock than whoever works.
      worker: null,
      lease_ends_at: null,
      created_at: job.now,
    })
    .execute()
}

export type Claim = { worker: string; kinds: string[]; now: number; leaseMs: number; except: string[] }

/** Takes the next job that nobody holds. Organizations take turns: who has the fewest running comes first. */
export async function claimJob(database: Database, claim: Claim): Promise<Job | undefined> {
  if (claim.kinds.length === 0) return undefined
  return database.transaction(async (inside) => {
    const tables = inside.tables<JobTables>()
    const running = sql<number>`(select count(*) from jobs as other where other.organization_id = jobs.organization_id and other.worker is not null and other.lease_ends_at > ${claim.now})`
    let candidates = tables
      .selectFrom('jobs')
      .select(['id', 'attempt', 'lease_ends_at'])
      .where('kind', 'in', claim.kinds)
      .where('run_after', '<=', claim.now)
      .where((where) =>
        where.or([where('lease_ends_at', 'is', null), where('lease_ends_at', '<=', claim.now)]),
      )
      .orderBy(running)
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
    if (claim.except.length > 0) candidates = candidates.where('id', 'not in', claim.except)
    if (inside.engine === 'postgres') candidates = candidates.forUpdate().skipLocked()
    const next = await candidates.executeTakeFirst()
    if (!next) return undefined
    const row = await tables
      .updateTable('jobs')
      .set({
        worker: claim.worker,
        lease_ends_at: claim.now + claim.leaseMs,
        attempt: next.attempt + 1,
        deaths: sql`deaths + ${next.lease_ends_at === null ? 0 : 1}`, // Whoever held it before died holding it.
      })
      .where('id', '=', next.id)
      .where('attempt', '=', next.attempt)
      .returningAll()
      .executeTakeFirst()
    return row && toJob(row)
  })
}

/** Keeps a job for longer. False when another has taken it over: then stop working on it. */
export async function extendLease(
  database: Database,
  job: Job,
  lease: { now: number; leaseMs: number; reached: number },
): Promise<boolean> {
  const further = (counter: 'failures' | 'deaths') =>
    sql<number>`case when reached < ${lease.reached} then 0 else ${sql.ref(counter)} end`
  const result = await database
    .tables<JobTables>()
    .updateTable('jobs')
    .set({
      lease_ends_at: lease.now + lease.leaseMs,
      failures: further('failures'),
      deaths: further('deaths'),
      reached: sql<number>`case when reached < ${lease.reached} then ${lease.reached} else reached end`,
    })
    .where('id', '=', job.id)
    .where('attempt', '=', job.attempt)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Removes a job that is done, unless another has taken it over. */
export async function finishJob(database: Database, job: Job): Promise<void> {
  await database
    .tables<JobTables>()
    .deleteFrom('jobs')
    .where('id', '=', job.id)
    .where('attempt', '=', job.attempt)
    .execute()
}

/** Gives a job back, to be claimed again at `runAfter`. */
export async function releaseJob(
  database: Database,
  job: Job,
  release: { runAfter: number; failed: boolean },
): Promise<void> {
  await database
    .tables<JobTables>()
    .updateTable('jobs')
    .set({
      worker: null,
      lease_ends_at: null,
      run_after: release.runAfter,
      ...(release.failed ? { failures: sql<number>`failures + 1` } : {}),
    })
    .where('id', '=', job.id)
    .where('attempt', '=', job.attempt)
    .execute()
}

/**
 * Ends all leases and pauses at once: right only where no other process can be alive, as on an embedded data folder at its
 * start. Pauses end too, because the clock may stand a day before the one that they were reckoned with.
 */
export async function endAllLeases(database: Database, now: number): Promise<number> {
  const tables = database.tables<JobTables>()
  await tables.updateTable('jobs').set({ run_after: now }).where('run_after', '>', now).execute()
  const result = await tables
    .updateTable('jobs')
    .set({ lease_ends_at: now })
    .where('lease_ends_at', '>', now)
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}

/** Forgets the job about a subject, wherever it stands. */
export async function cancelJobsOf(database: Database, subject: string): Promise<void> {
  await database.tables<JobTables>().deleteFrom('jobs').where('subject', '=', subject).execute()
}

function toJob(row: JobTables['jobs']): Job {
  return {
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    organizationId: row.organization_id,
    attempt: row.attempt,
    failures: row.failures,
    deaths: row.deaths,
    reached: row.reached,
    createdAt: row.created_at,
  }
}
