import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { temporaryFolder, testArchive } from '../bundle/testing.ts'
import { compileSite } from '../compiler/index.ts'

const main = join(import.meta.dirname, 'main.ts')

test('quire mcp answers a message a line from a folder or an archive, and ends with its input', async (context) => {
  const { folder, archive } = await bundle(context)
  const lines = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'search', arguments: { query: 'descale' } },
    },
    {
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: { name: 'read_page', arguments: { path: '/care' } },
    },
  ]
  const input = `${lines.map((line) => JSON.stringify(line)).join('\n')}\nnonsense\n`
  for (const args of [[folder], [archive, '--url', 'https://docs.example.com/']]) {
    const { code, stdout, stderr } = await quireMcp(args, input)
    assert.equal(code, 0, stderr)
    const [first, second, third, fourth, ...rest] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(rest, [])
    assert.equal(first.result.protocolVersion, '2025-06-18')
    const [hit] = second.result.structuredContent.results
    assert.equal(hit.path, 'care')
    assert.equal(hit.url, args.length > 1 ? 'https://docs.example.com/care#descale' : undefined)
    assert.match(third.result.content[0].text, /citric acid/)
    assert.equal(fourth.error.code, -32700)
  }
})

test('quire mcp says what is wrong with what it was given', async (context) => {
  const folder = await temporaryFolder(context)
  await writeFile(join(folder, 'broken.tar.gz'), 'no archive')
  for (const [args, expected] of [
    [[join(folder, 'nothing')], /There is no file or folder/],
    [[folder], /is no bundle/],
    [[join(folder, 'broken.tar.gz')], /is refused/],
    [[folder, '--url', 'docs'], /--url takes an address/],
  ] as const) {
    const { code, stderr } = await quireMcp([...args], '')
    assert.equal(code, 1)
    assert.match(stderr, expected)
  }
})

async function bundle(context: TestContext) {
  const scratch = await temporaryFolder(context)
  const [source, folder, archive] = ['source', 'bundle', 'bundle.tar.gz'].map((name) => join(scratch, name))
  await mkdir(source!)
  await writeFile(
    join(source!, 'docs.json'),
    '{ "name": "Boiler", "navigation": { "pages": ["index", "care"] } }',
  )
  await writeFile(join(source!, 'index.mdx'), '---\ntitle: Boiler\n---\n\nA boiler for tea.\n')
  await writeFile(
    join(source!, 'care.mdx'),
    '---\ntitle: Care\n---\n\n## Descale\n\nDescale it with citric acid.\n',
  )
  await compileSite({ source: source!, into: folder! })
  await writeFile(archive!, await testArchive(folder!))
  return { folder: folder!, archive: archive! }
}

async function quireMcp(args: string[], input: string) {
  const child = spawn(process.execPath, [main, 'mcp', ...args], { stdio: 'pipe' })
  child.stdin.on('error', () => {}) // It may end before it reads.
  child.stdin.end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}
