import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type CompileResult, compileSite } from '../index.ts'
import { endpointModel, listOperations } from './index.ts'
import { specFrom } from './testing.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-api-'))
  folders.push(folder)
  return folder
}

async function compile(
  source: string,
  paths?: string[],
): Promise<CompileResult & { read: (path: string) => string; into: string }> {
  const into = join(temporaryFolder(), 'bundle')
  const result = await compileSite({ source, into, workers: 0, ...(paths === undefined ? {} : { paths }) })
  return { ...result, into, read: (path) => readFileSync(join(into, path), 'utf8') }
}

const fixture = fileURLToPath(new URL('../../../test/fixtures/openapi/', import.meta.url))

test('a project with specifications becomes pages for every operation, webhook, channel and model', async () => {
  const site = await compile(fixture)
  assert.deepEqual(site.failedPages, [])
  const list = site.read('api-reference/plant-care/list-all-plants.html')
  assert.match(list, /id="query-parameters"/)
  assert.match(list, /id="query-limit"/)
  assert.match(list, /data-label="Python"/)
  assert.match(list, /Plant care/)
  assert.match(list, /method-get/)
  assert.ok(existsSync(join(site.into, 'guides/photos.html')))
  assert.match(site.read('guides/photos.html'), /Photos are shrunk/)
  assert.ok(!existsSync(join(site.into, 'api-reference/internal.html')))
  assert.match(site.read('events/post-search.html'), /id="body-query"/)
  assert.match(site.read('api-reference/websockets/room.html'), /wss:\/\/chat\.example/)
  assert.match(site.read('hook.html'), /webhook/)
  assert.match(site.read('channel.html'), /id="message-said"/)
  assert.match(site.read('model.html'), /id="field-name"/)
  const manual = site.read('manual.html')
  assert.match(manual, /https:\/\/manual\.example\/v1\/seeds/)
  assert.match(manual, /X-Key/)
  for (const page of ['hook', 'channel', 'model', 'manual', 'missing', 'photo']) {
    assert.doesNotMatch(site.read(`${page}.html`), /\[object Object\]|>undefined</, page)
  }
})

test('an example of the author stands in the place of the one that is made', async () => {
  const photo = (await compile(fixture)).read('photo.html')
  assert.match(photo, /garden show p1/)
  assert.doesNotMatch(photo, /data-label="cURL"/)
  assert.ok(photo.indexOf('Have a camera') < photo.indexOf('id="path-parameters"'))
})

test('a missing operation is a report that names its neighbour and a page that can be read', async () => {
  const site = await compile(fixture)
  const problem = site.problems.find((entry) => entry.code === 'missing_operation')
  assert.equal(problem?.file, 'missing.mdx')
  assert.match(problem?.hint ?? '', /GET \/plants/)
  assert.match(site.read('missing.html'), /does not contain/)
})

test('a link into a page made from a specification is not broken', async () => {
  const site = await compile(fixture)
  const broken = site.problems.filter(
    (entry) => entry.code === 'broken_link' || entry.code === 'broken_anchor',
  )
  assert.deepEqual(broken, [])
})

test('the largest specification of the wild, 582 operations over schemas that hold each other, gives small pages', async () => {
  const source = temporaryFolder()
  const text = JSON.stringify(largeSpec(582))
  const navigation = { tabs: [{ tab: 'API', openapi: 'big.json' }] }
  writeFileSync(
    join(source, 'docs.json'),
    JSON.stringify({ name: 'Big', colors: { primary: '#000' }, navigation }),
  )
  writeFileSync(join(source, 'big.json'), text)
  const paths = [0, 290, 581].map((number) => `api-reference/tag-${number % 30}/operation-${number}`)
  const site = await compile(source, paths)
  assert.deepEqual(site.failedPages, [])
  for (const path of paths) assert.ok(site.read(`${path}.html`).length < 500_000, path)
  const spec = specFrom('big.json', text)
  const operations = listOperations(spec)
  assert.equal(operations.length, 582)
  for (const operation of operations) {
    assert.ok(JSON.stringify(endpointModel(spec, operation)).length < 400_000, operation.path)
  }
})

/** About four megabytes; every schema leads to three others, so that no tree would end by itself. */
function largeSpec(operations: number): unknown {
  const schemas: Record<string, unknown> = {}
  for (let schema = 0; schema < 500; schema += 1) {
    const properties: Record<string, unknown> = {}
    for (let field = 0; field < 18; field += 1) {
      const target = (schema * 7 + field * 13) % 500
      const description = `Field ${field} of schema ${schema}, with as many words about it as real specifications have.`
      properties[`field_${field}`] =
        field % 6 === 5 ? { $ref: `#/components/schemas/Schema${target}` } : { type: 'string', description }
    }
    schemas[`Schema${schema}`] = { type: 'object', required: ['field_0'], properties }
  }
  const paths: Record<string, unknown> = {}
  for (let number = 0; number < operations; number += 1) {
    const content = { 'application/json': { schema: { $ref: `#/components/schemas/Schema${number % 500}` } } }
    paths[`/things/${number}`] = {
      post: {
        tags: [`Tag ${number % 30}`],
        summary: `Operation ${number}`,
        requestBody: { content },
        responses: { 200: { description: 'Done', content }, 400: { description: 'Bad', content } },
      },
    }
  }
  return { openapi: '3.1.0', info: { title: 'Big', version: '1' }, paths, components: { schemas } }
}
