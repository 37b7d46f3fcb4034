import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { readManifest, type SiteIndex, type SiteSettings, siteIndexFile } from '../../src/bundle/index.ts'
import { testArchive } from '../../src/bundle/testing.ts'
import { portOf, quireHost, untilServed } from '../../src/cli/testing.ts'
import { compileSite } from '../../src/compiler/index.ts'
import { json, root, startQuire } from '../journeys/support.ts'
import { clientsMissing, openBrowser } from './browser.ts'

/*
 * One bundle, opened where it may stand: on a Quire server, on a host of one's own, in a closed room, below a path, and from
 * a plain folder. The network is off: only the bundle's own origin answers.
 */

const skip = clientsMissing
const source = join(root, 'examples/docs')
let folder = ''
let bundle = ''
let site: SiteIndex

before(async () => {
  if (skip) return
  folder = await mkdtemp(join(tmpdir(), 'quire-everywhere-'))
  bundle = join(folder, 'bundle')
  await compileSite({ source, into: bundle })
  await writeFile(join(folder, 'bundle.tar.gz'), await testArchive(bundle))
  site = JSON.parse(await readFile(join(bundle, siteIndexFile), 'utf8')) as SiteIndex
})
after(() => rm(folder, { recursive: true, force: true }))

test('the bundle works from a plain folder', { skip }, async (context) => {
  await usePlace(context, {
    start: `${pathToFileURL(bundle).href}/`,
    settings: { deployment: 'client-hosted', search: { type: 'bundle' }, assistant: { type: 'off' } },
  })
})

test('the same bundle works on a Quire server', { skip }, async (context) => {
  const data = await mkdtemp(join(tmpdir(), 'quire-cloud-'))
  context.after(() => rm(data, { recursive: true, force: true }))
  const quire = await startQuire(
    context,
    { environment: {}, data },
    ['--docs', source, '--site', 'tides'],
    {},
  )
  const { releases } = await json<{ releases: { digest: string }[] }>(
    quire.api('/v1/sites/tides/releases?limit=1'),
  )
  assert.equal(releases[0]?.digest, (await readManifest(bundle)).digest, 'it is the same bundle')
  await usePlace(context, {
    start: `${quire.url}/sites/tides/`,
    settings: { deployment: 'cloud' },
  })
})

test('the same bundle works on a host that answers search itself', { skip }, async (context) => {
  const requests = await usePlace(context, {
    start: await startHost(context, 'features: { search: true, assistant: true }'),
    settings: {
      deployment: 'client-hosted',
      search: { type: 'server', endpoint: '/discovery/v1/search/site' },
      assistant: { type: 'server', endpoint: '/discovery/v2/assistant/site/message' },
      analytics: { type: 'off' },
      playground: { type: 'on' },
    },
  })
  assert.ok(
    requests.some((address) => address.endsWith('/discovery/v1/search/site')),
    'the server was asked',
  )
})

test('the same bundle works in a closed room, below a path', { skip }, async (context) => {
  const closed = 'deployment: air-gapped\nfeatures: { playground: false }\nserver: { basePath: /help/docs }'
  const requests = await usePlace(context, {
    start: await startHost(context, closed, '/help/docs'),
    settings: {
      deployment: 'air-gapped',
      search: { type: 'bundle' },
      assistant: { type: 'off' },
      analytics: { type: 'off' },
      playground: { type: 'off' },
    },
  })
  assert.ok(!requests.some((address) => address.includes('/discovery/')), 'no server was asked')
})

async function startHost(context: TestContext, yaml: string, basePath = ''): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'quire-host-'))
  context.after(() => rm(data, { recursive: true, force: true }))
  const config = join(data, 'host.yaml')
  await writeFile(config, `staticExport: { bundleUrl: "${folder}/bundle.tar.gz" }\n${yaml}\ndata: ./data\n`)
  const running = quireHost(context, ['--config', config, '--port', '0'])
  const port = await portOf(running)
  await untilServed(port, '<html', `${basePath}/`)
  return `http://127.0.0.1:${port}${basePath}/`
}

