import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Database } from '../backends/index.ts'
import { openSettingsDatabase, readSettings } from '../server/index.ts'
import { listOrganizations, type Organization } from '../sites/index.ts'
import { UsageError } from './command.ts'

/** The flags by which a command finds the installation it works on. */
export const installationFlags = {
  data: { type: 'string' },
  'database-url': { type: 'string' },
  config: { type: 'string' },
  org: { type: 'string' },
} as const

export const installationHelp = `  --data           the server's data folder, ./.quire by default; the server may be running
  --database-url   its PostgreSQL, where it has one; also QUIRE_DATABASE_URL
  --config         its settings file`

type Values = { data?: string | undefined; 'database-url'?: string | undefined; config?: string | undefined }

/** Opens the installation's own database: these commands are for whoever runs the server, and need no key. */
export async function withInstallation<Result>(
  values: Values,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const settings = readSettings({
    flags: { data: values.data, databaseUrl: values['database-url'], config: values.config },
    environment: { ...process.env, QUIRE_OBJECTS: process.env.QUIRE_OBJECTS ?? 'unused' },
  })
  if (!settings.databaseUrl && !existsSync(join(resolve(settings.data), 'quire.sqlite'))) {
    throw new UsageError(
      `There is no Quire installation in ${resolve(settings.data)}. Start one with quire start, or name its folder with --data.`,
    )
  }
  const database = await openSettingsDatabase(settings, Date.now())
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** The organization that --org names, or the only one there is. */
export async function chooseOrganization(
  database: Database,
  wanted: string | undefined,
): Promise<Organization> {
  const organizations = await listOrganizations(database)
  const names = organizations.map(({ id, name }) => `${id} (${name})`).join(', ')
  if (wanted === undefined) {
    if (organizations.length === 1) return organizations[0]!
    throw new UsageError(`Say which organization with --org. There are: ${names || 'none yet'}.`)
  }
  const found = organizations.find(({ id, name }) => id === wanted || name === wanted)
  if (found) return found
  throw new UsageError(`There is no organization ${wanted}. There are: ${names || 'none yet'}.`)
}

/** Rows as columns of even width. */
export function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
