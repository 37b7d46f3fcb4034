import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Database, Migration } from './database.ts'
import { migrate } from './migrate.ts'
import { testOnEveryEngine } from './testing.ts'

type Tables = { notes: { id: string; body: string; written_at: number } }

const notes: Migration = {
  name: '001-notes',
  up: async (database) => {
    await database
      .tables<Tables>()
      .schema.createTable('notes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('written_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}

const write = (database: Database, id: string) =>
  database
    .tables<Tables>()
    .insertInto('notes')
    .values({ id, body: 'text', written_at: 1_800_000_000_123 })
    .execute()
const ids = async (database: Database) =>
  (await database.tables<Tables>().selectFrom('notes').select('id').orderBy('id').execute()).map(
    (row) => row.id,
  )

testOnEveryEngine('applies each migration once', [notes], async (database) => {
  assert.deepEqual(await migrate(database, [notes], 1), [])
  const again: Migration = { name: '002-more', up: async () => {} }
  assert.deepEqual(await migrate(database, [notes, again], 1), ['002-more'])
})

testOnEveryEngine('gives times in milliseconds back as numbers', [notes], async (database) => {
  await write(database, 'a')
  const row = await database.tables<Tables>().selectFrom('notes').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual(row, { id: 'a', body: 'text', written_at: 1_800_000_000_123 })
})

testOnEveryEngine('undoes a transaction that throws', [notes], async (database) => {
  await assert.rejects(
    database.transaction(async (inside) => {
      await write(inside, 'a')
      throw new Error('changed my mind')
    }),
    /changed my mind/,
  )
  assert.deepEqual(await ids(database), [])
})

testOnEveryEngine('keeps statements of others out of a running transaction', [notes], async (database) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const failing = database.transaction(async (inside) => {
    await write(inside, 'inside')
    await held
    throw new Error('undone')
  })
  const outside = write(database, 'outside')
  release()
  await assert.rejects(failing, /undone/)
  await outside
  assert.deepEqual(await ids(database), ['outside'])
})

testOnEveryEngine('joins a transaction inside a transaction', [notes], async (database) => {
  await assert.rejects(
    database.transaction(async (outer) => {
      await outer.transaction((inner) => write(inner, 'a').then(() => {}))
      throw new Error('undone')
    }),
  )
  assert.deepEqual(await ids(database), [])
})

testOnEveryEngine('takes any text that a caller may send', [notes], async (database) => {
  const body = 'lone \ud800 surrogate, NUL \u0000, emoji 🚀'
  await database
    .tables<Tables>()
    .insertInto('notes')
    .values({ id: 'a\u0000b', body, written_at: 1 })
    .execute()
  const row = await database
    .tables<Tables>()
    .selectFrom('notes')
    .select('body')
    .where('id', 'in', ['a\u0000b', 'c\u0000'])
    .executeTakeFirstOrThrow()
  assert.match(row.body, /emoji 🚀$/)
})

testOnEveryEngine(
  'a transaction that may be lost is still whole, and those after it wait for the disk again',
  [notes],
  async (database) => {
    const mayBeLost = { mayBeLost: true }
    const durability = async () => {
      const { rows } =
        database.engine === 'sqlite'
          ? await sql<{ level: unknown }>`select synchronous as level from pragma_synchronous`.execute(
              database.tables(),
            )
          : await sql<{ level: unknown }>`select current_setting('synchronous_commit') as level`.execute(
              database.tables(),
            )
      return rows
    }
    const before = await durability()
    await database.transaction((inside) => write(inside, 'a').then(() => {}), mayBeLost)
    await assert.rejects(
      database.transaction(async (inside) => {
        await write(inside, 'b')
        throw new Error('stop')
      }, mayBeLost),
      /stop/,
    )
    await Promise.all([
      database.transaction((inside) => write(inside, 'c').then(() => {}), mayBeLost),
      database.transaction((inside) => write(inside, 'd').then(() => {})),
    ])
    assert.deepEqual(await ids(database), ['a', 'c', 'd'])
    assert.deepEqual(await durability(), before)
  },
)
