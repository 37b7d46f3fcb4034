import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { SiteSettings } from '../bundle/index.ts'
import type { Answer, Question } from './bundle-server.ts'
import { openFastLane } from './fast-lane.ts'
import { HostDeployment, type HostEvent } from './host-deployment.ts'
import { HostMetrics } from './host-metrics.ts'
import { type HostSettings, siteSettingsOf } from './host-settings.ts'
import { plainPage } from './plain-page.ts'
import { securityHeaders } from './security-headers.ts'

/** Answers what the static files cannot; true when it took the request. Paths come without the base path. */
export type HostRoute = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<boolean>

export type RunningHost = {
  address: { host: string; port: number }
  deployment: HostDeployment
  /** Fetches now, whatever the polling says. */
  check(): Promise<void>
  /** Stops accepting, lets running answers end for the given time, and closes. */
  stop(): Promise<void>
}

/** The self-hosted deployment: serves the copy it has at once, and takes in the configured bundle beside it. */
export async function startHost(input: {
  settings: HostSettings
  now: () => number
  log: (level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>) => void
  routes?: (deployment: HostDeployment) => HostRoute[]
}): Promise<RunningHost> {
  const { settings, log } = input
  const metrics = new HostMetrics()
  const stopping = new AbortController()
  const deployment = new HostDeployment({
    settings: settings.staticExport,
    data: settings.data,
    now: input.now,
    onEvent: (event) => {
      metrics.record(event)
      logEvent(event, log)
    },
  })
  if (settings.staticExport.enabled) await deployment.start()
  const handler = new HostHandler({
    settings,
    siteSettings: siteSettingsOf(settings),
    deployment,
    metrics,
    isStopping: () => stopping.signal.aborted,
    routes: input.routes?.(deployment) ?? [],
    log,
  })
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 60_000 }, (request, response) =>
    handler.handle(request, response),
  )
  const fastLane = openFastLane({
    server,
    answer: (path, question, isSecure) => handler.answerPlain(path, question, isSecure),
    onAnswer: (status) => metrics.count(status),
  })
  const address = await listenOn(server, settings.server)
  const work = settings.staticExport.enabled
    ? keepFresh(deployment, settings, stopping.signal)
    : Promise.resolve()
  return {
    address,
    deployment,
    check: () => deployment.check(stopping.signal),
    async stop() {
      stopping.abort()
      fastLane.close()
      await drain(server, settings.server.drainSeconds * 1000)
      await work
    },
  }
}

async function keepFresh(
  deployment: HostDeployment,
  settings: HostSettings,
  signal: AbortSignal,
): Promise<void> {
  const hadCopy = deployment.live !== undefined
  await deployment.check(signal)
  if (hadCopy && !(await deployment.verifyLive())) await deployment.check(signal)
  const { pollSeconds } = settings.staticExport
  let failures = 0
  while (!signal.aborted) {
    // Without a bundle there is nothing to lose by trying again soon; with one, only polling asks for more.
    failures = deployment.status.fresh ? 0 : failures + 1
    const retrySeconds = Math.min(60, 2 ** failures)
    const waitSeconds = pollSeconds ?? (deployment.live === undefined ? retrySeconds : undefined)
    if (waitSeconds === undefined) return
    await delay(waitSeconds * 1000, undefined, { signal, ref: false }).catch(() => {})
    if (!signal.aborted) await deployment.check(signal)
  }
}

class HostHandler {
  #settings: HostSettings
  #siteSettings: SiteSettings
  #deployment: HostDeployment
  #metrics: HostMetrics
  #isStopping: () => boolean
  #routes: HostRoute[]
  #log: (level: 'error', message: string, details?: Record<string, unknown>) => void