/** Does what a reader does, and gives the addresses that were asked for on the way. */
async function usePlace(
  context: TestContext,
  place: { start: string; settings: Partial<SiteSettings> },
): Promise<string[]> {
  const { start } = place
  const browser = await openBrowser(context)
  const seen = await watch(browser, start)
  const page = browser.pages()[0] ?? (await browser.newPage())
  const addressOf = (path: string) => `${start}${path}${start.startsWith('file:') ? '.html' : ''}`

  const links = new Set<string>()
  for (const { path } of site.pages) {
    await page.goto(addressOf(path))
    for (const link of await ownLinks(page, start)) links.add(link)
  }
  assert.ok(links.size >= site.pages.length)
  for (const link of links) assert.ok(await leadsSomewhere(link), `${link} leads somewhere`)

  await page.goto(addressOf('index'))
  const settings = await page.evaluate(() => Reflect.get(globalThis, 'quireSettings') as SiteSettings)
  for (const [name, value] of Object.entries(place.settings)) {
    assert.deepEqual(settings[name as keyof SiteSettings], value, name)
  }
  await switchTheme(page)
  await walk(page)
  await search(page)
  await page.goto(addressOf('quickstart'))
  await changeTab(page)
  assert.deepEqual(seen.faults, [])
  return seen.requests
}

/** Lets nothing out to another origin, and writes down whatever went wrong. */
async function watch(browser: BrowserContext, start: string) {
  const seen = { requests: [] as string[], faults: [] as string[] }
  const home = start.startsWith('file:') ? start : new URL(start).origin
  await browser.route('**', async (route) => {
    const address = route.request().url()
    seen.requests.push(address)
    if (address.startsWith(home) || /^(data|blob):/.test(address)) return route.continue()
    seen.faults.push(`asked for ${address}`)
    return route.abort()
  })
  const follow = (page: Page) => {
    page.on('pageerror', (error) => seen.faults.push(`${page.url()} threw ${error.message}`))
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        seen.faults.push(`${page.url()} said ${message.text()}`)
    })
    page.on('response', (answer) => {
      if (answer.status() >= 400) seen.faults.push(`${answer.url()} answered ${answer.status()}`)
    })
  }
  for (const page of browser.pages()) follow(page)
  browser.on('page', follow)
  return seen
}

/** The links of a page that stay in the bundle, without their fragments. */
async function ownLinks(page: Page, start: string): Promise<string[]> {
  const all = await page
    .locator('a[href]')
    .evaluateAll((links) => links.map((link) => String(Reflect.get(link, 'href'))))
  return all.map((link) => link.replace(/#.*$/, '')).filter((link) => link.startsWith(start))
}

async function leadsSomewhere(link: string): Promise<boolean> {
  return link.startsWith('file:') ? existsSync(fileURLToPath(link)) : (await fetch(link)).ok
}

async function switchTheme(page: Page): Promise<void> {
  const theme = () => page.locator('html').getAttribute('data-theme')
  const first = await theme()
  await page.locator('[data-theme-switch]:visible').first().click()
  const second = await theme()
  assert.notEqual(second, first)
  await page.reload()
  assert.equal(await theme(), second, 'the choice stays')
}

async function walk(page: Page): Promise<void> {
  const title = await page.locator('h1').first().textContent()
  await page.locator('nav a:visible', { hasText: 'Stations' }).first().click()
  await page
    .locator('h1', { hasNotText: title ?? '' })
    .first()
    .waitFor()
  assert.match(page.url(), /guides\/stations/)
}

async function search(page: Page): Promise<void> {
  await page.locator('[data-search-open]:visible').first().click()
  await page.locator('.search-input').fill('alert calls your server')
  const first = page.locator('.search-item').first()
  await first.waitFor()
  const before = page.url()
  await page.keyboard.press('Enter')
  await page.waitForURL((address) => address.href !== before)
  assert.match(page.url(), /guides\/alerts/)
}

async function changeTab(page: Page): Promise<void> {
  const tabs = page.getByRole('tab')
  assert.ok((await tabs.count()) >= 2)
  const second = tabs.nth(1)
  const panel = page.locator(`#${await second.getAttribute('aria-controls')}`)
  assert.equal(await panel.isVisible(), false)
  await second.click()
  assert.equal(await second.getAttribute('aria-selected'), 'true')
  assert.equal(await panel.isVisible(), true)
}
