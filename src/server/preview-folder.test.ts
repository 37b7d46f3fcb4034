import assert from 'node:assert/strict'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Build, previewFolder } from './preview-folder.ts'

const fixture = new URL('../../test/fixtures/journeys/acme', import.meta.url).pathname

test('shows each save, keeps the pages when docs.json breaks, and tells open pages', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-preview-test-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  await cp(fixture, join(folder, 'docs'), { recursive: true })
  const waiting: ((build: Build) => void)[] = []
  const next = () => new Promise<Build>((resolve) => waiting.push(resolve))
  const preview = await previewFolder({
    folder: join(folder, 'docs'),
    host: '127.0.0.1',
    port: 0,
    cache: join(folder, 'cache'),
    fetchSpec: async () => assert.fail('nothing is fetched'),
    onBuild: (build) => {
      for (const resolve of waiting.splice(0)) resolve(build)
    },
  })
  context.after(() => preview.stop())
  assert.equal((await preview.built).pageCount, 4)
  const page = async (path = '') => (await fetch(preview.url + path)).text()
  assert.match(await page(), /Acme makes rockets/)
  assert.match(await page('_quire/settings.js'), /quireSettings[\s\S]*preview-events/)
  assert.match(await page('_quire/preview-problems'), /no\/such\/page/)

  const events = (await fetch(`${preview.url}_quire/preview-events`)).body!.getReader()
  await events.read()
  const saved = next()
  await writeFile(join(folder, 'docs', 'index.mdx'), '---\ntitle: Saved\n---\n\nSaved a moment ago.\n')
  assert.equal((await saved).failed, false)
  assert.match(await page(), /Saved a moment ago/)
  assert.match(new TextDecoder().decode((await events.read()).value), /event: built/)
  while (!(await fetch(`${preview.url}_quire/search/root.js`)).ok) await setTimeout(20) // The search follows the pages.
  await events.cancel()

  const broken = next()
  await writeFile(join(folder, 'docs', 'docs.json'), '{')
  assert.equal((await broken).failed, true)
  assert.match(await page(), /Saved a moment ago/)
})
