import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerMessage, type McpHeaders } from './answer-message.ts'
import type { JsonRpcResponse } from './mcp-api.ts'
import { smallSite } from './testing.ts'

const site = await smallSite()

const ask = async (method: string, params?: Record<string, unknown>, headers?: McpHeaders) => {
  const message = { jsonrpc: '2.0', id: 7, method, ...(params ? { params } : {}) }
  const answer = await answerMessage({ message, site, ...(headers ? { headers } : {}) })
  return { status: answer.status, ...(answer.body as JsonRpcResponse & Answer) }
}

type Answer = {
  result: Record<string, unknown> & {
    content: { text: string }[]
    structuredContent: { results: { path: string; url?: string }[]; content: string; nextOffset?: number }
    isError?: boolean
    tools: { name: string; inputSchema: { properties: Record<string, unknown> } }[]
  }
  error: { code: number; message: string; data?: unknown }
}

const call = (name: string, given: unknown) => ask('tools/call', { name, arguments: given })

test('a handshake settles on the revision that both speak', async () => {
  for (const [asked, spoken] of [
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['2026-07-28', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ] as const) {
    const { result } = await ask('initialize', { protocolVersion: asked, capabilities: {}, clientInfo: {} })
    assert.equal(result.protocolVersion, spoken)
    assert.deepEqual(result.capabilities, { tools: {} })
    assert.match(String(result.instructions), /Kiln/)
  }
  assert.equal((await ask('initialize', {})).error.code, -32602)
  assert.deepEqual((await ask('ping')).result, {})
})

test('the tools are listed with the versions that the site has', async () => {
  const { tools } = (await ask('tools/list')).result
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ['search', 'read_page'],
  )
  const { version } = tools[0]!.inputSchema.properties as { version: { enum: string[] } }
  assert.deepEqual(version.enum, ['2.0', '1.0'])
})

test('search keeps to the default version, or to the one asked for', async () => {
  const { results } = (await call('search', { query: 'fire the kiln' })).result.structuredContent
  assert.equal(results[0]?.path, 'guide/fire')
  assert.equal(results[0]?.url, 'https://kiln.example/docs/guide/fire')
  assert.ok(results.every(({ path }) => path !== 'old/fire'))
  const old = (await call('search', { query: 'fire the kiln', version: '1.0', limit: 1 })).result
  assert.deepEqual(
    old.structuredContent.results.map(({ path }) => path),
    ['old/fire'],
  )
  assert.match(old.content[0]!.text, /path: old\/fire\nurl: https:.*\n\nFire the kiln by hand/)
  const unknown = (await call('search', { query: 'fire', version: '9' })).result
  assert.equal(unknown.isError, true)
  assert.match(unknown.content[0]!.text, /There are: 2\.0, 1\.0/)
  assert.match((await call('search', { query: 'zebra' })).result.content[0]!.text, /Nothing/)
})

test('a page is read by its path or its address, a long one in pieces', async () => {
  for (const path of ['guide/fire', '/guide/fire.md', 'https://kiln.example/docs/guide/fire#cone']) {
    assert.match((await call('read_page', { path })).result.content[0]!.text, /--cone 6/, path)
  }
  let text = ''
  let offset: number | undefined = 0
  let calls = 0
  while (offset !== undefined) {
    const { content, nextOffset }: Answer['result']['structuredContent'] = (
      await call('read_page', { path: 'long', offset })
    ).result.structuredContent
    text += content
    offset = nextOffset
    calls += 1
  }
  assert.equal(text, await site.readPage('long'))
  assert.ok(calls > 1)
  for (const path of ['../secret', 'https://other.example/guide/fire', 'nowhere', '.quire/assistant']) {
    assert.equal((await call('read_page', { path })).result.isError, true, path)
  }
})

