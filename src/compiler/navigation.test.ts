import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { SiteIndex } from '../bundle/index.ts'
import { CompileError, type CompileResult, compileSite } from './index.ts'
import { findDeadLinks } from './testing.ts'

const source = join(import.meta.dirname, '../../test/fixtures/compiler/containers')
let into = ''
let result: CompileResult
let index: SiteIndex
const read = (path: string) => readFile(join(into, path), 'utf8')

before(async () => {
  into = await mkdtemp(join(tmpdir(), 'quire-navigation-'))
  result = await compileSite({ source, into, workers: 0 })
  index = JSON.parse(await read('_quire/site.json')) as SiteIndex
})
after(() => rm(into, { recursive: true }))

test('every page of every container is rendered and every link is alive', async () => {
  assert.deepEqual(
    result.problems.filter((problem) => problem.severity === 'error'),
    [],
  )
  assert.deepEqual(
    (await findDeadLinks(into)).filter(({ page }) => page !== '404.html'),
    [],
  )
})

test('knows versions and languages and their defaults', () => {
  assert.deepEqual([index.versions, index.defaultVersion], [['v2', 'v1'], 'v2'])
  assert.deepEqual([index.languages, index.defaultLanguage], [['en', 'ar'], 'en'])
  assert.equal(index.home, 'en/v2/index')
  const old = index.pages.find((page) => page.path === 'en/v1/old')
  assert.deepEqual([old?.version, old?.language], ['v1', 'en'])
})

test('leads from a page to the same page in another version and language', async () => {
  const page = await read('en/v2/start.html')
  assert.match(page, /href="\.\.\/v1\/start\.html"/)
  assert.match(page, /href="\.\.\/\.\.\/ar\/v2\/start\.html"/)
})

test('writes right-to-left languages from right to left, with their own banner', async () => {
  const page = await read('ar/v2/start.html')
  assert.match(page, /<html lang="ar" dir="rtl"/)
  assert.match(page, /مرحبا/)
  assert.doesNotMatch(await read('en/v2/start.html'), /مرحبا/)
})

test('expands a specification into a page for each operation', async () => {
  assert.ok(
    index.pages.some((page) => page.path === 'boats-api/fleet/list-boats' && page.title === 'List boats'),
  )
  assert.match(await read('boats-api/fleet/add-a-boat.html'), /api\.example\.com/)
  assert.match(await read('boats-api/fleet/add-a-boat.md'), /POST/)
})

test('makes pages for METHOD /path entries and for frontmatter that names an operation', async () => {
  assert.ok(index.pages.some((page) => page.title === 'One boat' && page.path.startsWith('api-reference/')))
  const create = await read('en/v2/create.html')
  assert.match(create, /\/boats/)
  assert.match(create, /More words\./)
})

test('hides hidden tabs but finds what they say is searchable', async () => {
  const secret = index.pages.find((page) => page.path === 'en/v2/secret')
  assert.equal(secret?.searchable, true)
  assert.doesNotMatch(await read('en/v2/row.html'), /secret/)
})

test('lists the pages of a group on its root page where the navigation asks for it', async () => {
  const root = await read('en/v2/index.html')
  assert.match(root, /About en\/v2\/start\./)
})

test('shows anchors of the whole site on every page', async () => {
  for (const path of ['en/v1/old.html', 'ar/v2/start.html'])
    assert.match(await read(path), /status\.example\.com/)
})

test('a circle of references is an error that shows the circle', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-circle-'))
  await writeFile(join(folder, 'docs.json'), '{ "name": "x", "navigation": { "$ref": "a.json" } }')
  await writeFile(join(folder, 'a.json'), '{ "pages": { "$ref": "b.json" } }')
  await writeFile(join(folder, 'b.json'), '{ "$ref": "./a.json" }')
  await assert.rejects(compileSite({ source: folder, into: join(folder, 'out') }), (error: unknown) => {
    return (
      error instanceof CompileError &&
      error.problems[0]?.code === 'circular_reference' &&
      error.message.includes('a.json → b.json → a.json')
    )
  })
  await rm(folder, { recursive: true })
})

test('compiles only one version when asked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-version-'))
  const only = await compileSite({ source, into: folder, workers: 0, version: 'v1' })
  assert.equal(only.pageCount, 2)
  await assert.rejects(compileSite({ source, into: folder, workers: 0, version: 'v9' }), /v9/)
  await rm(folder, { recursive: true })
})
