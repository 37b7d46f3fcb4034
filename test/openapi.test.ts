import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { readSettings, startServer } from '../src/server/index.ts'

type Schema = {
  $ref?: string
  type?: string | string[]
  const?: string
  enum?: string[]
  default?: unknown
  maxLength?: number
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  oneOf?: Schema[]
  anyOf?: Schema[]
}
type Operation = {
  deprecated?: boolean
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>
  parameters?: { name: string; in: string; required?: boolean }[]
  security?: Record<string, string[]>[]
}
type Description = {
  openapi: string
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const root = new URL('../', import.meta.url).pathname
const contract = join(root, '../shared/spec/api-description.md')
const skip = existsSync(contract)
  ? false
  : 'the contract (../shared/spec/api-description.md) is not beside this checkout'
let description: Description

before(async () => {
  const data = await mkdtemp(join(tmpdir(), 'quire-openapi-'))
  const settings = readSettings({ flags: { data, port: '0' }, environment: {} })
  const server = await startServer({
    settings,
    environment: {},
    exampleDocs: join(root, 'test/fixtures/journeys/acme'),
  })
  description = (await (await fetch(`${server.url}/openapi.json`)).json()) as Description
  await server.published
  await server.stop()
  await rm(data, { recursive: true, force: true })
})

const follow = (schema: Schema): Schema =>
  schema.$ref ? follow(description.components.schemas[schema.$ref.split('/').at(-1)!]!) : schema
const variants = (schema: Schema): Schema[] => {
  const own = follow(schema)
  return [...(own.oneOf ?? []), ...(own.anyOf ?? [])].length > 0
    ? [...(own.oneOf ?? []), ...(own.anyOf ?? [])].flatMap(variants)
    : [own]
}
const property = (schema: Schema, name: string): Schema | undefined =>
  variants(schema).find((one) => one.properties?.[name])?.properties?.[name]
const types = (schema: Schema): string[] => [...new Set(variants(schema).flatMap((one) => one.type ?? []))]

const question = () => description.paths['/discovery/v1/assistant/{domain}/message']!.post!
const body = () => follow(question().requestBody!.content['application/json']!.schema)
const message = () => follow(property(body(), 'messages')!.items!)
const part = (type: string) =>
  variants(message().properties!.parts!.items!).find((one) => one.properties?.type?.const === type)!

/** The rows of the first table behind a heading of the contract. */
function rows(heading: string): Record<string, string>[] {
  const text = readFileSync(contract, 'utf8')
  const section = text.slice(text.indexOf(heading))
  const lines = section.split('\n')
  const start = lines.findIndex((line) => line.startsWith('|'))
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  const names = cells(lines[start]!)
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'))
  return lines
    .slice(start + 2, end)
    .map((line) => Object.fromEntries(cells(line).map((cell, index) => [names[index]!, cell])))
}

test('is OpenAPI 3.1 of version 1.0.0', () => {
  assert.match(description.openapi, /^3\.1\./)
  assert.equal(description.info.version, '1.0.0')
})

test('says of every answer what it means', () => {
  const vague = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { responses }]) =>
      Object.entries(responses)
        .filter(([, response]) => /^(?:Default Response|The answer\.)?$/.test(response.description))
        .map(([status]) => `${method} ${path} ${status}`),
    ),
  )
  assert.deepEqual(vague, [])
})

test('names every endpoint of the contract', { skip }, () => {
  const text = readFileSync(contract, 'utf8')
  const named = [...text.matchAll(/^- Method and path: `(\w+) \{(\w+)\}(\S+)`/gm)]
  assert.equal(named.length, 4)
  for (const [, method, base, path] of named) {
    const full = base === 'discovery_base_url' ? `/discovery${path}` : path!
    assert.ok(description.paths[full]?.[method!.toLowerCase()], `${method} ${full}`)
  }
})

