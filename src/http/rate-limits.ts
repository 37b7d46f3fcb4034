import { sql } from 'kysely'
import type { Database, Migration } from '../backends/index.ts'
import { ApiError } from './api-error.ts'

/** `limit` requests in `windowSeconds`, counted from the first request of the window. */
export type RateLimit = { name: string; subject: string; limit: number; windowSeconds: number }

export type RateLimitState = RateLimit & { remaining: number; resetSeconds: number }

type RateLimitTables = { rate_limits: { key: string; window_ends_at: number; count: number } }

export const rateLimitMigrations: Migration[] = [
  {
    name: 'http-001-rate-limits',
    up: async (database) => {
      await database
        .tables<RateLimitTables>()
        .schema.createTable('rate_limits')
        .addColumn('key', 'text', (column) => column.primaryKey())
        .addColumn('window_ends_at', 'bigint', (column) => column.notNull())
        .addColumn('count', 'integer', (column) => column.notNull())
        .execute()
    },
  },
]

/**
 * Counts one request against all given limits at once, exactly, however many nodes share the database.
 * A refused request is counted nowhere; it throws the 429 that says when to come back.
 */
export async function countRequest(input: {
  database: Database
  limits: RateLimit[]
  now: number
}): Promise<RateLimitState[]> {
  const { database, limits, now } = input
  const count = async (inside: Database) => {
    const states: RateLimitState[] = []
    for (const limit of limits) {
      const state = await countOne(inside, limit, now)
      if (!state) throw await refusal(inside, limit, now)
      states.push(state)
    }
    return states
  }
  return database.transaction(count, { mayBeLost: true }) // No request waits for the disk only to be counted.
}

/** The headers of draft-ietf-httpapi-ratelimit-headers for the given states. */
export function rateLimitHeaders(states: RateLimitState[]): Record<string, string> {
  return {
    'ratelimit-policy': states
      .map((state) => `"${state.name}";q=${state.limit};w=${state.windowSeconds}`)
      .join(', '),
    ratelimit: states
      .map((state) => `"${state.name}";r=${state.remaining};t=${state.resetSeconds}`)
      .join(', '),
  }
}

/** Forgets windows that are over; a row costs little, so it is enough to call this now and then. */
export async function forgetOldWindows(input: { database: Database; now: number }): Promise<void> {
  await input.database
    .tables<RateLimitTables>()
    .deleteFrom('rate_limits')
    .where('window_ends_at', '<=', input.now)
    .execute()
}

async function countOne(
  database: Database,
  limit: RateLimit,
  now: number,
): Promise<RateLimitState | undefined> {
  const row = await database
    .tables<RateLimitTables>()
    .insertInto('rate_limits')
    .values({ key: keyOf(limit), window_ends_at: now + limit.windowSeconds * 1000, count: 1 })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          count: sql<number>`case when rate_limits.window_ends_at <= ${now} then 1 else rate_limits.count + 1 end`,
          window_ends_at: sql<number>`case when rate_limits.window_ends_at <= ${now} then excluded.window_ends_at else rate_limits.window_ends_at end`,
        })
        .where((where) =>
          where.or([
            where('rate_limits.window_ends_at', '<=', now),
            where('rate_limits.count', '<', limit.limit),
          ]),
        ),
    )
    .returning(['count', 'window_ends_at'])
    .executeTakeFirst()
  if (!row) return undefined
  return {
    ...limit,
    remaining: Math.max(0, limit.limit - row.count),
    resetSeconds: secondsUntil(row.window_ends_at, now),
  }
}

async function refusal(database: Database, limit: RateLimit, now: number): Promise<ApiError> {
  const row = await database
    .tables<RateLimitTables>()
    .selectFrom('rate_limits')
    .select('window_ends_at')
    .where('key', '=', keyOf(limit))
    .executeTakeFirst()
  const resetSeconds = secondsUntil(row?.window_ends_at ?? now, now)
  return new ApiError(
    429,
    'rate_limited',
    `The limit of ${limit.limit} requests in ${limit.windowSeconds} seconds per ${limit.name} is used up. Try again in ${resetSeconds} seconds.`,
    {
      headers: {
        'retry-after': String(resetSeconds),
        ...rateLimitHeaders([{ ...limit, remaining: 0, resetSeconds }]),
      },
    },
  )
}

const keyOf = (limit: RateLimit) => `${limit.name}:${limit.subject}`
const secondsUntil = (time: number, now: number) => Math.max(1, Math.ceil((time - now) / 1000))
