import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { compileSite } from '../../src/compiler/index.ts'
import { openBrowser } from './browser.ts'
import { servePages } from './pages.ts'

/** Takes the pictures of `docs/write/gallery.mdx` anew, from the pages of `test/fixtures/pages` and of our own docs. */
const root = join(import.meta.dirname, '../..')

type Picture = {
  name: string
  site: 'fixture' | 'docs'
  path: string
  scheme?: 'light' | 'dark'
  phone?: boolean
  height?: number
  prepare?: (page: Page) => Promise<void>
}

const pictures: Picture[] = [
  { name: 'home', site: 'fixture', path: 'index', height: 1000 },
  { name: 'guide', site: 'fixture', path: 'guide/install' },
  { name: 'guide-dark', site: 'fixture', path: 'guide/components', scheme: 'dark' },
  { name: 'endpoint', site: 'fixture', path: 'api-reference/signals/send-a-signal' },
  { name: 'code', site: 'fixture', path: 'guide/code', scheme: 'dark' },
  { name: 'changelog', site: 'fixture', path: 'guide/changelog' },
  { name: 'right-to-left', site: 'fixture', path: 'ar/index', scheme: 'dark' },
  { name: 'phone', site: 'fixture', path: 'guide/install', phone: true },
  {
    name: 'phone-endpoint',
    site: 'fixture',
    path: 'api-reference/signals/list-signals',
    scheme: 'dark',
    phone: true,
  },
  {
    name: 'search',
    site: 'docs',
    path: 'index',
    prepare: async (page) => {
      await page.keyboard.press('/')
      await page.getByRole('combobox').fill('export')
      await page.getByRole('option').first().waitFor()
    },
  },
]

const endings: (() => Promise<void>)[] = []
const context = { after: (work: () => Promise<void>) => void endings.push(work) }
try {
  const browser = await openBrowser(context)
  const sites = { fixture: await serve('test/fixtures/pages'), docs: await serve('docs') }
  for (const picture of pictures) {
    const png = await take(browser, picture, sites[picture.site])
    const webp = await asWebp(browser, png)
    await writeFile(join(root, 'docs/images/gallery', `${picture.name}.webp`), webp)
    console.log(`${picture.name}: ${Math.round(webp.length / 1024)} KB`)
  }
} finally {
  for (const work of endings) await work()
}

async function serve(source: string): Promise<string> {
  const into = await mkdtemp(join(tmpdir(), 'quire-gallery-'))
  endings.push(() => rm(into, { recursive: true, force: true }))
  await compileSite({ source: join(root, source), into, workers: 0 })
  return servePages(context, into)
}

async function take(browser: BrowserContext, picture: Picture, address: string): Promise<Buffer> {
  const page = await browser.newPage()
  const size = picture.phone ? { width: 390, height: 844 } : { width: 1440, height: picture.height ?? 900 }
  await page.setViewportSize(size)
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: picture.scheme ?? 'light' })
  await page.goto(`${address}${picture.path}.html`)
  await page.reload() // The fonts are there now.
  await page.evaluate(() => document.fonts.ready)
  await picture.prepare?.(page)
  const png = await page.screenshot()
  await page.close()
  return png
}

/** Chromium writes it, because nothing else here can. */
async function asWebp(browser: BrowserContext, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage()
  const address = `data:image/png;base64,${png.toString('base64')}`
  const made = await page.evaluate(async (source) => {
    const image = new Image()
    image.src = source
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.naturalWidth
    canvas.height = image.naturalHeight
    canvas.getContext('2d')?.drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', 0.86)
  }, address)
  await page.close()
  return Buffer.from(made.slice(made.indexOf(',') + 1), 'base64')
}
