import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { clientsMissing, openBrowser } from './browser.ts'
import { buildPages, overflow, watchPages } from './pages.ts'

const projects = join(import.meta.dirname, '../../../shared/content/projects')
const skip =
  clientsMissing ||
  (existsSync(projects) ? false : 'the real projects of ../shared/content/projects are not here')
const names = skip ? [] : readdirSync(projects).filter((name) => !name.endsWith('.json'))

/** Larger projects are walked in steps, so that pages of every part of them are seen. */
const pagesOfProject = 8

/** A test for each of the real projects that are wanted. */
export function testProjects(isWanted: (name: string) => boolean): void {
  if (skip) test('pages of real projects fit a phone and a screen, and say and ask nothing', { skip })
  for (const name of names.filter(isWanted)) {
    test(`pages of the project ${name} fit a phone and a screen, and say and ask nothing`, async (context) => {
      const source = join(projects, name)
      const folder = await buildPages(context, source)
      const browser = await openBrowser(context)
      const root = `${pathToFileURL(folder).href}/`
      await browser.setOffline(true)
      const { said } = await watchPages(browser, root)
      const page = await browser.newPage()
      await page.emulateMedia({ reducedMotion: 'reduce' })
      const files = globSync('**/*.html', { cwd: folder })
        .filter((file) => !readFileSync(join(folder, file), 'utf8').includes('http-equiv="refresh"'))
        .toSorted()
      const step = Math.max(1, Math.floor(files.length / pagesOfProject))
      const findings: string[] = []
      for (const file of files.filter((_file, index) => index % step === 0)) {
        await page.goto(root + file.split('/').map(encodeURIComponent).join('/'))
        for (const width of [390, 1440]) {
          await page.setViewportSize({ width, height: 900 })
          const over = await overflow(page)
          if (over !== '') findings.push(`${file} at ${width}: ${over}`)
        }
      }
      assert.deepEqual([...said, ...findings], [])
    })
  }
}
