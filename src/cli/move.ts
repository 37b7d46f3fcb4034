import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openDatabase, openObjectStore } from '../backends/index.ts'
import { lockDataFolder, moveInstallation } from '../server/index.ts'
import { readArguments, UsageError } from './command.ts'

const help = `quire move: copy an installation to other backends, and prove the copy

  quire move --from <data folder> --to-database postgres://… --to-objects s3://bucket/prefix?endpoint=…
  quire move --from-database postgres://… --from-objects s3://… --to <data folder>

Rows are compared by count and digest, objects by size and digest. The source is only read; stop its servers first. The
target must be empty. Credentials for S3 come from the environment. Example:

  quire move --from ./.quire --to-database postgres://quire@db/quire --to-objects s3://quire-objects
`

export const moveCommand = { name: 'move', summary: 'copy an installation to other backends', help, run }

async function run(args: string[]): Promise<number> {
  const { values } = readArguments(args, {
    from: { type: 'string' },
    'from-database': { type: 'string' },
    'from-objects': { type: 'string' },
    to: { type: 'string' },
    'to-database': { type: 'string' },
    'to-objects': { type: 'string' },
  })
  const source = place('from', values.from, values['from-database'], values['from-objects'])
  const target = place('to', values.to, values['to-database'], values['to-objects'])
  if (source.folder && !existsSync(source.database)) {
    throw new UsageError(
      `There is no Quire installation in ${source.folder}. Name its data folder with --from.`,
    )
  }
  const locks = [source, target].flatMap(({ folder }) => (folder ? [lockDataFolder(folder)] : []))
  try {
    const [from, to] = [await open(source), await open(target)]
    const report = await moveInstallation({
      from,
      to,
      now: Date.now(),
      onProgress: (line) => process.stdout.write(`${line}\n`),
    })
    const rows = Object.values(report.rows).reduce((sum, count) => sum + count, 0)
    process.stdout.write(
      `Moved ${rows} rows and ${report.objects} objects (${(report.bytes / 1e6).toFixed(1)} MB); the copy is the same.\n`,
    )
    for (const { database, objects } of [from, to]) {
      await objects.close()
      await database.close()
    }
    return 0
  } finally {
    for (const lock of locks) lock.release()
  }
}

type Place = { folder: string | undefined; database: string; objects: string }

function place(
  side: 'from' | 'to',
  data: string | undefined,
  database: string | undefined,
  objects: string | undefined,
): Place {
  if (data && !database && !objects) {
    const folder = resolve(data)
    return { folder, database: join(folder, 'quire.sqlite'), objects: join(folder, 'objects') }
  }
  if (!data && database && objects) return { folder: undefined, database, objects }
  throw new UsageError(
    `Give either --${side} <data folder>, or both --${side}-database and --${side}-objects.`,
  )
}

async function open({ database, objects }: Place) {
  return {
    database: await openDatabase(database),
    objects: await openObjectStore({
      address: objects,
      publicUrl: () => 'http://localhost',
      environment: process.env,
      nowMs: Date.now(),
    }),
  }
}
