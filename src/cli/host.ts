import { mkdir, readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import type { HostDeployment, HostRoute, HostSettings, RunningHost } from '../hosting/index.ts'

const help = `quire host: serve a bundle on a machine of your own

  quire host --config host.yaml [--host 0.0.0.0] [--port 8080] [--data ./.quire-host]
                                [--key public.pem] [--signature bundle.sig] [--minimum-version 2026-11-01]
  quire host rollback --config host.yaml [--to 2026-11-01]
  quire host versions --config host.yaml

host.yaml:

  deployment: client-hosted            # or air-gapped
  staticExport:
    enabled: true
    bundleUrl: "https://docs.example.com/bundle.tar.gz?…"   # also file:// and a plain path
    version: "2026-11-01"              # optional: the name of this version
    sha256: "…"                        # optional: the archive must have this digest
    signature:                         # optional: serve only what is signed, as quire verify tests it
      key: ./docs-signing.pub.pem      # the public key, or where it lies (--key)
      url: "https://…/bundle.tar.gz.sig"   # where the signature is; beside the bundle by default (--signature)
      minimumVersion: "2026-11-01"     # refuse what was signed as an older version (--minimum-version)
    pollSeconds: 300                   # optional: look for a new bundle this often
    keepVersions: 3                    # for rollback
    refresh:                           # optional: ask a Quire server for a fresh link
      server: "https://quire.example.com"
      adminKey: "\${QUIRE_ADMIN_KEY}"
      jobId: "se_0123456789abcdef"     # or domain: the newest finished export of a site
  features:
    search: true                       # answered here; or { endpoint, key }; or false: inside the bundle
    assistant:                         # true: quotes the pages; or { endpoint, key }; or false
      model: { url: "http://127.0.0.1:11434/v1", name: qwen3 }   # or name: "openai:gpt-5-mini", key
    playground: true
  server: { host: 0.0.0.0, port: 8080, basePath: "" }
  data: ./.quire-host

Example:

  quire host --config examples/host/host.yaml --port 8080

The process answers /healthz, /readyz (which says why when an older copy is served) and /metrics.
`

export const hostCommand = {
  name: 'host',
  summary: 'serve a bundle on a machine of your own',
  help,
  run,
}

async function run(args: string[]): Promise<number> {
  // Answers live for a moment only: room to grow would cost memory and save nothing. Set before anything else loads.
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=15')
  const hosting = await import('../hosting/index.ts')
  try {
    return await runCommand(args, hosting)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const place = error instanceof hosting.SettingsError ? 'The settings are wrong:\n' : ''
    process.stderr.write(`${place}${error.message}\n`)
    return 1
  }
}

type Hosting = typeof import('../hosting/index.ts')

async function runCommand(args: string[], hosting: Hosting): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      config: { type: 'string' },
      host: { type: 'string' },
      port: { type: 'string' },
      data: { type: 'string' },
      key: { type: 'string' },
      signature: { type: 'string' },
      'minimum-version': { type: 'string' },
      to: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  if (values.config === undefined) throw new Error('Give --config host.yaml. See quire host --help.')
  const settings = await loadSettings(values.config, values, hosting)
  const [subcommand] = positionals
  switch (subcommand) {
    case undefined:
      return serve(settings, hosting)
    case 'rollback':
      return rollback(settings, values.to, hosting)
    case 'versions':
      return listVersions(settings, hosting)
    default:
      throw new Error(`quire host has no subcommand ${subcommand}. Allowed: rollback, versions.`)
  }
}

type Flags = {
  [name in 'host' | 'port' | 'data' | 'key' | 'signature' | 'minimum-version']?: string | undefined
}

async function loadSettings(
  file: string,
  flags: Flags,
  { readHostSettings, SettingsError }: Hosting,
): Promise<HostSettings> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`There is no settings file ${file}.`)
  })
  const settings = readHostSettings(text, process.env)
  if (flags.port !== undefined && !/^\d{1,5}$/.test(flags.port)) {
    throw new SettingsError(`--port is ${flags.port}. Allowed: a number from 0 to 65535.`)
  }
  const home = dirname(resolve(file))
  const { bundleUrl } = settings.staticExport
  return {
    ...settings,
    staticExport: {
      ...settings.staticExport,
      bundleUrl: bundleUrl === undefined ? undefined : fromHome(bundleUrl, home),
      signature: await loadSignature(settings.staticExport.signature, flags, home),
    },
    server: {
      ...settings.server,
      host: flags.host ?? settings.server.host,
      port: flags.port === undefined ? settings.server.port : Number(flags.port),
    },
    data: flags.data === undefined ? resolve(home, settings.data) : resolve(flags.data),
  }
}

type Signature = HostSettings['staticExport']['signature']

