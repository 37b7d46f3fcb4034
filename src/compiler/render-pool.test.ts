import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { compileSite } from './index.ts'
import { planSite } from './plan-site.ts'
import { ProblemList } from './problems.ts'
import { readSettings } from './read-settings.ts'
import { readSource } from './read-source.ts'
import { renderPages } from './render-pool.ts'
import { themeAssets } from '../theme/index.ts'

async function project(pages: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-pool-'))
  const navigation = { pages: Object.keys(pages) }
  await writeFile(join(folder, 'docs.json'), JSON.stringify({ name: 'Pool', navigation }))
  for (const [name, text] of Object.entries(pages))
    await writeFile(join(folder, `${name}.mdx`), `---\ntitle: ${name}\n---\n${text}\n`)
  return folder
}

/** A pattern that takes longer than anyone waits. */
const endless = '{/^(a+)+$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")}'

test('a page that never ends costs no other page', async () => {
  const source = await project({ one: 'First.', wild: endless, two: 'Second.', three: 'Third.' })
  const into = await mkdtemp(join(tmpdir(), 'quire-pool-out-'))
  const problems = new ProblemList()
  const files = await readSource(source, problems)
  const plan = await planSite({
    source: files,
    settings: await readSettings(files, problems),
    into,
    problems,
    customScripts: false,
  })
  const { files: _files, ...assets } = themeAssets(plan.site)
  const done: string[] = []
  const failed: string[] = []
  await renderPages({
    plan,
    task: { assets, write: true },
    workers: 1,
    pageTimeoutMs: 3000,
    onPage: (_index, page) => (page.failed === undefined ? done : failed).push(page.path),
  })
  assert.deepEqual(failed, ['wild'])
  assert.deepEqual(done.sort(), ['one', 'three', 'two'])
  assert.match(await readFile(join(into, 'two.html'), 'utf8'), /Second\./)
  await rm(source, { recursive: true })
  await rm(into, { recursive: true })
})

test('a page that is nested without end is told and has a readable place', async () => {
  const deep = [
    '['.repeat(100_000),
    `{${'('.repeat(60_000)}1${')'.repeat(60_000)}}`,
    '<div>'.repeat(50_000),
    `{${'!'.repeat(200_000)}1}`,
  ]
  const source = await project({
    ...Object.fromEntries(deep.map((text, index) => [`deep${index}`, text])),
    fine: 'Fine.',
  })
  const into = await mkdtemp(join(tmpdir(), 'quire-pool-out-'))
  const result = await compileSite({ source, into, workers: 1 })
  assert.deepEqual(
    result.failedPages.map((page) => page.path),
    ['deep0', 'deep1', 'deep2'],
  )
  assert.match(await readFile(join(into, 'deep0.html'), 'utf8'), /nested too deeply/)
  assert.match(await readFile(join(into, 'fine.html'), 'utf8'), /Fine\./)
  await rm(source, { recursive: true })
  await rm(into, { recursive: true })
})

test('stops when it is told to', async () => {
  const source = await project({ one: 'First.', wild: endless })
  const into = await mkdtemp(join(tmpdir(), 'quire-pool-out-'))
  const control = new AbortController()
  const running = compileSite({
    source,
    into,
    workers: 1,
    signal: control.signal,
    onProgress: () => control.abort(new Error('enough')),
  })
  await assert.rejects(running, /enough/)
  await rm(source, { recursive: true })
  await rm(into, { recursive: true, force: true })
})
