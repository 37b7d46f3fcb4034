import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import Fastify from 'fastify'
import type { Database } from '../backends/index.ts'
import { testOnEveryEngine } from '../backends/testing.ts'
import { installErrorHandling } from '../http/index.ts'
import { smallSite } from '../mcp/testing.ts'
import { createOrganization, createSite } from '../sites/index.ts'
import { allMigrations } from './open-node.ts'
import { serveMcp } from './serve-mcp.ts'

testOnEveryEngine(
  'every site has its address for the protocol, and its host names have one too',
  allMigrations,
  async (database, context) => {
    const { post } = await start(context, database)
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    for (const [url, host, status] of [
      ['/sites/kiln/mcp', 'quire.example', 200],
      ['/mcp', 'docs.kiln.example', 200],
      ['/mcp', 'kiln.quire.example', 200],
      ['/mcp', 'quire.example', 404],
      ['/mcp', 'attacker.example', 404],
      ['/sites/unknown/mcp', 'quire.example', 404],
      ['/sites/empty/mcp', 'quire.example', 404],
    ] as const) {
      const answer = await post(url, list, { host })
      assert.equal(answer.statusCode, status, `${host}${url}`)
      if (status === 200) assert.match(answer.body, /"read_page"/)
    }
  },
)

testOnEveryEngine(
  'pages of other origins are kept out, and those of the site and of the own machine let in',
  allMigrations,
  async (database, context) => {
    const { app, post } = await start(context, database)
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    for (const [origin, status] of [
      ['https://quire.example', 200],
      ['https://docs.kiln.example', 200],
      ['http://localhost:6274', 200],
      ['https://attacker.example', 403],
      ['http://localhost.attacker.example', 403],
      ['null', 403],
    ] as const) {
      const answer = await post('/sites/kiln/mcp', ping, { origin })
      assert.equal(answer.statusCode, status, origin)
      assert.equal(answer.headers['access-control-allow-origin'], status === 200 ? origin : undefined)
      const preflight = await app.inject({ method: 'OPTIONS', url: '/sites/kiln/mcp', headers: { origin } })
      assert.equal(preflight.statusCode, status === 200 ? 204 : 403, `preflight of ${origin}`)
    }
  },
)

testOnEveryEngine(
  'addresses are held to a limit, and bodies to a size',
  allMigrations,
  async (database, context) => {
    const { post } = await start(context, database)
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const large = await post('/sites/kiln/mcp', { ...ping, params: { text: 'x'.repeat(300_000) } })
    assert.equal(large.statusCode, 413)
    for (let sent = 0; sent < 20; sent += 1) await post('/sites/kiln/mcp', ping)
    const refused = await post('/sites/kiln/mcp', ping)
    assert.equal(refused.statusCode, 429)
    assert.ok(Number(refused.headers['retry-after']) > 0)
  },
)

async function start(context: TestContext, database: Database) {
  await createOrganization(database, { id: 'org', name: 'o', plan: 'enterprise', createdAt: 0 })
  const common = { organizationId: 'org', name: 'a', createdAt: 0 }
  await createSite(database, { ...common, id: 'one', domain: 'kiln', hosts: ['docs.kiln.example'] })
  await createSite(database, { ...common, id: 'two', domain: 'empty', hosts: [] })
  const site = await smallSite()
  const app = Fastify()
  installErrorHandling(app)
  serveMcp(app, {
    database,
    published: { open: async ({ id }) => (id === 'one' ? site : null) },
    clock: () => Date.UTC(2026, 10, 1),
    publicUrl: () => 'https://quire.example',
    siteUrl: () => 'https://docs.kiln.example',
    addressDailyLimit: 20,
  })
  context.after(() => app.close())
  await app.ready()
  return {
    app,
    post: (url: string, payload: object, headers: Record<string, string> = {}) =>
      app.inject({ method: 'POST', url, payload, headers }),
  }
}
