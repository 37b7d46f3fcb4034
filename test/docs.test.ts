import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { checkSite, compileSite } from '../src/compiler/index.ts'
import { flagOf, readSettings, settingsSchema, startServer, variableOf } from '../src/server/index.ts'

const root = dirname(import.meta.dirname)
const scratch = await mkdtemp(join(tmpdir(), 'quire-docs-'))
after(() => rm(scratch, { recursive: true, force: true }))

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pages = globSync('docs/**/*.mdx', { cwd: root }).map((path) => ({ path, text: read(path) }))
const commandPage = read('docs/reference/cli.mdx')

test('our own documentation compiles without a problem, and leaves the decisions out', async () => {
  const into = join(scratch, 'bundle')
  const result = await compileSite({ source: join(root, 'docs'), into })
  assert.deepEqual(result.problems, [])
  assert.deepEqual(result.failedPages, [])
  assert.ok(existsSync(join(into, 'quickstart.html')))
  assert.ok(!existsSync(join(into, 'decisions')))
})

test('every page of our documentation stands in its navigation, with a title and a description', () => {
  const navigation = JSON.stringify(JSON.parse(read('docs/docs.json')).navigation)
  for (const { path, text } of pages) {
    const name = path.replace(/^docs\//, '').replace(/\.mdx$/, '')
    if (!name.startsWith('decisions/')) assert.ok(navigation.includes(`"${name}"`), `${name} is not listed`)
    assert.match(text, /^---\ntitle: .+\n(?:.+\n)*?description: .+\n/, path)
  }
})

test('the example project has no problems', async () => {
  assert.deepEqual(await checkSite({ source: join(root, 'examples/docs') }), [])
})

test('the documentation describes every command with its flags', async () => {
  const sections = new Map(
    commandPage
      .split(/^## quire /m)
      .slice(1)
      .map((section) => [/^\w+/.exec(section)?.[0], section]),
  )
  const commands = [...(await quire('--help')).matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map((match) => match[1]!)
  assert.ok(commands.includes('start') && commands.includes('keys'))
  assert.deepEqual([...sections.keys()].sort(), commands.toSorted())
  for (const command of commands) {
    if (command === 'start') continue // Its flags are the settings.
    const help = /const help = `([\s\S]*?)\n`\n/.exec(read(`src/cli/${command}.ts`))?.[1]
    assert.ok(help, `${command} explains itself`)
    for (const [flag] of help.matchAll(/--[a-z][a-z-]+/g)) {
      assert.ok(commandPage.includes(flag), `quire ${command} ${flag}`)
    }
  }
})

test('what the documentation tells people to run are commands that exist', async () => {
  const known = new Set(
    [...(await quire('--help')).matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map((match) => match[1]),
  )
  for (const { path, text } of [...pages, { path: 'README.md', text: read('README.md') }]) {
    for (const [, script = ''] of text.matchAll(/```(?:bash|sh)[^\n]*\n([\s\S]*?)```/g)) {
      for (const [, command] of script.matchAll(/(?:^|\s)(?:\.\/|npx )?quire ([a-z]+)\b/gm)) {
        assert.ok(known.has(command), `${path} runs quire ${command}`)
      }
    }
  }
})

test('the documentation describes every setting with its flag, its variable and its default', () => {
  const page = read('docs/operate/settings.mdx')
  const defaults: Record<string, unknown> = readSettings({ flags: {}, environment: {} })
  for (const name of Object.keys(settingsSchema.shape)) {
    const field = new RegExp(`<ResponseField name="${name}"[\\s\\S]*?</ResponseField>`).exec(page)?.[0]
    assert.ok(field, `${name} is described`)
    assert.ok(field.includes(`\`${flagOf(name)}\`, \`${variableOf(name)}\``), field)
    if (defaults[name] !== undefined) assert.ok(field.includes(`default="${defaults[name]}"`), field)
  }
  for (const [, name = ''] of page.matchAll(/<ResponseField name="(\w+)"/g)) {
    assert.ok(name in settingsSchema.shape, `${name} is a setting`)
  }
})

test('the catalogue lists every error that the server sends', () => {
  const page = read('docs/reference/errors.mdx')
  const codes = sourceTexts(['http', 'server', 'exports', 'mcp', 'assistant', 'sites']).flatMap((text) => [
    ...text.matchAll(/new ApiError\(\s*\d{3},\s*'([a-z_]+)'/g),
    ...text.matchAll(/\[\s*4\d\d,\s*'([a-z_]+)',/g),
  ])
  assert.ok(codes.length > 30)
  for (const [, code] of codes) assert.ok(page.includes(`\`${code}\``), `${code} is in the catalogue`)
})

test('the list of problems has every kind that the compiler reports', () => {
  const page = read('docs/write/problems.mdx')
  const codes = sourceTexts(['compiler', 'theme']).flatMap((text) => [
    ...text.matchAll(/\bcode: '([a-z_]+)'/g),
  ])
  const fatal = new Set(['no_settings', 'no_navigation', 'unknown_version', 'unknown_path'])
  assert.ok(codes.length > 30)
  for (const [, code = ''] of codes) {
    assert.ok(fatal.has(code) || page.includes(`\`${code}\``), `${code} is in the list`)
  }
})

test('openapi.json of the documentation is what the server says of itself', async () => {
  const settings = readSettings({
    flags: { data: join(scratch, 'data'), port: '0', logLevel: 'silent' },
    environment: {},
  })
  const server = await startServer({
    settings,
    environment: {},
    exampleDocs: join(root, 'examples/docs'),
  })
  try {
    const [release] = await server.published
    assert.deepEqual(release?.problems, [])
    const answer = await fetch(`${server.url}/openapi.json`)
    const { servers: _, ...actual } = (await answer.json()) as Record<string, unknown>
    const { servers: __, ...written } = JSON.parse(read('docs/openapi.json'))
    assert.deepEqual(written, actual, 'Run node scripts/write-openapi.ts.')
  } finally {
    await server.stop()
  }
})

test('the README has the two command lines, and leads nowhere that does not exist', () => {
  const readme = read('README.md')
  assert.match(readme, /^npm ci && npm start$/m)
  assert.match(readme, /^npm ci && npm test$/m)
  for (const [, target = ''] of readme.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
    assert.ok(existsSync(join(root, target)), `${target} exists`)
  }
})

test('the walks of ARCHITECTURE.md pass files that exist', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).map((path) => path.replaceAll(sep, '/'))
  const walks = read('ARCHITECTURE.md').split('## Three walks')[1] ?? ''
  const named = [...walks.matchAll(/`([\w/-]+\.ts)`/g)].map((match) => match[1]!)
  assert.ok(named.length > 15)
  for (const name of named)
    assert.ok(
      files.some((file) => file.endsWith(`/${name}`)),
      `${name} exists`,
    )
})

async function quire(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'src/cli/main.ts'), ...args])
  return stdout
}

function sourceTexts(folders: string[]): string[] {
  return globSync(
    folders.map((folder) => `src/${folder}/**/*.ts`),
    { cwd: root },
  )
    .filter((path) => !path.endsWith('.test.ts'))
    .map(read)
}
