import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSpec, looksLikeSpec } from './index.ts'
import { fixtureSpec } from './testing.ts'

test('reads OpenAPI 3.0 in YAML, 3.1 in JSON and AsyncAPI 3', () => {
  assert.deepEqual(pick('garden.yaml'), ['openapi', '3.0.3', 'Garden API'])
  assert.deepEqual(pick('events.json'), ['openapi', '3.1.0', 'Events'])
  assert.deepEqual(pick('chat.yaml'), ['asyncapi', '3.0.0', 'Chat'])
})

function pick(name: string): string[] {
  const spec = fixtureSpec(name)
  return [spec.kind, spec.version, spec.title]
}

test('says what to do with Swagger 2', () => {
  const result = loadSpec({ file: 'old.json', text: '{\n  "swagger": "2.0",\n  "paths": {}\n}' })
  assert.ok(!('document' in result))
  const [problem] = result.problems
  assert.equal(problem?.code, 'unsupported_spec')
  assert.deepEqual([problem?.line, problem?.column], [2, 4])
  assert.match(problem?.message ?? '', /Swagger 2\.0/)
  assert.match(problem?.hint ?? '', /OpenAPI 3/)
})

test('refuses what is no specification', () => {
  for (const text of ['', 'hello', '[]', '{"name":"x"}', 'openapi: 4.0.0', 'asyncapi: 2.6.0', 'null']) {
    const result = loadSpec({ file: 'x.yaml', text })
    assert.ok(!('document' in result), text)
    assert.ok(result.problems.length > 0, text)
  }
})

test('gives the place of a mistake in JSON and still reads what it can', () => {
  const result = loadSpec({ file: 'x.json', text: '{\n  "openapi": "3.0.0",\n  "paths": {},\n}' })
  assert.ok('document' in result)
  assert.deepEqual([result.problems[0]?.line, result.problems[0]?.column], [4, 1])
})

test('gives the place of a mistake in YAML and still reads what it can', () => {
  const text = 'openapi: 3.0.0\ninfo: {title: A}\npaths:\n  /a:\n    get: {summary: "x}\n'
  const result = loadSpec({ file: 'x.yaml', text })
  assert.ok(result.problems.length > 0)
  assert.ok((result.problems[0]?.line ?? 0) >= 5)
})

test('survives anchors that contain themselves and nesting without end', () => {
  assert.ok(loadSpec({ file: 'x.yaml', text: 'openapi: 3.0.0\npaths: &a\n  b: *a\n' }).problems.length > 0)
  const deep = `openapi: 3.0.0\nx: ${'['.repeat(50_000)}`
  assert.ok(loadSpec({ file: 'x.yaml', text: deep }).problems.length > 0)
})

test('knows a specification by its beginning', () => {
  assert.ok(looksLikeSpec('{"openapi":"3.0.0"}'))
  assert.ok(looksLikeSpec('# a\nasyncapi: 3.0.0'))
  assert.ok(looksLikeSpec('\n{\n "info": {},\n "swagger": "2.0"}'))
  assert.ok(!looksLikeSpec('{"name":"docs","navigation":{"tabs":[{"tab":"API","openapi":"openapi.json"}]}}'))
  assert.ok(!looksLikeSpec('{"navigation":{"openapi": {"source": "/openapi.json"}}}'))
})
