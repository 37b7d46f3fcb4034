import { type Kysely, sql } from 'kysely'

export type Engine = 'sqlite' | 'postgres'

/** The database as the stores see it: the same queries on both engines. */
export type Database = {
  engine: Engine
  /** Typed access to the tables that a capability owns. */
  tables<Tables>(): Kysely<Tables>
  /** Everything inside happens, or nothing of it. */
  transaction<Result>(
    work: (database: Database) => Promise<Result>,
    options?: {
      /** Does not wait for the disk: a power cut may undo it, whole. For counters that nobody would miss. */
      mayBeLost?: boolean
    },
  ): Promise<Result>
  close(): Promise<void>
}

/** A step of the schema, applied once and never changed afterwards; steps only add, so that an older Quire still runs. */
export type Migration = { name: string; up(database: Database): Promise<void> }

/** A `Database` over any kysely instance. */
export function databaseOver<Tables>(kysely: Kysely<Tables>, engine: Engine): Database {
  return {
    engine,
    tables: <Own>() => kysely as object as Kysely<Own>,
    transaction: (work, { mayBeLost = false } = {}) => {
      const run = (on: Kysely<Tables>) =>
        on.transaction().execute(async (inner) => {
          if (mayBeLost && engine === 'postgres') await sql`set local synchronous_commit = off`.execute(inner)
          return work(databaseInside(inner, engine))
        })
      return mayBeLost && engine === 'sqlite' ? withoutWaiting(kysely, run) : run(kysely)
    },
    close: () => kysely.destroy(),
  }
}

/** SQLite knows this of a connection only, and not within a transaction. */
function withoutWaiting<Tables, Result>(
  kysely: Kysely<Tables>,
  run: (on: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  return kysely.connection().execute(async (connection) => {
    await sql`pragma synchronous = normal`.execute(connection)
    try {
      return await run(connection)
    } finally {
      await sql`pragma synchronous = full`.execute(connection)
    }
  })
}

/** Inside a transaction a further `transaction` joins the running one. */
function databaseInside<Tables>(kysely: Kysely<Tables>, engine: Engine): Database {
  const inside: Database = {
    ...databaseOver(kysely, engine),
    transaction: (work) => work(inside),
    close: async () => {},
  }
  return inside
}
