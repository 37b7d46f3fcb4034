import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { verifyBundle } from '../bundle/index.ts'
import { CompileError, type CompileOptions, compileSite } from './index.ts'

const fixtures = join(import.meta.dirname, '../../test/fixtures/compiler')

async function compile(name: string, options: Partial<CompileOptions> = {}) {
  const into = await mkdtemp(join(tmpdir(), 'quire-compile-'))
  const result = await compileSite({ source: join(fixtures, name), into, workers: 0, ...options })
  return { into, result, read: (path: string) => readFile(join(into, path), 'utf8') }
}

test('compiles a project into a bundle that verifies', async () => {
  const { into, result, read } = await compile('basics', { siteUrl: 'https://docs.example.com' })
  await verifyBundle(into)
  assert.equal(result.name, 'Lantern')
  assert.equal(result.failedPages.length, 0)
  const page = await read('index.html')
  assert.match(page, /Lantern has 24 watts/)
  assert.match(page, /Hello, Ada!/)
  assert.match(page, /<li>DESK<\/li>/)
  assert.doesNotMatch(page, /FLOOR/)
  assert.match(page, /\/v1\/\{id\}/)
  assert.match(page, /kept words/)
  assert.match(page, /id="begin"/)
  assert.match(page, /id="what’s-new"/)
  assert.match(page, /id="what’s-new-2"/)
  await rm(into, { recursive: true })
})

test('links relatively, through redirects too', async () => {
  const { into, read } = await compile('basics')
  const page = await read('index.html')
  assert.match(page, /href="guide\/install.html#set-up"/)
  assert.equal(page.match(/<a href="guide\/install.html">(?:old|older)<\/a>/g)?.length, 2)
  const install = await read('guide/install.html')
  assert.match(install, /href="..\/index.html"/)
  assert.match(await read('old-install.html'), /url=guide\/install.html/)
  assert.match(await read('v1/install.html'), /url=..\/guide\/install.html/)
  await rm(into, { recursive: true })
})

test('lets no code of an author through', async () => {
  const { into, read } = await compile('basics')
  for (const path of ['index.html', 'guide/plain.html', 'images/lamp.svg']) {
    assert.doesNotMatch(await read(path), /steal/)
  }
  await rm(into, { recursive: true })
})

test('tells every mistake with its place', async () => {
  const { into, result } = await compile('basics')
  const told = result.problems.map(({ code, file, line }) => `${code} ${file}:${line}`)
  for (const expected of [
    'missing_page docs.json:12',
    'undefined_name index.mdx:12',
    'unknown_component index.mdx:20',
    'broken_link index.mdx:22',
    'missing_file index.mdx:24',
    'event_handler index.mdx:32',
    'active_content index.mdx:34',
    'broken_anchor guide/install.mdx:6',
    'unreachable_redirect docs.json:23',
  ]) {
    assert.ok(told.includes(expected), `${expected} is missing in:\n${told.join('\n')}`)
  }
  assert.ok(result.problems.every((problem) => problem.hint !== ''))
  await rm(into, { recursive: true })
})

test('shows a page whose MDX is broken, and says where', async () => {
  const { into, result, read } = await compile('basics')
  const page = await read('guide/overview.html')
  assert.match(page, /The end\./)
  assert.match(page, /\{braces that\}/)
  assert.ok(result.problems.some(({ code, file }) => code === 'broken_mdx' && file === 'guide/overview.mdx'))
  await rm(into, { recursive: true })
})

test('treats .md as Markdown, where braces are text', async () => {
  const { into, read } = await compile('basics')
  const page = await read('guide/plain.html')
  assert.match(page, /\{this\}/)
  assert.match(page, /<kbd>tags<\/kbd>/)
  assert.match(page, /href="install.html"/)
  await rm(into, { recursive: true })
})

test('publishes neither hidden folders, nor ignored files, nor snippets', async () => {
  const { into } = await compile('basics')
  for (const path of ['.hidden/key.txt', 'drafts/one.html', 'snippets/greeting.html', 'docs.json']) {
    assert.ok(!existsSync(join(into, path)), path)
  }
  await rm(into, { recursive: true })
})

test('writes a Markdown twin, llms.txt, a sitemap and a feed', async () => {
  const { into, read } = await compile('basics', { siteUrl: 'https://docs.example.com/' })
  assert.match(await read('index.md'), /> \*\*Note\*\*\n>\n> Mind the \*\*glass\*\*\./)
  assert.match(await read('index.md'), /```ts title="lamp.ts" \{1\}\nconst lamp/)
  assert.match(await read('llms.txt'), /\[Install\]\(https:\/\/docs.example.com\/guide\/install.md\)/)
  const sitemap = await read('sitemap.xml')
  assert.match(sitemap, /<loc>https:\/\/docs.example.com\/guide\/install<\/loc>/)
  assert.doesNotMatch(sitemap, /secret/)
  assert.match(await read('changelog.xml'), /<title>2026-08-21<\/title>/)
  assert.match(await read('changelog.xml'), /<pubDate>Fri, 21 Aug 2026/)
  await rm(into, { recursive: true })
})

test('builds the same bytes with threads, from the cache, and in another time zone', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'quire-cache-'))
  const zone = process.env.TZ
  const first = await compile('basics', { workers: 0 })
  process.env.TZ = 'Pacific/Auckland'
  const second = await compile('basics', { workers: 2, cache })
  process.env.TZ = zone ?? ''
  if (zone === undefined) delete process.env.TZ
  const third = await compile('basics', { workers: 1, cache })
  assert.equal(second.result.digest, first.result.digest)
  assert.equal(third.result.digest, first.result.digest)
  assert.deepEqual(third.result.problems, first.result.problems)
  for (const folder of [cache, first.into, second.into, third.into]) await rm(folder, { recursive: true })
})

test('compiles only the pages that are asked for, and names one that is not there', async () => {
  const { into, result } = await compile('basics', { paths: ['/guide/install'] })
  assert.equal(result.pageCount, 1)
  assert.ok(existsSync(join(into, 'guide/install.html')))
  assert.ok(!existsSync(join(into, 'changelog.html')))
  await assert.rejects(compile('basics', { paths: ['guide/none'] }), (error: unknown) => {
    return error instanceof CompileError && error.message.includes('guide/none')
  })
  await rm(into, { recursive: true })
})

test('says where docs.json is broken', async () => {
  const source = await mkdtemp(join(tmpdir(), 'quire-broken-'))
  await writeFile(join(source, 'docs.json'), '{\n  "name": "x",\n  "navigation": { "pages": ["a" "b"] }\n}\n')
  await assert.rejects(compileSite({ source, into: join(source, 'out') }), (error: unknown) => {
    const [problem] = error instanceof CompileError ? error.problems : []
    assert.deepEqual([problem?.file, problem?.line], ['docs.json', 3])
    return true
  })
  await rm(source, { recursive: true })
})
