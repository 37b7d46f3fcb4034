import { execFileSync } from 'node:child_process'
import { chownSync, globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { needPackages } from './debian-packages.ts'
import { asUser, freePort, type Service, startProgram, systemUser, untilReady } from './service.ts'

/** A PostgreSQL with an empty data folder, for 127.0.0.1 alone. */
export async function startPostgres(folder: string): Promise<Service> {
  needPackages(['postgresql'])
  const user = systemUser('postgres')
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  chownSync(data, user.uid, user.gid)
  execFileSync(
    join(programFolder(), 'initdb'),
    ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync', '-D', data],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      cwd: '/',
      ...asUser(user),
    },
  )
  return runPostgres(folder, await freePort())
}

/** Starts the server of a folder that has its data, as after a restart of the machine. */
export async function runPostgres(folder: string, port: number): Promise<Service> {
  const data = join(folder, 'data')
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: data,
    max_connections: 200,
    fsync: 'off',
  }
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const program = join(programFolder(), 'postgres')
  const { pid } = startProgram(folder, systemUser('postgres'), program, ['-D', data, ...words])
  const address = `postgres://postgres@127.0.0.1:${port}/postgres`
  await untilReady('PostgreSQL', folder, async () => {
    const client = new pg.Client({ connectionString: address })
    await client.connect()
    await client.end()
  })
  return { pids: [pid], environment: { QUIRE_TEST_POSTGRES_URL: address } }
}

function programFolder(): string {
  const found = globSync('/usr/lib/postgresql/*/bin').sort().at(-1)
  if (found === undefined)
    throw new Error('The package postgresql brought no server below /usr/lib/postgresql.')
  return found
}
