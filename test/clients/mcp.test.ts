import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { compileSite } from '../../src/compiler/index.ts'
import { root, startQuire } from '../journeys/support.ts'

const skip = existsSync(join(import.meta.dirname, 'node_modules/@modelcontextprotocol/sdk/package.json'))
  ? false
  : 'the clients are not installed: npm ci --prefix test/clients'

/** What the official clients, whatever their version, have in common here. */
type Client = {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  close(): Promise<void>
}

const program = (folder: string) => ({
  command: process.execPath,
  args: [join(root, 'src/cli/main.ts'), 'mcp', folder],
})

test('the official clients of every revision ask a started server and quire mcp', {
  skip,
}, async (context) => {
  const url = await startServer(context)
  const bundle = await makeBundle(context)

  await context.test('with a handshake', async () => {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
    const http = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
    const stdio = await import('@modelcontextprotocol/sdk/client/stdio.js')
    for (const transport of [
      new http.StreamableHTTPClientTransport(url),
      new stdio.StdioClientTransport(program(bundle)),
    ]) {
      const client = new Client({ name: 'quire-test', version: '1.0.0' })
      await client.connect(transport)
      assert.equal(client.getServerVersion()?.name, 'quire')
      assert.match(client.getInstructions() ?? '', /Quire/)
      await client.ping()
      await tryTools(client as Client)
    }
  })

  for (const mode of ['legacy', { pin: '2026-07-28' }, 'auto'] as const) {
    await context.test(`with the revision ${JSON.stringify(mode)} of the newer client`, async () => {
      const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
      const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
      for (const transport of [
        new StreamableHTTPClientTransport(url),
        new StdioClientTransport(program(bundle)),
      ]) {
        const client = new Client({ name: 'quire-test', version: '1.0.0' }, { versionNegotiation: { mode } })
        await client.connect(transport)
        const version = client.getNegotiatedProtocolVersion()
        assert.equal(version, mode === 'legacy' ? '2025-11-25' : '2026-07-28')
        await tryTools(client as Client)
      }
    })
  }
})

async function tryTools(client: Client): Promise<void> {
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['search', 'read_page'],
  )
  const found = await call(client, 'search', { query: 'How do I roll back a release?', limit: 3 })
  const results = found.structuredContent?.results as { path: string; content: string }[]
  assert.ok(results.length > 0 && results.length <= 3)
  assert.equal(results[0]?.path, 'publish/releases')
  assert.match(found.content[0]!.text, /rollback/)
  const page = await call(client, 'read_page', { path: results[0]!.path })
  assert.match(page.content[0]!.text, /quire rollback/)
  const missing = await call(client, 'read_page', { path: 'nowhere' })
  assert.equal(missing.isError, true)
  await assert.rejects(call(client, 'delete_page', {}), /no such tool/)
  await client.close()
}

async function call(client: Client, name: string, given: Record<string, unknown>) {
  return (await client.callTool({ name, arguments: given })) as {
    content: { text: string }[]
    structuredContent?: Record<string, unknown>
    isError?: boolean
  }
}

/** A server on our own documentation. */
async function startServer(context: TestContext): Promise<URL> {
  const data = await mkdtemp(join(tmpdir(), 'quire-mcp-client-'))
  context.after(() => rm(data, { recursive: true, force: true }))
  const { url } = await startQuire(context, { environment: {}, data }, [], {})
  return new URL('/sites/docs/mcp', url)
}

async function makeBundle(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-mcp-bundle-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  await compileSite({ source: join(root, 'docs'), into: join(folder, 'bundle') })
  return join(folder, 'bundle')
}
