import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { compileSite } from './index.ts'

async function compile(context: TestContext, files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'quire-endpoints-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'docs', path)), { recursive: true })
    writeFileSync(join(folder, 'docs', path), text)
  }
  const into = join(folder, 'bundle')
  const result = await compileSite({ source: join(folder, 'docs'), into, workers: 0 })
  return { ...result, read: (path: string) => readFileSync(join(into, path), 'utf8') }
}

const spec = (summary: string, paths = ['/pets']) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: summary, version: '1' },
    paths: Object.fromEntries(
      paths.map((path) => [path, { get: { summary, responses: { 200: { description: 'Fine' } } } }]),
    ),
  })

const page = (reference: string) => `---\nopenapi: ${reference}\n---\n`

test('an operation without a file is looked for in the group, then the tab, then the project', async (context) => {
  const site = await compile(context, {
    'docs.json': JSON.stringify({
      name: 'Pets',
      colors: { primary: '#146c5c' },
      api: { openapi: 'z-project.json' },
      navigation: {
        tabs: [
          {
            tab: 'Tab',
            openapi: 'y-tab.json',
            groups: [
              { group: 'Own', openapi: 'x-group.json', pages: ['group', 'only-tab', 'only-project'] },
              { group: 'None', pages: ['tab'] },
            ],
          },
          { tab: 'Other', pages: ['project'] },
        ],
      },
    }),
    'a-unrelated.json': spec('Unrelated', ['/pets', '/owners', '/farms']),
    'x-group.json': spec('Of the group'),
    'y-tab.json': spec('Of the tab', ['/pets', '/owners']),
    'z-project.json': spec('Of the project', ['/pets', '/owners', '/farms']),
    'group.mdx': page('GET /pets'),
    'only-tab.mdx': page('GET /owners'),
    'only-project.mdx': page('GET /farms'),
    'tab.mdx': page('GET /pets'),
    'project.mdx': page('GET /pets'),
  })
  const titleOf = (path: string) => /<h1[^>]*>([^<]*)/.exec(site.read(`${path}.html`))?.[1]
  assert.deepEqual(['group', 'only-tab', 'only-project', 'tab', 'project'].map(titleOf), [
    'Of the group',
    'Of the tab',
    'Of the project',
    'Of the tab',
    'Of the project',
  ])
})

test('an operation that is not there is reported on the line that names it', async (context) => {
  const site = await compile(context, {
    'docs.json': JSON.stringify({
      name: 'Pets',
      colors: { primary: '#146c5c' },
      navigation: { pages: ['index'] },
    }),
    'pets.json': spec('Pets'),
    'index.mdx': '---\r\ntitle: GET /pet\r\nopenapi: "GET /pet"\r\n---\r\n',
  })
  const found = site.problems.find(({ code }) => code === 'missing_operation')
  assert.deepEqual([found?.file, found?.line, found?.column], ['index.mdx', 3, 10])
})
