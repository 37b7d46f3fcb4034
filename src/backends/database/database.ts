import type { Kysely } from 'kysely'

export type Engine = 'sqlite' | 'postgres'

/** The database as the stores see it: the same queries on both engines. */
export type Database = {
  engine: Engine
  /** Typed access to the tables that a capability owns. */
  tables<Tables>(): Kysely<Tables>
  /** Everything inside happens, or nothing of it. */
  transaction<Result>(work: (database: Database) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** A step of the schema, applied once and never changed afterwards; steps only add, so that an older Quire still runs. */
export type Migration = { name: string; up(database: Database): Promise<void> }

/** A `Database` over any kysely instance. */
export function databaseOver<Tables>(kysely: Kysely<Tables>, engine: Engine): Database {
  return {
    engine,
    tables: <Own>() => kysely as object as Kysely<Own>,
    transaction: (work) => kysely.transaction().execute((inner) => work(databaseInside(inner, engine))),
    close: () => kysely.destroy(),
  }
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
