import { type FSWatcher, watch } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  FolderWriter,
  PackStore,
  type SiteSettings,
  settingsFile,
  settingsScript,
  standaloneSettings,
} from '../bundle/index.ts'
import { CompileError, type CompileOptions, compileSite, type Problem } from '../compiler/index.ts'
import { type BundleServer, openBundleServer, plainPage } from '../hosting/index.ts'
import { previewScript } from './preview-script.ts'

export type Build = { pageCount: number; problems: Problem[]; failed: boolean; ms: number }

export type Preview = {
  url: string
  /** The first build, which the pages wait for. */
  built: Promise<Build>
  stop(): Promise<void>
}

const quietMs = 30
const settings: SiteSettings = { ...standaloneSettings, playground: { type: 'on' } }

/** Shows a docs folder while it is being written: each save is built beside the pages shown, and open pages follow. */
export async function previewFolder(input: {
  folder: string
  host: string
  port: number
  cache: string
  fetchSpec: NonNullable<CompileOptions['fetchSpec']>
  onBuild(build: Build): void
}): Promise<Preview> {
  const work = await mkdtemp(join(tmpdir(), 'quire-preview-'))
  const readers = new Set<ServerResponse>()
  let site: BundleServer | undefined
  let shown: FolderWriter | undefined
  let problems: Problem[] = []
  let builds = 0

  /** Tells `onShown` as soon as pages can be read; the search of the new pages follows. */
  const build: BuildWork = async (signal, onShown) => {
    const started = performance.now()
    builds += 1
    const ended = (result: Omit<Build, 'ms'>) => {
      problems = result.problems
      for (const reader of readers) reader.write(`event: built\ndata: ${builds}\n\n`)
      const done = { ...result, ms: performance.now() - started }
      input.onBuild(done)
      onShown(done)
    }
    const members = new PackStore(join(input.cache, 'members'))
    const bundle = new FolderWriter(join(work, `build-${builds}`), members, shown)
    try {
      await compileSite({
        source: input.folder,
        into: bundle,
        cache: input.cache,
        fetchSpec: input.fetchSpec,
        signal,
        onReadable: async ({ pageCount, problems }) => {
          const before = site?.folder
          site = await openBundleServer({ folder: bundle.folder })
          shown = bundle
          if (before) setTimeout(() => void rm(before, { recursive: true, force: true }), 5_000).unref()
          ended({ pageCount, problems, failed: false })
        },
        ...(builds > 1 ? { workers: 0 } : {}), // After a save few pages are new: starting threads would cost more.
      })
      site = await openBundleServer({ folder: bundle.folder }) // With the search.
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof CompileError)) throw error
      ended({ pageCount: 0, problems: error.problems, failed: true }) // The pages of the build before stay.
    } finally {
      members.close()
    }
  }

  const server = createServer(async (request, response) => {
    const path = (request.url ?? '/').split('?')[0]!
    if (path === '/_quire/preview-events') return listen(response, readers)
    if (path === '/_quire/preview-problems')
      return sendText(response, 'application/json', JSON.stringify(problems))
    if (path === `/${settingsFile}`)
      return sendText(response, 'text/javascript', settingsScript(settings) + previewScript)
    if (site) return site.handle(request, response, { path, basePath: '', settings })
    response.writeHead(503, { 'content-type': 'text/html; charset=utf-8', refresh: '1' })
    response.end(
      plainPage({
        title: 'Building',
        text: 'The first build is on its way, or docs.json has a mistake: see the terminal.',
      }),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(input.port, input.host, resolve)
  })
  const watcher = rebuildOnChange(input.folder, build)
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : input.port
  return {
    url: `http://${input.host}:${port}/`,
    built: watcher.first,
    stop: async () => {
      watcher.close()
      server.close()
      server.closeAllConnections()
      await rm(work, { recursive: true, force: true })
    },
  }
}

/** Calls back when the pages are shown, and ends when all is made. */
type BuildWork = (signal: AbortSignal, onShown: (build: Build) => void) => Promise<void>

/** Builds now and after each change, one build at a time; what is left of a build that is shown yields to the next. */
function rebuildOnChange(folder: string, build: BuildWork): { first: Promise<Build>; close(): void } {
  let timer: NodeJS.Timeout | undefined
  let changed = false
  let running: { control: AbortController; isShown: boolean } | undefined
  const run = (): Promise<Build> =>
    new Promise((resolve, reject) => {
      const current = { control: new AbortController(), isShown: false }
      running = current
      const onShown = (done: Build) => {
        current.isShown = true
        resolve(done)
        if (changed) current.control.abort()
      }
      build(current.control.signal, onShown)
        .catch(reject)
        .finally(() => {
          running = undefined
          if (!changed) return
          changed = false
          void run()
        })
    })
  const watcher: FSWatcher = watch(folder, { recursive: true }, (_event, file) => {
    if (file && /(^|[/\\])(\.git|node_modules)([/\\]|$)/.test(file)) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (running === undefined) return void run()
      changed = true
      if (running.isShown) running.control.abort()
    }, quietMs)
  })
  return {
    first: run(),
    close: () => {
      clearTimeout(timer)
      watcher.close()
      changed = false
      running?.control.abort()
    },
  }
}

function listen(response: ServerResponse, readers: Set<ServerResponse>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.write(': here\n\n')
  readers.add(response)
  response.once('close', () => readers.delete(response))
}

function sendText(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' })
  response.end(text)
}
