import { sql } from 'kysely'
import type { Database, Migration } from './database.ts'

type MigrationTables = { quire_migrations: { name: string; applied_at: number } }

/** Applies what is missing, in order and in one transaction; several nodes may call it at once. Names those it applied. */
export async function migrate(database: Database, migrations: Migration[], now: number): Promise<string[]> {
  return database.transaction(async (inside) => {
    const tables = inside.tables<MigrationTables>()
    if (inside.engine === 'postgres') await sql`select pg_advisory_xact_lock(7186533)`.execute(tables)
    await tables.schema
      .createTable('quire_migrations')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute()
    const rows = await tables.selectFrom('quire_migrations').select('name').execute()
    const applied = new Set(rows.map((row) => row.name))
    const missing = migrations.filter((migration) => !applied.has(migration.name))
    for (const migration of missing) {
      await migration.up(inside)
      await tables.insertInto('quire_migrations').values({ name: migration.name, applied_at: now }).execute()
    }
    return missing.map((migration) => migration.name)
  })
}
