import assert from 'node:assert/strict'
import { pathToFileURL } from 'node:url'
import { type TestContext, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { clientsMissing, openBrowser } from './browser.ts'
import { fixturePages, pageKinds, servePages, watchPages } from './pages.ts'

const skip = clientsMissing

/** The same bundle from a plain host of files, and from the disk with the network off. */
const places = [
  { name: 'from a host', open: servePages },
  {
    name: 'from the disk with the network off',
    open: async (_context: TestContext, folder: string) => `${pathToFileURL(folder).href}/`,
  },
]

for (const place of places) {
  const start = async (context: TestContext) => {
    const root = await place.open(context, await fixturePages())
    const browser = await openBrowser(context)
    if (root.startsWith('file:')) await browser.setOffline(true)
    else await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { said } = await watchPages(browser, root)
    const page = await browser.newPage()
    page.setDefaultTimeout(15_000)
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' })
    return { root, browser, page, said }
  }

  test(`a reader goes from page to page, version to version and language to language ${place.name}`, {
    skip,
  }, async (context) => {
    const { root, page, said } = await start(context)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.goto(`${root}index.html`)
    await page.getByRole('link', { name: 'Install a lamp' }).click()
    assert.equal(await title(page), 'Install a lamp')
    await page.locator('.navigation').getByRole('link', { name: 'Code blocks' }).click()
    assert.equal(await title(page), 'Code blocks')
    assert.equal(await page.locator('.navigation [aria-current="page"]').textContent(), 'Code blocks')
    await page.locator('.neighbour-next').click()
    assert.equal(await title(page), 'Diagrams and formulas')
    await page.locator('.diagram.drawn svg').first().waitFor()
    await page.locator('.section-tab', { hasText: 'API' }).click()
    assert.equal(await title(page), 'List signals')
    await page.locator('.brand .switch-button', { hasText: '2.0' }).click()
    await page.getByRole('link', { name: '1.0', exact: true }).click()
    assert.equal(await title(page), 'Oil lamps')
    await page.locator('.brand .switch-button', { hasText: 'Beacon' }).click()
    await page.locator('.brand .menu-item', { hasText: 'Keeper' }).click()
    assert.equal(await title(page), 'Be a keeper')
    await page.locator('.top-end .switch-button').click()
    await page.locator('.top-end .menu-item', { hasText: 'العربية' }).click()
    assert.equal(await title(page), 'منارة')
    assert.equal(await page.locator('html').getAttribute('dir'), 'rtl')
    await page.goto(`${root}install.html`)
    await page.waitForURL(/guide\/install\.html$/)
    assert.deepEqual(said, [])
  })

  test(`tabs, lists of code, accordions and copies work ${place.name}`, { skip }, async (context) => {
    const { root, page, said } = await start(context)
    await page.goto(`${root}guide/components.html`)
    const south = page.getByRole('tab', { name: 'South coast' })
    await south.first().click()
    await page.getByText('Also here.').waitFor() // The other group has made the same choice.
    await page.keyboard.press('ArrowLeft')
    await page.getByText('Rocks, gulls and a long winter.').waitFor()
    assert.equal(await page.getByText('Also here.').isVisible(), false)
    await page.goto(`${root}guide/components.html#sand`)
    await page.getByRole('heading', { name: 'Sand' }).waitFor() // A link opens the tab it leads into.
    await page.getByText('Why does it flash?').click()
    await page.getByText('So that it is not taken for a star.').waitFor()
    await page.getByRole('button', { name: 'Steam' }).click()
    await page.getByText('For those who steam.').waitFor()
    assert.equal(await page.getByText('For those who sail.').isVisible(), false)

    await page.goto(`${root}guide/code.html`)
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Python')
    await page.getByText('coasts = httpx.get').waitFor()
    assert.equal(
      await page.getByRole('tab', { name: 'Python', selected: true }).count(),
      1, // The row above followed; the list has no row that can be seen.
    )
    await page.getByRole('button', { name: 'Show all 17 lines' }).click()
    await page.getByText('if __name__').waitFor()
    if (!root.startsWith('file:')) {
      const marked = page.locator('.code-block', { hasText: "'electricity'" })
      await marked.hover()
      await marked.getByRole('button', { name: 'Copy' }).click()
      await marked.getByRole('button', { name: 'Copied' }).waitFor()
      const copied = await page.evaluate(() => navigator.clipboard.readText())
      assert.equal(copied, "const source = 'electricity'") // What is struck out is not copied.
    }
    assert.deepEqual(said, [])
  })

  test(`the colour scheme is the reader’s and stays ${place.name}`, { skip }, async (context) => {
    const { root, page, said } = await start(context)
    await page.goto(`${root}guide/install.html`)
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await ground()
    await page.locator('[data-theme-switch]').click()
    const dark = await ground()
    assert.notEqual(dark, light)
    await page.goto(`${root}guide/code.html`)
    assert.equal(await ground(), dark)
    await page.locator('.banner-close').click()
    await page.goto(`${root}guide/tables.html`)
    assert.equal(await page.locator('.banner').isVisible(), false)
    assert.deepEqual(said, [])
  })

  test(`the search opens by key, finds, marks, and remembers ${place.name}`, { skip }, async (context) => {
    const { root, page, said } = await start(context)
    await page.goto(`${root}guide/install.html`)
    await page.keyboard.press('/')
    const input = page.getByRole('combobox')
    await input.fill('fresnel')
    const options = page.getByRole('option')
    await options.first().waitFor()
    assert.match((await page.locator('.search-item mark').first().textContent()) ?? '', /fresnel/i)
    await input.fill('skery') // A letter is missing.
    await page.locator('.search-item', { hasText: 'Skerry Point' }).first().waitFor()
    await input.fill('wide page')
    await page.locator('.search-item[aria-selected="true"]', { hasText: 'A wide page' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(/guide\/wide\.html/)
    await page.keyboard.press('Control+k')
    await page.locator('.search-item', { hasText: 'wide page' }).click()
    await page.locator('.search-item', { hasText: 'A wide page' }).waitFor()
    await input.fill('zzxqjw')
    await page.locator('.search-empty').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.search-dialog').waitFor({ state: 'hidden' })
    assert.deepEqual(said, [])
  })

  test(`on a phone the drawer opens, leads on and closes ${place.name}`, { skip }, async (context) => {
    const { root, page, said } = await start(context)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${root}guide/install.html`)
    const link = page.locator('#navigation').getByRole('link', { name: 'Tables' })
    assert.equal(await link.isVisible(), false)
    await page.getByRole('button', { name: 'Menu' }).click()
    await link.waitFor()
    await page.keyboard.press('Escape')
    await link.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Menu' }).click()
    await link.click()
    assert.equal(await title(page), 'Tables')
    assert.deepEqual(said, [])
  })

  test(`what is elsewhere loads when the reader asks, and not before ${place.name}`, {
    skip,
  }, async (context) => {
    const { root, page, said } = await start(context)
    await page.goto(`${root}guide/components.html`)
    assert.deepEqual(said, [])
    const refused = (part: string) =>
      page.waitForEvent('requestfailed', (request) => request.url().includes(part))
    const chart = refused('images.example.com')
    await page.getByRole('link', { name: 'A chart of the coast' }).click()
    await page.locator('img[alt="A chart of the coast"]').waitFor({ state: 'attached' })
    await chart
    const film = refused('www.youtube.com')
    await page.getByRole('link', { name: 'How a lens is made' }).click()
    await page.locator('iframe[title="How a lens is made"]').waitFor({ state: 'attached' })
    await film
    const asked = said.filter((line) => line.startsWith('a request to ')).toSorted()
    assert.deepEqual(asked, [
      'a request to https://images.example.com/chart.png',
      'a request to https://www.youtube.com/embed/lamp',
    ])
  })
}

test('without scripts every page can be read and left', { skip }, async (context) => {
  const root = await servePages(context, await fixturePages())
  const browser = await openBrowser(context)
  const { said } = await watchPages(browser, root)
  const page = await withoutScripts(browser)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 1280, height: 900 })
  for (const path of pageKinds) {
    await page.goto(`${root}${path}.html`)
    assert.notEqual((await page.locator('main').innerText()).trim(), '', path)
    assert.ok((await page.getByRole('link').count()) > 2, path)
  }
  await page.goto(`${root}guide/components.html`)
  for (const text of ['Rocks, gulls and a long winter.', 'The same choice', 'For those who steam.'])
    assert.ok(await page.getByText(text).first().isVisible(), text)
  await page.locator('.navigation').getByRole('link', { name: 'Code blocks' }).click()
  assert.equal(await title(page), 'Code blocks')
  assert.ok(await page.getByText('coasts = httpx.get').isVisible())
  await page.setViewportSize({ width: 390, height: 844 })
  await page.locator('[data-menu]').click()
  await page.locator('#navigation').getByRole('link', { name: 'Tables' }).click()
  assert.equal(await title(page), 'Tables')
  assert.deepEqual(said, [])
})

test('a wrong address at any depth of a plain host is told in the site’s own colours', {
  skip,
}, async (context) => {
  const root = await servePages(context, await fixturePages(), '/manual/')
  const browser = await openBrowser(context)
  const page = await browser.newPage()
  for (const path of ['nowhere', 'a/b/nowhere', 'a/b/c/d/nowhere.html']) {
    const answer = await page.goto(`${root}${path}`)
    assert.equal(answer?.status(), 404)
    await page.getByRole('heading', { name: 'Lost at sea' }).waitFor()
    const link = page.getByRole('link', { name: 'Go to the start page' })
    assert.equal(await link.count(), 1)
    assert.equal(
      await link.evaluate((element) => getComputedStyle(element).backgroundColor),
      'rgb(194, 65, 12)',
    )
  }
})

async function title(page: Page): Promise<string> {
  return (await page.locator('h1').first().innerText()).trim()
}

async function withoutScripts(browser: BrowserContext): Promise<Page> {
  const page = await browser.newPage()
  const session = await browser.newCDPSession(page)
  await session.send('Emulation.setScriptExecutionDisabled', { value: true })
  return page
}

test('from a disk the text is drawn with its own fonts at once', { skip }, async (context) => {
  const browser = await openBrowser(context)
  const page = await browser.newPage()
  await page.goto(`${pathToFileURL(await fixturePages()).href}/guide/code.html`)
  const drawn = () =>
    page.evaluate(async () => {
      await document.fonts.ready
      return [...document.fonts].filter((face) => face.status === 'loaded').map((face) => face.family)
    })
  for (const family of ['Inter', 'JetBrains Mono'])
    assert.ok(
      (await drawn()).some((name) => name.replaceAll('"', '') === family),
      family,
    )
})
