import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join, normalize, resolve } from 'node:path'
import { after } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { compileSite } from '../../src/compiler/index.ts'

type After = { after(work: () => Promise<void>): void }

/** Every kind of page there is, each once, in the project of `test/fixtures/pages`. */
export const pageKinds = [
  'index',
  'guide/install',
  'guide/components',
  'guide/code',
  'guide/diagrams',
  'guide/tables',
  'guide/wide',
  'guide/frame',
  'guide/center',
  'guide/manual-endpoint',
  'guide/changelog',
  'api-reference/signals/list-signals',
  'api-reference/signals/send-a-signal',
  'api-reference/signals/take-a-signal-back',
  'v1/start',
  'keeper/start',
  'ar/index',
  'ar/signals',
  '404',
]

/** The bundle of a docs project, in a folder that is gone after the test. */
export async function buildPages(context: After, source: string): Promise<string> {
  const into = await mkdtemp(join(tmpdir(), 'quire-pages-'))
  context.after(() => rm(into, { recursive: true, force: true }))
  await compileSite({ source, into, workers: 0 })
  return into
}

/** The bundle of `test/fixtures/pages`, built once for all tests of a file. */
export function fixturePages(): Promise<string> {
  built ??= buildPages(wholeFile, join(import.meta.dirname, '../fixtures/pages'))
  return built
}

let built: Promise<string> | undefined
const endings: (() => Promise<void>)[] = []
const wholeFile = { after: (work: () => Promise<void>) => void endings.push(work) }
after(async () => {
  for (const work of endings) await work()
})

/**
 * Serves a bundle as a plain host of files does, at an origin of its own and below `base`: what is not there is
 * answered with 404.html at the address that was asked for.
 */
export async function servePages(
  context: After,
  folder: string,
  base = '/',
  send: (found: string, response: ServerResponse) => void = (found, response) =>
    void createReadStream(found).pipe(response),
): Promise<string> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname)
    const inside = path.startsWith(base) ? path.slice(base.length) : '\0'
    const wanted = inside === '' || inside.endsWith('/') ? `${inside}index.html` : inside
    const file = await firstFile(folder, [wanted, `${wanted}.html`])
    const found = file ?? join(folder, '404.html')
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': contentTypes[extname(found)] ?? 'application/octet-stream',
    })
    send(found, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  context.after(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`
}

/** A poor line: a page arrives a few hundred bytes at a time, and its fonts and pictures long after it. */
export async function sendSlowly(found: string, response: ServerResponse): Promise<void> {
  const bytes = await readFile(found)
  if (/\.(woff2|svg|png|webp)$/.test(found)) await setTimeout(1000)
  const step = found.endsWith('.html') ? 700 : bytes.length
  for (let start = 0; start < bytes.length; start += step) {
    response.write(bytes.subarray(start, start + step))
    await setTimeout(10)
  }
  response.end()
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.md': 'text/markdown; charset=utf-8',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.webp': 'image/webp',
}

async function firstFile(folder: string, names: string[]): Promise<string | undefined> {
  for (const name of names) {
    const file = resolve(folder, normalize(name))
    if (!file.startsWith(folder) || name.includes('\0')) continue
    const found = await stat(file).catch(() => undefined)
    if (found?.isFile()) return file
  }
  return undefined
}

/** What a page said that it should not have: errors in the console, and requests to anyone but its own origin. */
export async function watchPages(browser: BrowserContext, own: string): Promise<{ said: string[] }> {
  const said: string[] = []
  await browser.route(
    (url) => !url.href.startsWith(own) && url.protocol !== 'data:' && url.protocol !== 'blob:',
    (route) => {
      said.push(`a request to ${route.request().url()}`)
      return route.abort()
    },
  )
  const watch = (page: Page) => {
    page.on('console', (message) => {
      if (message.type() === 'error') said.push(`${page.url()}: ${message.text()}`)
    })
    page.on('pageerror', (error) => said.push(`${page.url()}: ${error.message}`))
  }
  for (const page of browser.pages()) watch(page)
  browser.on('page', watch)
  return { said }
}

/** How far the page runs over the edge of the screen, in pixels, and what does. */
export function overflow(page: Page): Promise<string> {
  return page.evaluate(() => {
    const over = document.documentElement.scrollWidth - innerWidth
    if (over <= 0) return ''
    const wide = [...document.querySelectorAll('body *')].filter((element) => {
      const box = element.getBoundingClientRect()
      return box.right > innerWidth + 1 || box.left < -1
    })
    const names = wide.slice(0, 5).map((element) => `${element.localName}.${element.className}`)
    return `${over} pixels: ${names.join(', ')}`
  })
}

/** Begins to count how far things jump about while a page loads; to be called before the first page. */
export async function countShifts(browser: BrowserContext): Promise<(page: Page) => Promise<number>> {
  await browser.addInitScript(() => {
    const count = { sum: 0 }
    Object.assign(window, { quireShifts: count })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if ('value' in entry && typeof entry.value === 'number') count.sum += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return (page) =>
    page.evaluate(
      () =>
        new Promise<number>((done) => {
          const { quireShifts } = window as Window & { quireShifts?: { sum: number } }
          requestAnimationFrame(() => requestAnimationFrame(() => done(quireShifts?.sum ?? -1)))
        }),
    )
}
