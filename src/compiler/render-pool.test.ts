import assert from 'node:assert/strict'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { themeAssets } from '../theme/index.ts'
import { compileSite } from './index.ts'
import { planSite } from './plan-site.ts'
import { ProblemList } from './problems.ts'
import { readSettings } from './read-settings.ts'
import { readSource } from './read-source.ts'
import { renderPages } from './render-pool.ts'

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

type PoolOptions = Partial<
  Pick<Parameters<typeof renderPages>[0], 'pageTimeoutMs' | 'startTimeoutMs' | 'start' | 'onPage'>
>

/** Renders a project with one thread and says which pages came out and which did not. */
async function render(pages: Record<string, string>, options: PoolOptions) {
  const source = await project(pages)
  const into = await mkdtemp(join(tmpdir(), 'quire-pool-out-'))
  const problems = new ProblemList()
  const files = await readSource(source, problems)
  const plan = await planSite({
    source: files,
    settings: await readSettings(files, problems),
    problems,
    customScripts: false,
  })
  const { files: _files, ...assets } = themeAssets(plan.site)
  const done: string[] = []
  const failed: string[] = []
  try {
    await renderPages({
      plan,
      task: { assets, folder: into, pack: false },
      indexes: [...plan.pages.keys()],
      workers: 1,
      size: 'thrifty',
      onPage: (_index, page) => (page.failed === undefined ? done : failed).push(page.path),
      ...options,
    })
    return { done: done.sort(), failed: failed.sort(), into }
  } finally {
    await rm(source, { recursive: true })
  }
}

test('a page that never ends costs no other page', async () => {
  const pages = { one: 'First.', wild: endless, two: 'Second.', three: 'Third.' }
  const { done, failed, into } = await render(pages, { pageTimeoutMs: 3000 })
  assert.deepEqual(failed, ['wild'])
  assert.deepEqual(done, ['one', 'three', 'two'])
  assert.match(await readFile(join(into, 'two.html'), 'utf8'), /Second\./)
  await rm(into, { recursive: true })
})

/** A thread that speaks as ours does, and ends itself at the second page. */
const mortal = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', (request) => {
  if (request.type === 'plan') return
  for (const index of request.indexes) {
    parentPort.postMessage({ type: 'started', index })
    if (index === 1) setImmediate(() => process.exit(1))
    if (index === 1) return
    const page = { path: String(index), ids: [], anchorUses: [], linkTexts: [], feed: [], needs: {}, problems: [] }
    parentPort.postMessage({ type: 'rendered', index, page })
  }
  parentPort.postMessage({ type: 'idle' })
})`

test('a page that kills its thread is tried once more, alone, before it is blamed', async () => {
  let threads = 0
  const start = () => {
    threads += 1
    return new Worker(mortal, { eval: true })
  }
  const pages = { one: 'First.', wild: 'Kills.', two: 'Second.', three: 'Third.' }
  const { done, failed } = await render(pages, { start })
  assert.deepEqual([done, failed], [['0', '2', '3'], ['wild']])
  assert.equal(threads, 3)
})

test('a full disk ends the build and not the process', async () => {
  const full = () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  await assert.rejects(render({ one: 'First.', two: 'Second.' }, { onPage: full }), /no space left/)
})

test('threads that cannot start fail the build with a reason', async () => {
  const broken = () => new Worker('throw new Error("no such library")', { eval: true })
  await assert.rejects(render({ one: 'First.' }, { start: broken }), /could not work: no such library/)
  const gone = () => new Worker('process.exit(3)', { eval: true })
  await assert.rejects(render({ one: 'First.' }, { start: gone }), /ended at once/)
  const silent = () => new Worker('setInterval(() => {}, 1000)', { eval: true })
  await assert.rejects(
    render({ one: 'First.' }, { start: silent, startTimeoutMs: 50 }),
    /did not begin within 0\.05 seconds/,
  )
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
  assert.ok(!(await readdir(join(into, '_quire'))).includes('search.partial'), 'nothing is left open')
  await rm(source, { recursive: true })
  await rm(into, { recursive: true, force: true })
})
