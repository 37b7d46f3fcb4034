import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { type Database, migrate, type ObjectStore } from '../backends/index.ts'
import { allMigrations } from './open-node.ts'

/** Tables in the order in which their rows may be written, each with the columns that order them. */
const tables: Record<string, string[]> = {
  organizations: ['id'],
  sites: ['id'],
  site_hosts: ['host'],
  keys: ['id'],
  releases: ['id'],
  revoked_bundles: ['key'],
  page_feedback: ['site_id', 'path', 'day', 'value'],
  exports: ['id'],
  export_idempotency: ['organization_id', 'key'],
  webhooks: ['id'],
  webhook_deliveries: ['id'],
  assistant_threads: ['id'],
  assistant_messages: ['id'],
  assistant_tokens: ['organization_id', 'day'],
  jobs: ['id'],
  rate_limits: ['key'],
}

export type MoveReport = { rows: Record<string, number>; objects: number; bytes: number }

type Installation = { database: Database; objects: ObjectStore }

/** An installation whose target is not empty, or whose copy is not the same. */
export class MoveError extends Error {
  override name = 'UsageError'
}

/**
 * Copies an installation to other backends and proves the copy: the same rows by count and digest, the same objects by
 * size and digest. The source is only read. Run it while no server writes to the source.
 */
export async function moveInstallation(input: {
  from: Installation
  to: Installation
  now: number
  onProgress?(line: string): void
}): Promise<MoveReport> {
  const { from, to, onProgress = () => {} } = input
  await migrate(to.database, allMigrations, input.now)
  const names = await tableNames(from.database)
  await requireEmpty(to.database, names)
  const rows: Record<string, number> = {}
  for (const name of names) {
    rows[name] = await copyTable(from.database, to.database, name)
    onProgress(`${name}: ${rows[name]} rows`)
  }
  const copied = await copyObjects(from.objects, to.objects, onProgress)
  for (const name of names) {
    const [source, target] = await Promise.all([
      digestTable(from.database, name),
      digestTable(to.database, name),
    ])
    if (source !== target)
      throw new MoveError(
        `The copy of the table ${name} differs from its source. Empty the target and try again.`,
      )
  }
  return { rows, ...copied }
}

type AnyTables = Record<string, Record<string, unknown>>

const open = (database: Database): Kysely<AnyTables> => database.tables<AnyTables>()

/** A table that this list forgets would be lost in silence, so it is refused instead. */
async function tableNames(database: Database): Promise<string[]> {
  const all = (await open(database).introspection.getTables()).map((table) => table.name)
  const forgotten = all.filter((name) => !(name in tables) && name !== 'quire_migrations')
  if (forgotten.length > 0)
    throw new MoveError(`This Quire cannot move the tables ${forgotten.join(', ')}. Use the newest version.`)
  return Object.keys(tables)
}

async function requireEmpty(database: Database, names: string[]): Promise<void> {
  for (const name of names) {
    if (await open(database).selectFrom(name).selectAll().limit(1).executeTakeFirst()) {
      throw new MoveError(`The target database is not empty (${name} has rows). Name an empty one.`)
    }
  }
}

const pageSize = 500

async function* readTable(database: Database, name: string): AsyncGenerator<Record<string, unknown>[]> {
  for (let offset = 0; ; offset += pageSize) {
    let query = open(database).selectFrom(name).selectAll().limit(pageSize).offset(offset)
    for (const column of tables[name]!) query = query.orderBy(collated(database, column))
    const page = await query.execute()
    if (page.length > 0) yield page
    if (page.length < pageSize) return
  }
}

/** Both engines must walk through a table in the same order, whatever the language of the database. */
const collated = (database: Database, column: string) =>
  database.engine === 'postgres'
    ? sql`${sql.ref(column)}::text collate "C"`
    : sql`cast(${sql.ref(column)} as text)`

async function copyTable(from: Database, to: Database, name: string): Promise<number> {
  let count = 0
  for await (const page of readTable(from, name)) {
    for (let start = 0; start < page.length; start += 50) {
      await open(to)
        .insertInto(name)
        .values(page.slice(start, start + 50))
        .execute()
    }
    count += page.length
  }
  return count
}

async function digestTable(database: Database, name: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const page of readTable(database, name)) {
    for (const row of page)
      hash.update(JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1))))
  }
  return hash.digest('hex')
}

async function copyObjects(
  from: ObjectStore,
  to: ObjectStore,
  onProgress: (line: string) => void,
): Promise<{ objects: number; bytes: number }> {
  let objects = 0
  let bytes = 0
  for await (const { key, sizeBytes } of from.list('')) {
    const source = await from.get(key)
    if (!source) continue
    const digest = createHash('sha256')
    const read = source.stream.map((chunk: Uint8Array) => {
      digest.update(chunk)
      return chunk
    })
    const put = await to.put(key, read, { contentType: source.contentType })
    if (put.sizeBytes !== sizeBytes || put.sha256 !== digest.digest('hex')) {
      throw new MoveError(`The object ${key} arrived changed. Check the target store and try again.`)
    }
    objects += 1
    bytes += sizeBytes
    if (objects % 100 === 0) onProgress(`${objects} objects`)
  }
  return { objects, bytes }
}