for (const [heading, schema] of [
  ['### 2.1', () => body()],
  ['### 2.2', () => follow(property(body(), 'context')!.items!)],
  ['### 2.3', () => message()],
] as const) {
  test(`holds every field, type, default and limit of the contract's section ${heading.slice(4)}`, {
    skip,
  }, () => {
    const object = schema()
    for (const row of rows(heading)) {
      const name = row.Field!
      const field = object.properties?.[name]
      assert.ok(field, name)
      assert.equal(
        object.required?.includes(name) ?? false,
        row.Required === 'yes',
        `${name} is required or not`,
      )
      const wanted = row.Type!.startsWith('array') ? 'array' : row.Type!.split(/[ ,]/)[0]!
      assert.ok(types(field).includes(wanted), `${name} is ${types(field)}, not ${wanted}`)
      if (row.Default && row.Default !== 'none')
        assert.deepEqual(field.default, JSON.parse(row.Default), name)
      const limit = /Maximum length (\d+)/.exec(row.Rules!)
      if (limit) assert.equal(field.maxLength, Number(limit[1]), name)
      const choices = /^One of: ([^.]+)\./.exec(row.Rules!)
      if (choices) assert.deepEqual([...field.enum!].sort(), choices[1]!.split(', ').sort(), name)
    }
  })
}

test("knows every part and every state of a tool invocation of the contract's section 2.4", { skip }, () => {
  for (const row of rows('### 2.4')) {
    const type = row.type!
    const schema = part(type)
    assert.ok(schema, type)
    for (const name of ['text', 'reasoning', 'details', 'source', 'toolInvocation']) {
      const named = row['Other fields']!.split(';').some((field) => field.trim().startsWith(`${name} (`))
      assert.equal(Boolean(schema.properties?.[name]), named, `${type}.${name}`)
      if (named) assert.ok(schema.required?.includes(name), `${type}.${name} is required`)
    }
  }
  const invocations = variants(part('tool-invocation').properties!.toolInvocation!)
  for (const row of rows('ToolInvocation is discriminated')) {
    const schema = invocations.find((one) => one.properties?.state?.const === row.state)
    assert.ok(schema, row.state)
    for (const [, name, , need] of row.Fields!.matchAll(/(\w+) \((\w+), (required|optional)\)/g)) {
      assert.ok(schema.properties?.[name!], `${row.state}.${name}`)
      assert.equal(schema.required?.includes(name!) ?? false, need === 'required', `${row.state}.${name}`)
    }
  }
})

test("answers with every field of the contract's section 2.5", { skip }, () => {
  const answer = (path: string, method: string, status: string) =>
    follow(description.paths[path]![method]!.responses[status]!.content!['application/json']!.schema)
  const places: Record<string, Schema> = {
    'returned on job start': answer('/v1/static-export/jobs', 'post', '202'),
    'job status response': answer('/v1/static-export/jobs/{jobId}', 'get', '200'),
    'bundle response': answer('/v1/static-export/jobs/{jobId}/bundle', 'post', '200'),
  }
  for (const row of rows('### 2.5')) {
    const schema = places[row['Where it appears']!]
    assert.ok(schema?.properties?.[row.Field!], `${row.Field} in the ${row['Where it appears']}`)
  }
  const statuses = places['job status response']!.properties!.status!.enum
  assert.deepEqual(statuses, ['queued', 'running', 'completed', 'failed'])
})

test('asks for the right kind of key and marks v1 as deprecated', () => {
  assert.equal(question().deprecated, true)
  assert.deepEqual(question().security, [{ assistantKey: [] }])
  const exportPaths = Object.entries(description.paths).filter(([path]) =>
    path.startsWith('/v1/static-export'),
  )
  for (const [, methods] of exportPaths) {
    for (const operation of Object.values(methods)) assert.deepEqual(operation.security, [{ adminKey: [] }])
  }
  assert.equal(body().properties!.retrievalPageSize!.default, 5)
  assert.equal(body().properties!.currentPath!.maxLength, 200)
  assert.deepEqual(body().required, ['fp', 'messages'])
})

test('keeps each shape once, and every reference leads to one', () => {
  const text = JSON.stringify(description)
  const named = new Set([...text.matchAll(/#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]!))
  assert.deepEqual([...named].sort(), Object.keys(description.components.schemas).sort())
})