/** What the flags say wins; a path in the file is meant from where the file lies, one on the command line from here. */
async function loadSignature(written: Signature, flags: Flags, home: string): Promise<Signature> {
  const key = flags.key === undefined ? written && fromHome(written.key, home) : resolve(flags.key)
  const url = flags.signature ?? (written?.url && fromHome(written.url, home))
  const minimumVersion = flags['minimum-version'] ?? written?.minimumVersion
  if (key === undefined) {
    if (url === undefined && minimumVersion === undefined) return undefined
    throw new Error('A version is worth as much as its signature: give the public key with --key.')
  }
  const isKey = key.includes('-----BEGIN')
  const text = isKey
    ? key
    : await readFile(key, 'utf8').catch(() => {
        throw new Error(`There is no key file ${key}.`)
      })
  return { key: text, url, minimumVersion }
}

const fromHome = (address: string, home: string): string =>
  /^[a-z][a-z0-9+.-]+:\/\//i.test(address) || address.includes('-----BEGIN')
    ? address
    : resolve(home, address)

async function serve(settings: HostSettings, hosting: Hosting): Promise<number> {
  const { openControl, startHost } = hosting
  const told = new Promise<void>((done) => {
    process.once('SIGTERM', () => done())
    process.once('SIGINT', () => done())
  })
  await mkdir(settings.data, { recursive: true })
  let running: RunningHost | undefined
  const control = await openControl({
    data: settings.data,
    rollback: (to) => {
      if (running === undefined) throw new Error('The process is still starting.')
      return running.deployment.rollback(to)
    },
  })
  let answers: LazyAnswers | undefined
  running = await startHost({
    settings,
    now: Date.now,
    log,
    routes: (deployment) => {
      answers = lazyAnswers(settings, deployment, hosting)
      return answers === undefined ? [] : [answers.route]
    },
  })
  const { host, port } = running.address
  const shownHost =
    host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  process.stdout.write(`Serving http://${shownHost}:${port}${settings.server.basePath}/\n`)
  answers?.open().catch((error) => log('error', `Search and assistant cannot answer: ${error}`)) // Pages are served.
  await told
  await running.stop()
  await answers?.close()
  await control.close()
  return 0
}

type LazyAnswers = { route: HostRoute; open(): Promise<unknown>; close(): Promise<void> }

/** Search and assistant are loaded when the pages are being served already, and only where this process answers them. */
function lazyAnswers(
  settings: HostSettings,
  deployment: HostDeployment,
  { answeredHere }: Hosting,
): LazyAnswers | undefined {
  const here = answeredHere(settings)
  const kinds = [...(here.search ? ['search', 'page'] : []), ...(here.assistant ? ['assistant'] : [])]
  if (kinds.length === 0) return undefined
  const paths = new RegExp(`^/discovery/v[12]/(${kinds.join('|')})/`)
  const load = async () => {
    const { openHostAnswers } = await import('./host-answers.ts')
    return openHostAnswers({ settings, deployment, now: Date.now, log })
  }
  let opened: ReturnType<typeof load> | undefined
  const open = () => {
    opened ??= load()
    return opened
  }
  return {
    open,
    route: async (request, response, path) => {
      if (!paths.test(path) && !(here.search && path === '/mcp' && isMcp(request, deployment))) return false
      const answers = await open()
      await answers.handle(request, response, path)
      return true
    },
    close: async () => (await opened?.catch(() => undefined))?.close(),
  }
}

/** A page may be called `mcp` too, and is read with GET. */
function isMcp({ method, headers }: IncomingMessage, { live }: HostDeployment): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || headers.accept?.includes('text/event-stream')) return true
  return ['mcp.html', 'mcp/index.html'].every((file) => live?.server.find(file) === undefined)
}

function log(level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...details })}\n`)
}

async function rollback(
  settings: HostSettings,
  to: string | undefined,
  { requestRollback, rollbackOffline }: Hosting,
): Promise<number> {
  const version =
    (await requestRollback(settings.data, to)) ??
    (await rollbackOffline({ data: settings.data, now: Date.now(), ...(to === undefined ? {} : { to }) }))
  process.stdout.write(
    `Serving version ${version.label ?? version.id} (${version.name}, ${version.pageCount} pages).\n`,
  )
  return 0
}

async function listVersions(settings: HostSettings, { HostVersions }: Hosting): Promise<number> {
  const versions = new HostVersions(settings.data)
  const { live } = await versions.readState()
  for (const version of await versions.list()) {
    const mark = version.id === live ? '*' : ' '
    const when = new Date(version.fetchedAt).toISOString()
    process.stdout.write(
      `${mark} ${version.label ?? version.id}  ${when}  ${version.pageCount} pages  ${version.sha256}\n`,
    )
  }
  return 0
}
