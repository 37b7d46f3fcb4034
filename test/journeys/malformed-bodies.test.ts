import assert from 'node:assert/strict'
import { errorSchema } from '../../src/http/errors-api.ts'
import { journey, json } from './support.ts'

type Description = { paths: Record<string, Record<string, { requestBody?: unknown; security?: object[] }>> }

const question = { id: 'm', role: 'user', content: 'hello', parts: [{ type: 'text', text: 'hello' }] }

/** Values that do not belong where a field wants something else. */
const oddValues: unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  0.5,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  "' or 1=1 --",
  'x'.repeat(5_000),
  [],
  [[]],
  {},
  { length: -1 },
  { $gt: '' },
  { constructor: { prototype: { polluted: true } } },
]

const fields = [
  'domain',
  'version',
  'paths',
  'fp',
  'messages',
  'threadId',
  'retrievalPageSize',
  'filter',
  'context',
  'currentPath',
  'query',
  'pageSize',
  'scoreThreshold',
  'path',
  'hosts',
  'kind',
  'name',
  'releaseId',
  'expiresInDays',
  'overlapSeconds',
] as const

/** Texts that are no JSON, or JSON that no client means. */
const oddTexts = [
  '',
  '{',
  '[',
  'null',
  'true',
  '42',
  '"text"',
  '[]',
  '[{}]',
  '{"a":1,}',
  "{'a':1}",
  'NaN',
  '1e999',
  '{"fp":1e999}',
  '\ufeff{}',
  '{"domain":"docs","domain":7}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  '\u0000',
  '{"domain":"\\u0000"}',
  '{"domain":"\\ud800"}',
  '<xml/>',
  'a=b&c=d',
]

function bodies(): string[] {
  const single = fields.flatMap((field) =>
    oddValues.slice(0, 8).map((value) => JSON.stringify({ [field]: value })),
  )
  const inside = oddValues.flatMap((value) => [
    JSON.stringify({ fp: 'f', messages: [value] }),
    JSON.stringify({ fp: 'f', messages: [{ ...question, role: value }] }),
    JSON.stringify({ fp: 'f', messages: [{ ...question, parts: [value] }] }),
    JSON.stringify({
      fp: value,
      messages: value,
      domain: value,
      query: value,
      path: value,
      kind: value,
      hosts: [value],
    }),
  ])
  const all = [...oddTexts, ...single, ...inside]
  assert.ok(all.length >= 200, `${all.length} bodies`)
  return all
}

const contentTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/gzip',
  'multipart/form-data',
  '',
]

journey('200 malformed bodies to each endpoint get the one error shape and never a 5xx', async (start) => {
  const quire = await start([], {
    QUIRE_ORGANIZATION_HOURLY_LIMIT: '1000000',
    QUIRE_ADDRESS_DAILY_LIMIT: '1000000',
  })
  const description = await json<Description>(fetch(`${quire.url}/openapi.json`))
  const endpoints = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  assert.ok(endpoints.length >= 15)
  for (const { path, method, operation } of endpoints) {
    if (method === 'GET') continue
    const key = JSON.stringify(operation.security ?? []).includes('assistantKey')
      ? quire.assistantKey
      : quire.adminKey
    const address =
      quire.url +
      path
        .replace('{domain}', 'docs')
        .replace('{jobId}', 'se_0')
        .replace(/\{\w+\}/g, 'x%00y')
    await sendAll({ address, method, key })
  }
  assert.equal((await fetch(`${quire.url}/healthz`)).status, 200)
  assert.equal((await fetch(`${quire.url}/readyz`)).status, 200)
})

async function sendAll(target: { address: string; method: string; key: string }): Promise<void> {
  const queue = bodies().map((body, index) => ({
    body,
    contentType: index % 9 === 8 ? contentTypes[index % 6]! : 'application/json',
  }))
  const work = async (): Promise<void> => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const response = await fetch(target.address, {
        method: target.method,
        headers: { authorization: `Bearer ${target.key}`, 'content-type': next.contentType },
        body: next.body,
      })
      const text = await response.text()
      const told = `${target.method} ${target.address} ${next.contentType} ${next.body.slice(0, 200)} → ${response.status} ${text.slice(0, 300)}`
      assert.ok(response.status < 500, told)
      assert.ok(response.headers.get('x-request-id'), told)
      if (response.status < 400) continue // Some bodies fit an endpoint that asks for little.
      const parsed = errorSchema.safeParse(JSON.parse(text))
      assert.ok(parsed.success, told)
      assert.equal(parsed.data.status, response.status)
      assert.doesNotMatch(text, /node_modules|\bat \w+ \(|select .* from|src\/|\/tmp\//i, told)
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
}
