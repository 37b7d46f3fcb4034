import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { clientsMissing, openBrowser } from './browser.ts'
import { buildPages, servePages, watchPages } from './pages.ts'

const skip = clientsMissing

/** A project with one section: so many groups of 40 pages, the first with a page of its own, and one group of 600. */
async function largeProject(context: TestContext, groups: number): Promise<string> {
  const source = await mkdtemp(join(tmpdir(), 'quire-large-'))
  context.after(() => rm(source, { recursive: true, force: true }))
  const write = async (path: string, title: string) => {
    await mkdir(join(source, path, '..'), { recursive: true })
    await writeFile(join(source, `${path}.mdx`), `---\ntitle: ${title}\n---\n\nWords.\n`)
    return path
  }
  const listed = async (folder: string, count: number) => {
    const pages: string[] = []
    for (let number = 0; number < count; number += 1)
      pages.push(await write(`${folder}/page-${number}`, `${folder} ${number}`))
    return pages
  }
  const made: object[] = [{ group: 'Start', pages: [await write('index', 'Home')] }]
  for (let number = 0; number < groups; number += 1) {
    const pages: (string | object)[] = await listed(`group-${number}`, 40)
    if (number === 1)
      pages.push({ group: 'Inner', pages: [await write('group-1/inner/deep', 'Deep inside')] })
    made.push({ group: `Group ${number}`, pages })
  }
  made.push({ group: 'Long', pages: await listed('long', 600) })
  const settings = { name: 'Large', colors: { primary: '#146c5c' }, navigation: { groups: made } }
  await writeFile(join(source, 'docs.json'), JSON.stringify(settings))
  return source
}

for (const place of ['from a host', 'from the disk']) {
  test(`a reader opens groups that the page leaves out ${place}`, { skip }, async (context) => {
    const folder = await buildPages(context, await largeProject(context, 4))
    const root =
      place === 'from a host' ? await servePages(context, folder) : `${pathToFileURL(folder).href}/`
    const browser = await openBrowser(context)
    const { said } = await watchPages(browser, root)
    const page = await browser.newPage()
    page.setDefaultTimeout(15_000)
    await page.goto(`${root}group-0/page-3.html`)
    const navigation = page.locator('.navigation')
    const group = navigation.getByRole('button', { name: 'Group 1' })
    assert.equal(await group.getAttribute('aria-expanded'), 'false')
    await group.focus()
    await page.keyboard.press('Space')
    await navigation.getByRole('link', { name: 'group-1 39' }).waitFor()
    assert.equal(await group.getAttribute('aria-expanded'), 'true')
    await navigation.getByRole('button', { name: 'Inner' }).click()
    await navigation.getByRole('link', { name: 'Deep inside' }).waitFor()
    await group.press('Enter')
    await navigation.getByRole('link', { name: 'Deep inside' }).waitFor({ state: 'hidden' })
    await group.click()
    const open = await group.evaluate((link) => link.parentElement?.lastElementChild?.innerHTML)
    await navigation.getByRole('link', { name: 'group-1 7', exact: true }).click()
    await page.waitForURL(/group-1\/page-7\.html$/)
    const own = await page
      .locator('.nav-group', { hasText: 'group-1 7' })
      .evaluate((item) => item.lastElementChild?.querySelectorAll(':scope > li').length)
    assert.equal(own, 41)
    assert.equal(open?.match(/<li/g)?.length, 42) // With what was opened inside it.

    await page.goto(`${root}long/page-300.html`)
    const rest = navigation.getByRole('button', { name: 'long 0 … long 259' })
    const seen = async () => (await navigation.getByRole('link', { name: 'long 260' }).boundingBox())?.y
    await rest.scrollIntoViewIfNeeded()
    const before = await seen()
    await rest.click()
    await navigation.getByRole('link', { name: 'long 259', exact: true }).waitFor()
    assert.ok(Math.abs(((await seen()) ?? 0) - (before ?? 0)) < 2) // Nothing jumps under the pointer.
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'long 259')
    await navigation.getByRole('button', { name: 'long 0 … long 59' }).click()
    await navigation.getByRole('link', { name: 'long 0', exact: true }).waitFor()
    assert.equal(await navigation.getByRole('button', { name: /^long 0/ }).count(), 0)
    assert.deepEqual(said, [])
  })
}

test('without scripts a closed group leads to its first page', { skip }, async (context) => {
  const folder = await buildPages(context, await largeProject(context, 4))
  const browser = await openBrowser(context)
  await browser.route('**/*.js', (route) => route.abort())
  const page = await browser.newPage()
  await page.goto(`${pathToFileURL(folder).href}/group-0/page-3.html`)
  await page.locator('.navigation').getByRole('link', { name: 'Group 2' }).click()
  await page.waitForURL(/group-2\/page-0\.html$/)
})

test('a page is no larger where its section is', { skip }, async (context) => {
  const size = async (groups: number) => {
    const folder = await buildPages(context, await largeProject(context, groups))
    const shared = (await readdir(join(folder, '_quire/assets'))).filter((name) =>
      name.startsWith('section-'),
    )
    return { page: (await stat(join(folder, 'long/page-300.html'))).size, shared: shared.length }
  }
  const [one, two] = [await size(1), await size(3)]
  assert.deepEqual([one.shared, two.shared], [1, 1])
  assert.ok(two.page - one.page < 1000, `${one.page} and ${two.page} bytes`)
})
