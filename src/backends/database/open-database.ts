import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { type Database, databaseOver } from './database.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { withoutNul } from './without-nul.ts'

/** Opens `postgres://…` as PostgreSQL and anything else as a SQLite file, which is made where it is missing. */
export async function openDatabase(address: string): Promise<Database> {
  return /^postgres(ql)?:\/\//.test(address) ? openPostgres(address) : openSqlite(address)
}

async function openSqlite(file: string): Promise<Database> {
  mkdirSync(dirname(file), { recursive: true })
  const database = databaseOver(new Kysely({ dialect: sqliteDialect(file) }), 'sqlite')
  await database.transaction(async () => {}) // A file that is no database is found out now, not at the first request.
  return database
}

async function openPostgres(address: string): Promise<Database> {
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number) // Times in milliseconds and counts fit a double exactly.
  const pool = new pg.Pool({
    connectionString: address,
    types,
    max: 10,
    application_name: 'quire',
    // A node that freezes inside a transaction would hold its rows from all others for as long as it is frozen.
    idle_in_transaction_session_timeout: 10_000,
  })
  pool.on('connect', (client) => client.on('error', () => {})) // One that breaks while it is used fails the query, not the process.
  pool.on('error', () => {}) // An idle connection that breaks is replaced at the next query, which reports what remains wrong.
  const { rows } = await pool.query<{ server_version_num: string }>('show server_version_num')
  const version = Math.floor(Number(rows[0]?.server_version_num) / 10_000)
  if (version < 15) {
    await pool.end()
    throw new Error(
      `Quire needs PostgreSQL 15 or newer; this server is version ${version}. Upgrade it and start again.`,
    )
  }
  return databaseOver(
    new Kysely({ dialect: new PostgresDialect({ pool }), plugins: [withoutNul()] }),
    'postgres',
  )
}
