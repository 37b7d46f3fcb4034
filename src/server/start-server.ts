import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Logger, pino } from 'pino'
import type { Database } from '../backends/index.ts'
import { folderSpecCache, specFetcher } from '../compiler/index.ts'
import {
  exportHandler,
  exportJobKind,
  type SendRequest,
  webhookHandler,
  webhookJobKind,
} from '../exports/index.ts'
import { guardedFetch } from '../http/index.ts'
import { endAllLeases, type Job, type JobRunner, startJobRunner } from '../jobs/index.ts'
import { publishHandler, publishJobKind, type Release, type Site } from '../sites/index.ts'
import { buildApp } from './build-app.ts'
import { checkpointOf } from './checkpoint.ts'
import { cleanUp, trimCache } from './clean-up.ts'
import { lockDataFolder } from './data-lock.ts'
import { type FirstStart, prepareFirstStart, siteForFolder } from './first-start.ts'
import { type Node, openNode } from './open-node.ts'
import { type Settings, SettingsError } from './settings.ts'
import { type DocsFolder, holdsDocs, publishFolder, watchFolder } from './watch-docs.ts'

export type RunningServer = {
  /** Where the server answers, such as http://127.0.0.1:4000. */
  url: string
  /** The keys of the very first start; undefined at every later one. */
  first: FirstStart | undefined
  /** Resolves when everything that is published at start is live, with the verdict on each folder. */
  published: Promise<Release[]>
  stop(): Promise<void>
}

export type StartOptions = {
  settings: Settings
  environment: Record<string, string | undefined>
  /** The example docs that the first start publishes where no other folder is named. */
  exampleDocs: string
  clock?: () => number
  /** Called after each publication of a watched folder. */
  onPublished?: (site: Site, release: Release) => void
  log?: (line: string) => void
}

/** One node: opens its backends, begins to listen and to work, and stops in good order. */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const { settings, environment, clock = Date.now } = options
  const logger = pino({ level: settings.logLevel })
  const embedded = settings.databaseUrl === undefined
  const lock = embedded ? lockDataFolder(resolve(settings.data)) : undefined
  let url = settings.publicUrl?.replace(/\/+$/, '') ?? `http://${settings.host}:${settings.port}`
  const publicUrl = () => url
  const warn = (message: string) => logger.warn(message)
  const node = await openNode({ settings, environment, publicUrl, clock, warn })
  if (embedded) await endAllLeases(node.database, clock()) // The lock proves that whoever held them is gone.
  const first = await prepareFirstStart(node.database, { domain: settings.site ?? 'docs', now: clock() })

  const health = { stopping: false }
  const runner =
    settings.role === 'api' ? undefined : startWorker({ node, settings, environment, clock, logger })
  const wake = () => runner?.wake()
  const app = await buildApp({ node, settings, publicUrl, clock, wake, health, logger })
  try {
    await app.listen({ host: settings.host, port: settings.port, backlog: connectionsWaiting })
  } catch (error) {
    await runner?.stop()
    await node.close()
    lock?.release()
    throw explainListenError(error, settings)
  }
  const bound = app.server.address()
  const port = typeof bound === 'object' && bound ? bound.port : settings.port
  if (!settings.publicUrl) url = `http://${urlHost(settings.host)}:${port}`

  const leaving = new AbortController()
  const watchers: { close(): void }[] = []
  const published = publishAtStart({
    ...options,
    node,
    wake,
    clock,
    first,
    signal: leaving.signal,
    watchers,
    logger,
  })
  const clean = async (): Promise<void> => {
    const retention = {
      exportDays: settings.keepExportDays,
      releasesPerSite: settings.keepReleases,
      threadDays: settings.keepThreadDays,
    }
    await cleanUp({ ...node, retention, now: clock() })
    await trimCache(join(resolve(settings.data), 'cache'), { unusedDays: 30, now: clock() })
  }
  const cleaning = setInterval(() => {
    clean().catch((error) => logger.warn({ err: error }, 'clean-up failed'))
  }, 3_600_000)
  cleaning.unref()

  return {
    url,
    first,
    published,
    stop: async () => {
      health.stopping = true
      clearInterval(cleaning)
      leaving.abort(new Error('The node is shutting down.'))
      for (const watcher of watchers) watcher.close()
      const released = runner?.stop()
      if (!embedded && settings.role !== 'worker')
        await pause(Math.min(noticeMs, settings.drainSeconds * 1000))
      const drained = app.close()
      const bounded = new Promise<void>((done) => setTimeout(done, settings.drainSeconds * 1000).unref())
      await released
      await Promise.race([drained, bounded])
      app.server.closeAllConnections()
      await drained
      await published.catch(() => {})
      await node.close()
      lock?.release()
    },
  }
}