test('mistakes of the caller are told: in the result for a tool, as an error for the protocol', async () => {
  for (const given of [
    {},
    { query: '' },
    { query: 3 },
    { query: 'x', limit: 999 },
    { query: 'x', more: 1 },
    [],
  ]) {
    assert.equal((await call('search', given)).result.isError, true, JSON.stringify(given))
  }
  assert.equal((await call('remove_page', {})).error.code, -32602)
  assert.equal((await ask('resources/list')).error.code, -32601)
  for (const message of [
    null,
    3,
    'x',
    {},
    { jsonrpc: '1.0', id: 1, method: 'ping' },
    { id: {}, method: 'ping' },
  ]) {
    const { status, body } = await answerMessage({ message, site })
    assert.equal(status, 400)
    assert.ok(body && 'error' in body && body.error.code === -32600)
  }
})

test('notifications and answers get none', async () => {
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]) {
    assert.deepEqual(await answerMessage({ message, site }), { status: 202 })
  }
})

test('several messages at once are answered in the one revision that has batches', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const messages = [ping, { jsonrpc: '2.0', method: 'notifications/cancelled' }, { ...ping, id: 'two' }]
  const headers = { protocolVersion: undefined, method: undefined, name: undefined }
  const { body } = await answerMessage({ message: messages, site, headers })
  assert.deepEqual(
    (body as { id: unknown }[]).map(({ id }) => id),
    [1, 'two'],
  )
  const later = { ...headers, protocolVersion: '2025-06-18' }
  assert.equal((await answerMessage({ message: messages, site, headers: later })).status, 400)
  assert.equal((await answerMessage({ message: [], site })).status, 400)
  assert.equal((await answerMessage({ message: Array(50).fill(ping), site })).status, 400)
})

test('a revision that is not spoken is refused over HTTP', async () => {
  const headers = { protocolVersion: '1999-01-01', method: undefined, name: undefined }
  const { status, error } = await ask('tools/list', undefined, headers)
  assert.equal(status, 400)
  assert.match(error.message, /2025-11-25/)
})

const meta = (version: string) => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  },
})

test('requests without a handshake say by themselves what they speak', async () => {
  const headers = (method: string, name?: string) => ({ protocolVersion: '2026-07-28', method, name })
  const discovered = await ask('server/discover', meta('2026-07-28'), headers('server/discover'))
  assert.deepEqual(discovered.result.supportedVersions, ['2026-07-28'])
  assert.equal(discovered.result.resultType, 'complete')
  const found = await ask(
    'tools/call',
    { ...meta('2026-07-28'), name: 'search', arguments: { query: 'fire' } },
    headers('tools/call', '=?base64?c2VhcmNo?='),
  )
  assert.equal(found.result.resultType, 'complete')
  assert.equal(found.result.structuredContent.results[0]?.path, 'guide/fire')

  const gone = await ask('ping', meta('2026-07-28'), headers('ping'))
  assert.deepEqual([gone.status, gone.error.code], [404, -32601])
  const future = { ...headers('tools/list'), protocolVersion: '2031-01-01' }
  const unknown = await ask('tools/list', meta('2031-01-01'), future)
  assert.deepEqual([unknown.status, unknown.error.code], [400, -32022])
  assert.deepEqual(unknown.error.data, { supported: ['2026-07-28'], requested: '2031-01-01' })
})

test('headers that do not repeat the message are refused', async () => {
  const params = { ...meta('2026-07-28'), name: 'search', arguments: { query: 'fire' } }
  for (const [headers, code] of [
    [{ protocolVersion: undefined, method: 'tools/call', name: 'search' }, -32020],
    [{ protocolVersion: '2025-11-25', method: 'tools/call', name: 'search' }, -32020],
    [{ protocolVersion: '2026-07-28', method: 'tools/list', name: 'search' }, -32020],
    [{ protocolVersion: '2026-07-28', method: 'tools/call', name: 'read_page' }, -32020],
  ] as const) {
    const { status, error } = await ask('tools/call', params, headers)
    assert.deepEqual([status, error.code], [400, code], JSON.stringify(headers))
  }
  const bare = { protocolVersion: '2026-07-28', method: 'tools/list', name: undefined }
  const { status, error } = await ask('tools/list', {}, bare)
  assert.deepEqual([status, error.code], [400, -32602])
})