  constructor(input: {
    settings: HostSettings
    siteSettings: SiteSettings
    deployment: HostDeployment
    metrics: HostMetrics
    isStopping: () => boolean
    routes: HostRoute[]
    log: (level: 'error', message: string, details?: Record<string, unknown>) => void
  }) {
    this.#settings = input.settings
    this.#siteSettings = input.siteSettings
    this.#deployment = input.deployment
    this.#metrics = input.metrics
    this.#isStopping = input.isStopping
    this.#routes = input.routes
    this.#log = input.log
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isStopping()) response.setHeader('Connection', 'close')
    this.#answer(request, response)
      .catch((error: unknown) => {
        this.#log('error', 'A request failed.', {
          error: error instanceof Error ? error.message : String(error),
        })
        if (response.headersSent) response.destroy()
        else
          this.#sendPage(
            response,
            500,
            'Something went wrong',
            'This page could not be read. The log says more.',
          )
      })
      .finally(() => this.#metrics.count(response.statusCode))
  }

  /** Files of the live bundle, for the fast lane; undefined for everything else. */
  answerPlain(full: string, question: Question, isSecure: boolean): Answer | Promise<Answer> | undefined {
    const live = this.#deployment.live
    const { basePath } = this.#settings.server
    if (live === undefined || !this.#settings.staticExport.enabled || this.#isStopping()) return undefined
    if (operatorPaths.has(full) || (basePath !== '' && !full.startsWith(`${basePath}/`))) return undefined
    const path = full.slice(basePath.length)
    if (path.startsWith('/discovery/') || path === '/mcp') return undefined
    return live.server.answer(question, isSecure ? this.#secureOptions(path) : this.#plainOptions(path))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? '/'
    const query = url.indexOf('?')
    const full = query === -1 ? url : url.slice(0, query)
    const live = this.#deployment.live
    if (operatorPaths.has(full) && !this.#isPage(request, full)) return this.#answerOperator(full, response)
    const { basePath } = this.#settings.server
    if (!this.#settings.staticExport.enabled) {
      return this.#sendPage(
        response,
        200,
        'Documentation is switched off',
        'The setting staticExport.enabled is false.',
      )
    }
    if (live === undefined) {
      response.setHeader('Retry-After', '5')
      return this.#sendPage(
        response,
        503,
        'Documentation is on its way',
        'The bundle could not be fetched yet. Try again soon.',
      )
    }
    if (basePath !== '' && full !== basePath && !full.startsWith(`${basePath}/`)) {
      if (full === '/') {
        response.writeHead(307, ['Location', `${basePath}/`, 'Content-Length', '0']).end()
        return
      }
      return this.#sendPage(response, 404, 'Page not found', 'There is no page at this address.')
    }
    if (basePath !== '' && full === basePath) {
      response.writeHead(308, ['Location', `${basePath}/`, 'Content-Length', '0']).end()
      return
    }
    const path = full.slice(basePath.length)
    if (this.#routes.length > 0) {
      for (const route of this.#routes) if (await route(request, response, path)) return
    }
    const isSecure = request.headers['x-forwarded-proto'] === 'https'
    await live.server.handle(
      request,
      response,
      isSecure ? this.#secureOptions(path) : this.#plainOptions(path),
    )
  }

  #plainOptions(path: string) {
    return {
      path,
      basePath: this.#settings.server.basePath,
      settings: this.#siteSettings,
      customScripts: this.#settings.server.customScripts,
      previous: this.#deployment.live?.previous ?? [],
    }
  }

  #secureOptions(path: string) {
    return { ...this.#plainOptions(path), secure: true }
  }

  /** A page of the documentation that has one of our names is shown to browsers. */
  #isPage(request: IncomingMessage, path: string): boolean {
    const live = this.#deployment.live
    if (live?.server.find(`${path.slice(1)}.html`) === undefined) return false
    return this.#settings.server.basePath === '' && (request.headers.accept ?? '').includes('text/html')
  }

  #answerOperator(path: string, response: ServerResponse): void {
    if (path === '/metrics') {
      const text = this.#metrics.expose(this.#deployment.status)
      send(response, 200, 'text/plain; version=0.0.4; charset=utf-8', text)
    } else if (path === '/healthz') {
      send(response, 200, 'application/json', '{"status":"ok"}\n')
    } else {
      const ready = this.#readiness()
      send(response, ready.status === 'ready' ? 200 : 503, 'application/json', `${JSON.stringify(ready)}\n`)
    }
  }

  #readiness() {
    const { live, fresh, reason, checkedAt } = this.#deployment.status
    if (this.#isStopping()) return { status: 'not_ready', reason: 'The process is stopping.' }
    if (!this.#settings.staticExport.enabled)
      return { status: 'ready', reason: 'staticExport.enabled is false.' }
    if (live === undefined) return { status: 'not_ready', reason }
    return {
      status: 'ready',
      serving: fresh ? 'fetched bundle' : 'local copy',
      ...(reason === undefined ? {} : { reason }),
      version: live.label ?? live.id,
      id: live.id,
      sha256: live.sha256,
      pageCount: live.pageCount,
      fetchedAt: new Date(live.fetchedAt).toISOString(),
      ...(checkedAt === undefined ? {} : { checkedAt: new Date(checkedAt).toISOString() }),
    }
  }

  #sendPage(response: ServerResponse, status: number, title: string, text: string): void {
    const body = plainPage({ title, text })
    response.writeHead(status, [
      ...securityHeaders('page', { settings: this.#siteSettings }),
      'Content-Type',
      'text/html; charset=utf-8',
      'Cache-Control',
      'no-store',
      'Content-Length',
      String(Buffer.byteLength(body)),
    ])
    response.end(body)
  }
}

function logEvent(
  event: HostEvent,
  log: (level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>) => void,
): void {
  const { type } = event
  if (type === 'fetch-failed') {
    log('warn', `The bundle could not be taken in. ${event.reason}`)
    return
  }
  const { version } = event
  const details = { id: version.id, pages: version.pageCount }
  if (type === 'switched')
    log('info', `Serving version ${version.label ?? version.id}.`, { ...details, from: event.from })
  if (type === 'unchanged') log('info', 'The bundle is unchanged.', details)
  if (type === 'refused') log('error', `A version on the disk is not served. ${event.reason}`, details)
  if (type === 'damaged') log('error', `A version on the disk is damaged. ${event.reason}`, details)
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, {
    'Content-Type': contentType,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}

async function listenOn(
  server: Server,
  at: { host: string; port: number },
): Promise<{ host: string; port: number }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at.port, at.host, () => resolve())
  })
  return { host: at.host, port: (server.address() as AddressInfo).port }
}

async function drain(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const idle = setInterval(() => server.closeIdleConnections(), 50) // Those that end their answer meanwhile go too.
  const timer = setTimeout(() => server.closeAllConnections(), withinMs)
  await closed
  clearInterval(idle)
  clearTimeout(timer)
}

const operatorPaths = new Set(['/healthz', '/readyz', '/metrics'])