/** A thousand readers may come in the same instant; the system has its own limit, and refuses whoever does not fit. */
const connectionsWaiting = 4096

/** How long one of several nodes still takes requests while /readyz says that it leaves, so that a balancer loses none. */
const noticeMs = 2_000

function startWorker(input: {
  node: Node
  settings: Settings
  environment: Record<string, string | undefined>
  clock: () => number
  logger: Logger
}): JobRunner {
  const { node, settings, clock, logger } = input
  const checkpoint = checkpointOf(input.environment)
  const fetchSpec = specFetcher({ cache: folderSpecCache(join(resolve(settings.data), 'cache', 'specs')) })
  const work = { ...node, fetchSpec, clock }
  const common = {
    database: node.database,
    worker: `${hostname()}-${process.pid}`,
    now: sharedTime(node.database, clock),
    onError: (error: unknown, job?: Job) => logger.error({ err: error, job }, 'job failed'),
    pollMs: node.database.engine === 'postgres' ? 500 : 1_000,
    ...(checkpoint ? { checkpoint } : {}),
  }
  const runners = [
    startJobRunner({
      ...common,
      handlers: { [publishJobKind]: publishHandler(work), [exportJobKind]: exportHandler(work) },
      concurrency: settings.jobs,
    }),
    startJobRunner({
      ...common,
      handlers: { [webhookJobKind]: webhookHandler({ database: node.database, clock, send: sendPublic }) },
      concurrency: webhooksAtOnce, // Places of their own, so that an address that answers slowly holds up no export.
    }),
  ]
  return {
    wake: () => {
      for (const runner of runners) runner.wake()
    },
    stop: async () => void (await Promise.all(runners.map((runner) => runner.stop()))),
  }
}

const webhooksAtOnce = 4

const sendPublic: SendRequest = (address, { headers, body }) =>
  guardedFetch(address, { method: 'POST', headers, body, maximumRedirects: 0, maximumBytes: 64 * 1024 })

/** Several nodes go by the database's clock; one goes by its own as it stood at the start, so that moving it moves no lease. */
function sharedTime(database: Database, clock: () => number): () => Promise<number> {
  if (database.engine === 'sqlite') {
    const offsetMs = clock() - performance.now()
    return async () => Math.floor(offsetMs + performance.now())
  }
  return async () => {
    const { rows } = await sql<{
      now: number
    }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(database.tables())
    return rows[0]!.now
  }
}

async function publishAtStart(
  input: StartOptions & {
    node: Node
    wake: () => void
    clock: () => number
    first: FirstStart | undefined
    signal: AbortSignal
    watchers: { close(): void }[]
    logger: Logger
  },
): Promise<Release[]> {
  const { node, settings, clock, wake, first, signal } = input
  const folder = settings.docs ? resolve(settings.docs) : first ? input.exampleDocs : undefined
  if (folder === undefined || settings.role === 'worker') return []
  if (!(await holdsDocs(folder))) {
    throw new SettingsError(
      `${folder} is no docs project: it has no docs.json. Name a folder that has one with --docs.`,
    )
  }
  const domain = settings.site ?? 'docs'
  const site =
    first?.site.domain === domain ? first.site : await siteForFolder(node.database, { domain, now: clock() })
  const docs: DocsFolder = { ...node, site, folder, clock, wake, signal }
  const release = await publishFolder(docs)
  if (settings.docs) {
    input.watchers.push(
      watchFolder(docs, {
        published: (next) => input.onPublished?.(site, next),
        failed: (error) => input.logger.error({ err: error }, 'publishing the watched folder failed'),
      }),
    )
  }
  return [release]
}

function explainListenError(error: unknown, { host, port }: Settings): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new SettingsError(`Port ${port} is taken. Choose another one with --port.`)
  if (code === 'EACCES')
    return new SettingsError(`Port ${port} may not be used by this user. Choose one above 1023 with --port.`)
  if (code === 'EADDRNOTAVAIL')
    return new SettingsError(`${host} is no address of this machine. Choose one with --host.`)
  return error
}

const urlHost = (host: string) => (host === '0.0.0.0' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host)
