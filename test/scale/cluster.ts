import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { runPostgres, startPostgres } from '../../scripts/services/postgres.ts'
import { endService } from '../../scripts/services/service.ts'
import { freshS3Objects, s3TestServer } from '../../src/backends/testing.ts'
import { type Ground, Installation, postgresCompletions } from '../chaos/installation.ts'
import { type NodeProcess, startNode } from '../chaos/node-process.ts'
import { type Balancer, startBalancer, startWire, type Wire } from './proxies.ts'

export type Role = 'api' | 'worker'

/** Several nodes behind a balancer, on a PostgreSQL of their own and an S3 server at the end of a wire. */
export type Cluster = {
  /** Asks through the balancer. */
  installation: Installation
  balancer: Balancer
  objects: Wire
  nodes: Map<string, { role: Role; process: NodeProcess }>
  add(name: string, role: Role): Promise<void>
  /** Ends a node without warning. */
  kill(name: string): Promise<void>
  /** Ends a node in good order. */
  stop(name: string): Promise<void>
  restartPostgres(): Promise<void>
  close(): Promise<void>
}

/** A reason why there can be no cluster here, or undefined. */
export const noCluster = (): string | undefined =>
  process.env.QUIRE_TEST_POSTGRES_URL && s3TestServer()
    ? undefined
    : 'QUIRE_TEST_POSTGRES_URL and QUIRE_TEST_S3 name no servers'

export async function startCluster(settings: Record<string, string>): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-scale-'))
  const postgresFolder = await mkdtemp(join(tmpdir(), 'quire-scale-postgres-'))
  await chmod(postgresFolder, 0o755) // The database runs as a user of its own.
  let postgres = await startPostgres(postgresFolder)
  const database = postgres.environment.QUIRE_TEST_POSTGRES_URL!
  const s3 = s3TestServer()!
  const endpoint = new URL(s3.endpoint)
  const objects = await startWire({ host: endpoint.hostname, port: Number(endpoint.port) })
  const store = freshS3Objects({ ...s3, endpoint: `http://127.0.0.1:${objects.port}` })
  const balancer = await startBalancer()
  const environment = {
    ...store.environment,
    ...settings,
    QUIRE_DATABASE_URL: database,
    QUIRE_OBJECTS: store.address,
    QUIRE_PUBLIC_URL: balancer.url,
    QUIRE_TRUSTED_PROXIES: '1',
  }
  const ground: Ground = {
    name: 'a cluster',
    environment,
    data: folder,
    completions: () => postgresCompletions(database),
    integrity: async () => 'ok',
    remove: () => rm(folder, { recursive: true, force: true }),
  }
  const installation = new Installation(ground)
  const nodes: Cluster['nodes'] = new Map()
  const end = async (name: string, how: 'kill' | 'stop'): Promise<void> => {
    const node = nodes.get(name)!
    nodes.delete(name)
    await node.process[how]()
    balancer.nodes.delete(name)
  }
  return {
    installation,
    balancer,
    objects,
    nodes,
    add: async (name, role) => {
      const data = join(folder, name)
      await mkdir(data, { recursive: true })
      const port = String(await ownPort())
      const { node, keys } = await startNode({ data, environment, flags: ['--role', role, '--port', port] })
      installation.keys ??= keys
      installation.node = { ...node, url: balancer.url }
      nodes.set(name, { role, process: node })
      if (role === 'api') balancer.nodes.set(name, `http://127.0.0.1:${port}`)
    },
    kill: (name) => end(name, 'kill'),
    stop: (name) => end(name, 'stop'),
    restartPostgres: async () => {
      const port = Number(new URL(database).port)
      for (const pid of postgres.pids) {
        process.kill(pid, 'SIGINT')
        while (isRunning(pid)) await pause(50)
      }
      postgres = await runPostgres(postgresFolder, port)
    },
    close: async () => {
      for (const { process: node } of nodes.values()) await node.kill()
      await balancer.close()
      await objects.close()
      await endService(postgresFolder)
      await ground.remove()
    },
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A port that was free a moment ago; the balancer must know where a node listens behind the public address. */
async function ownPort(): Promise<number> {
  const { createServer } = await import('node:net')
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
