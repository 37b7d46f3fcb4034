import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { clientsMissing, openBrowser } from './browser.ts'
import {
  countShifts,
  fixturePages,
  overflow,
  pageKinds,
  sendSlowly,
  servePages,
  watchPages,
} from './pages.ts'

const axeMissing = existsSync(join(import.meta.dirname, 'node_modules/axe-core/package.json'))
  ? false
  : 'the clients are not installed: npm ci --prefix test/clients'
const skip = clientsMissing || axeMissing

for (const { name, width, scheme } of [
  { name: 'on a wide screen', width: 1440, scheme: 'light' },
  { name: 'in the dark', width: 1440, scheme: 'dark' },
  { name: 'on a phone', width: 390, scheme: 'light' },
] as const) {
  test(`every kind of page is whole, still and usable by everyone ${name}`, { skip }, async (context) => {
    const origin = await servePages(context, await fixturePages())
    const browser = await openBrowser(context)
    const { said } = await watchPages(browser, origin)
    const shifts = await countShifts(browser)
    const findings: string[] = []
    const page = await browser.newPage()
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    for (const path of pageKinds) {
      await page.goto(`${origin}${path}.html`)
      await settled(page)
      findings.push(
        ...[await overflow(page)]
          .filter((text) => text !== '')
          .map((text) => `${path} runs over the edge: ${text}`),
      )
      const shift = await shifts(page)
      if (shift < 0 || shift >= 0.02) findings.push(`${path} jumps by ${shift}`)
      for (const finding of await seriousFindings(page)) findings.push(`${path}: ${finding}`)
    }
    assert.deepEqual([...said, ...findings], [])
  })
}

test('a page that arrives slowly stays where it is', { skip }, async (context) => {
  const origin = await servePages(context, await fixturePages(), '/', sendSlowly)
  const browser = await openBrowser(context)
  const shifts = await countShifts(browser)
  const page = await browser.newPage()
  const jumps: string[] = []
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    for (const path of ['guide/install', 'guide/manual-endpoint', 'api-reference/signals/send-a-signal']) {
      await page.goto(`${origin}${path}.html`)
      const shift = await shifts(page)
      if (shift < 0 || shift >= 0.02) jumps.push(`${path} jumps by ${shift} at ${width}`)
    }
  }
  assert.deepEqual(jumps, [])
})

test('the search and the drawer are usable by everyone', { skip }, async (context) => {
  const origin = await servePages(context, await fixturePages())
  const browser = await openBrowser(context)
  const page = await browser.newPage()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${origin}guide/install.html`)
    await page.locator('[data-menu]').click()
    await page.locator('#navigation.open').waitFor()
    assert.deepEqual(await seriousFindings(page), [], `the drawer, ${scheme}`)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.locator('.search-input').fill('lamp')
    await page.locator('.search-item').first().waitFor()
    assert.deepEqual(await seriousFindings(page), [], `the search, ${scheme}`)
  }
})

/** Diagrams are drawn and fonts are there: what is measured now is what a reader sees. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('.diagram:not(.drawn, .failed)') === null && document.fonts.status === 'loaded',
  )
}

let axe: string | undefined

async function seriousFindings(page: Page): Promise<string[]> {
  axe ??= await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  await page.evaluate(axe)
  return page.evaluate(async () => {
    type Finding = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }
    type Axe = { run(options: object): Promise<{ violations: Finding[] }> }
    const { axe } = window as Window & { axe?: Axe }
    const { violations } = await axe!.run({ resultTypes: ['violations'], preload: false })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 300)}`),
      )
  })
}
