import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import type { Database, Migration } from './database.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open-database.ts'

/** Runs one test on a fresh SQLite file and again on a fresh schema of a real PostgreSQL, where one is given. */
export function testOnEveryEngine(
  name: string,
  migrations: Migration[],
  body: (database: Database, context: TestContext) => Promise<void>,
): void {
  test(`${name} (SQLite)`, async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-sqlite-'))
    const database = await openDatabase(join(folder, 'quire.sqlite'))
    context.after(async () => {
      await database.close()
      await rm(folder, { recursive: true, force: true })
    })
    await migrate(database, migrations, 0)
    await body(database, context)
  })
  const address = process.env.QUIRE_TEST_POSTGRES_URL
  const skip = address ? false : 'QUIRE_TEST_POSTGRES_URL names no PostgreSQL'
  test(`${name} (PostgreSQL)`, { skip }, async (context) => {
    const own = await freshPostgres(address!)
    const database = await openDatabase(own.address)
    context.after(async () => {
      await database.close()
      await own.drop()
    })
    await migrate(database, migrations, 0)
    await body(database, context)
  })
}

/** A database of its own on the given server, so that tests never meet. */
export async function freshPostgres(server: string): Promise<{ address: string; drop(): Promise<void> }> {
  const name = `quire_test_${randomBytes(6).toString('hex')}`
  await administer(server, `create database ${name}`)
  const address = new URL(server)
  address.pathname = `/${name}`
  return {
    address: address.href,
    drop: () => administer(server, `drop database if exists ${name} with (force)`),
  }
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
