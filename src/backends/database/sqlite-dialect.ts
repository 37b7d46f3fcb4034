import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

/** Node's own SQLite as a kysely dialect: one connection, handed to one user at a time so that transactions never mix. */
export function sqliteDialect(file: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(file),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class SqliteDriver implements Driver {
  readonly #file: string
  readonly #waiting: (() => void)[] = []
  #connection: SqliteConnection | undefined
  #busy = false

  constructor(file: string) {
    this.#file = file
  }

  async init(): Promise<void> {
    const database = new DatabaseSync(this.#file)
    database.exec('pragma busy_timeout = 5000')
    database.exec('pragma journal_mode = wal')
    database.exec('pragma synchronous = full') // An acknowledged write survives a power cut.
    database.exec('pragma foreign_keys = on')
    this.#connection = new SqliteConnection(database)
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    while (this.#busy) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#busy = true
    return this.#connection!
  }

  async releaseConnection(): Promise<void> {
    this.#busy = false
    this.#waiting.shift()?.()
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async destroy(): Promise<void> {
    this.#connection?.close()
  }
}

const statementsKept = 300

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#prepare(query.sql)
    const parameters = query.parameters.map(toSqlite)
    if (statement.columns().length > 0) {
      return { rows: statement.all(...parameters).map((row) => ({ ...row })) as Row[] } // Rows arrive without a prototype.
    }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Quire reads SQLite in pages, not in streams.')
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    if (this.#statements.size >= statementsKept) this.#statements.clear()
    this.#statements.set(sql, statement)
    return statement
  }
}

function toSqlite(value: unknown): SQLInputValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`A value of type ${typeof value} cannot be stored; turn it into text first.`)
}
