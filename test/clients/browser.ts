import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const here = import.meta.dirname

/** Why these tests cannot run here, or false. */
export const clientsMissing: string | false = existsSync(join(here, 'node_modules/ai/package.json'))
  ? false
  : 'the clients are not installed: npm ci --prefix test/clients'

type After = { after(work: () => Promise<void>): void }

/** A real Chromium with its web security on: the given one, Debian's, or the one that comes with the packages. */
export async function openBrowser(context: After) {
  const { chromium } = await import('playwright-core')
  const folder = await mkdtemp(join(tmpdir(), 'quire-browser-'))
  const browser = await chromium.launchPersistentContext(folder, {
    executablePath: await browserPath(),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  context.after(async () => {
    await browser.close()
    await rm(folder, { recursive: true, force: true })
  })
  return browser
}

async function browserPath(): Promise<string> {
  if (process.env.QUIRE_TEST_BROWSER) return process.env.QUIRE_TEST_BROWSER
  if (existsSync('/usr/bin/chromium')) return '/usr/bin/chromium'
  const { default: packed } = await import('@sparticuz/chromium')
  return packed.executablePath()
}

/** Bundles an example as its own `npm start` does, with the packages of this folder, and serves it at an origin of its own. */
export async function serveExample(
  context: After,
  name: string,
  aliases: Record<string, string>,
): Promise<string> {
  const { build } = await import('esbuild')
  const folder = join(here, '../../examples', name)
  const bundled = await build({
    entryPoints: [join(folder, 'chat.tsx')],
    bundle: true,
    write: false,
    jsx: 'automatic',
    nodePaths: [join(here, 'node_modules')],
    alias: aliases,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const script = bundled.outputFiles[0]!.text
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname
    if (path === '/chat.js') response.setHeader('content-type', 'text/javascript').end(script)
    else if (path === '/chat.css') {
      response.setHeader('content-type', 'text/css').end(await readFile(join(folder, 'chat.css')))
    } else if (path === '/') {
      response.setHeader('content-type', 'text/html').end(await readFile(join(folder, 'index.html')))
    } else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
