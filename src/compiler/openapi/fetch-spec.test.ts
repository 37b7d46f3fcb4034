import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { GuardedFetchOptions } from '../../http/index.ts'
import { fetchSpec, type SpecCache, specFetcher } from './fetch-spec.ts'
import { folderSpecCache } from './folder-spec-cache.ts'

let server: Server
let address = ''
let status = 200
let type = 'application/yaml'

before(async () => {
  server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': type })
    response.end('openapi: 3.1.0')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  address = `http://specs.example.com:${typeof bound === 'object' && bound !== null ? bound.port : 0}/openapi.yaml`
})

after(() => {
  server.closeAllConnections()
  server.close()
})

const fetchOptions: GuardedFetchOptions = {
  resolveName: async () => ['127.0.0.1'],
  isAllowedAddress: (ip) => ip === '127.0.0.1',
}

function memory(): SpecCache & { kept: Map<string, string> } {
  const kept = new Map<string, string>()
  return {
    kept,
    read: async (key) => kept.get(key),
    write: async (key, text) => void kept.set(key, text),
  }
}

test('fetches a specification and keeps a copy', async () => {
  const cache = memory()
  const result = await fetchSpec({ address, file: 'docs.json', cache, fetchOptions })
  assert.deepEqual(result, { text: 'openapi: 3.1.0', problems: [] })
  assert.equal(cache.kept.get(address), 'openapi: 3.1.0')
})

test('reports a failure where the project names the address, and uses the last copy', async () => {
  status = 503
  const cache = memory()
  const place = { address, file: 'docs.json', line: 7, column: 3, cache, fetchOptions }
  const failed = await fetchSpec(place)
  assert.equal(failed.text, undefined)
  assert.deepEqual([failed.problems[0]?.severity, failed.problems[0]?.line], ['error', 7])
  assert.match(failed.problems[0]?.message ?? '', /503/)
  cache.kept.set(address, 'kept')
  const kept = await fetchSpec(place)
  assert.deepEqual([kept.text, kept.problems[0]?.severity], ['kept', 'warning'])
  status = 200
})

test('refuses pages and internal hosts with a hint', async () => {
  type = 'text/html'
  const page = await fetchSpec({ address, file: 'docs.json', fetchOptions })
  assert.match(page.problems[0]?.hint ?? '', /itself/)
  type = 'application/yaml'
  for (const internal of ['http://127.0.0.1/x', 'http://metadata.google.internal/x', 'http://[::1]/x']) {
    const result = await fetchSpec({ address: internal, file: 'docs.json' })
    assert.match(result.problems[0]?.hint ?? '', /internal hosts/)
  }
})

test('keeps copies in a folder, and gives the last one when the host is away', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-specs-'))
  try {
    const fetchText = specFetcher({ cache: folderSpecCache(folder), fetchOptions })
    assert.equal(await fetchText(address), 'openapi: 3.1.0')
    status = 500
    assert.equal(await fetchText(address), 'openapi: 3.1.0')
    await assert.rejects(fetchText(`${address}?other`), /answered 500/)
  } finally {
    status = 200
    rmSync(folder, { recursive: true })
  }
})
