import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointFromApiFrontmatter, endpointModel, findChannel, findSchema } from './index.ts'
import { fixtureSpec, operationModelOf, property, schemaSpec } from './testing.ts'

const garden = fixtureSpec('garden.yaml')
const events = fixtureSpec('events.json')

test('describes a request: server, credentials, parameters of path and operation', () => {
  const model = operationModelOf(garden, 'GET /plants')
  assert.equal(model.servers[0]?.url, 'https://eu.garden.example/v1')
  assert.equal(model.auth[0]?.[0]?.value, 'Bearer <token>')
  assert.deepEqual(
    [model.parameters.header[0]?.name, model.parameters.header[0]?.required],
    ['X-Tenant', true],
  )
  const [limit, kinds] = model.parameters.query
  assert.equal(limit?.schema.type, 'integer<int32>')
  assert.equal(limit?.schema.default, 20)
  assert.deepEqual(limit?.schema.constraints, [{ label: 'Range', value: '1 ≤ x ≤ 100' }])
  assert.equal(kinds?.schema.type, 'enum<string>[]')
  assert.deepEqual(
    kinds?.schema.enum.map((entry) => entry.value),
    ['tree', 'herb'],
  )
})

test('describes responses with headers, ranges and shared definitions', () => {
  const { responses } = operationModelOf(garden, 'GET /plants')
  assert.deepEqual(
    responses.map((response) => [response.status, response.label]),
    [
      ['200', 'OK'],
      ['4XX', ''],
      ['default', ''],
    ],
  )
  assert.equal(responses[0]?.headers[0]?.name, 'X-Total')
  assert.equal(responses[0]?.contents[0]?.examples[0]?.label, 'Two plants')
})

test('merges allOf and names a schema inside itself instead of opening it again', () => {
  const schema = operationModelOf(garden, 'GET /plants/{plantId}').responses[0]?.contents[0]?.schema
  assert.equal(schema?.description, 'A plant in the garden.')
  assert.deepEqual(
    schema?.properties.map((entry) => [entry.name, entry.required]),
    [
      ['id', true],
      ['name', true],
      ['kind', false],
      ['parent', false],
      ['children', false],
      ['note', false],
      ['labels', false],
    ],
  )
  assert.deepEqual([property(schema, 'parent').cut, property(schema, 'parent').name], ['cycle', 'Plant'])
  assert.equal(property(schema, 'children').items?.cut, 'cycle')
  assert.equal(property(schema, 'note').nullable, true)
  assert.equal(property(schema, 'labels').additional?.schema.type, 'string')
})

test('leaves read-only fields out of requests and write-only ones out of responses', () => {
  const model = operationModelOf(garden, 'POST /plants')
  const sent = model.body?.contents[0]?.schema?.properties.map((entry) => entry.name)
  assert.ok(sent?.includes('secret') && !sent.includes('id'))
  const received = model.responses[0]?.contents[0]?.schema?.properties.map((entry) => entry.name)
  assert.ok(received?.includes('id') && !received.includes('secret'))
})

test('offers the options of oneOf by name', () => {
  const soil = property(operationModelOf(garden, 'POST /plants').body?.contents[0]?.schema, 'soil')
  assert.deepEqual(
    soil.variants?.options.map((option) => option.label),
    ['Sand', 'Clay'],
  )
})

test('knows optional credentials, callbacks and samples of the author', () => {
  const model = operationModelOf(garden, 'POST /plants')
  assert.equal(model.authOptional, true)
  assert.deepEqual([model.auth[0]?.[0]?.place, model.auth[0]?.[0]?.name], ['query', 'key'])
  assert.deepEqual([model.callbacks[0]?.name, model.callbacks[0]?.method], ['grown', 'POST'])
  assert.deepEqual(
    model.samples.map((sample) => sample.label),
    ['SDK', 'cURL', 'JavaScript', 'Go'],
  )
})

test('reports a reference that leads nowhere with its place', () => {
  const spec = fixtureSpec('garden.yaml')
  const problem = spec.problems.find((entry) => entry.code === 'broken_reference')
  assert.match(problem?.message ?? '', /schemas\/Missing/)
  assert.match(spec.text.split('\n')[(problem?.line ?? 0) - 1] ?? '', /Missing/)
})

test('reads the forms of 3.1: null types, constants, tuples', () => {
  const schema = operationModelOf(events, 'POST /search').body?.contents[0]?.schema
  const query = property(schema, 'query')
  assert.deepEqual([query.type, query.nullable, query.description], ['string', true, 'What to look for.'])
  assert.deepEqual(query.constraints, [{ label: 'Length', value: 'at most 10' }])
  const limit = property(schema, 'limit')
  assert.deepEqual([limit.type, limit.nullable, limit.constraints[0]?.value], ['integer', true, 'x > 0'])
  assert.deepEqual(property(schema, 'mode').enum, [
    { value: 'fast', description: 'Less exact.' },
    { value: 'deep', description: '' },
  ])
  assert.equal(property(schema, 'mode').variants, undefined)
  assert.equal(property(schema, 'id').type, 'string | integer')
  assert.equal(property(schema, 'always').const, 7)
  assert.equal(property(schema, '__proto__').type, 'string')
  assert.deepEqual(
    property(schema, 'pair').properties.map((entry) => entry.schema.type),
    ['string', 'number'],
  )
})

test('a webhook is received by the reader: no server, no samples', () => {
  const model = operationModelOf(events, 'webhook orderUpdated')
  assert.deepEqual([model.type, model.servers.length, model.samples.length], ['webhook', 0, 0])
  const item = property(model.body?.contents[0]?.schema, 'item')
  assert.deepEqual(
    item.variants?.options.map((option) => [option.label, option.schema.cut]),
    [
      ['Book', undefined],
      ['Order', 'cycle'],
    ],
  )
})

test('describes a channel from the side of the reader', () => {
  const chat = fixtureSpec('chat.yaml')
  const operation = findChannel([chat], 'roomChannel')
  assert.ok(operation !== undefined)
  const model = endpointModel(chat, operation)
  assert.ok(model.type === 'channel')
  assert.equal(model.servers[0]?.url, 'wss://chat.example/socket')
  assert.deepEqual(
    model.operations.map((entry) => [entry.id, entry.action, entry.messages]),
    [
      ['say', 'send', ['said']],
      ['hear', 'receive', ['said', 'heard']],
    ],
  )
  assert.equal(model.messages[0]?.payload?.properties[0]?.name, 'text')
  assert.equal(model.messages[0]?.examples[0]?.label, 'Greeting')
  assert.deepEqual(
    model.parameters[0]?.schema.enum.map((entry) => entry.value),
    ['lobby', 'help'],
  )
})

test('describes one data model', () => {
  const operation = findSchema([garden], 'Plant')
  assert.ok(operation !== undefined)
  const model = endpointModel(garden, operation)
  assert.ok(model.type === 'schema')
  assert.ok(model.schema.properties.length > 5)
  assert.match(model.examples[0]?.text ?? '', /"name"/)
})

test('keeps a tree that would have millions of nodes small', () => {
  const schemas: Record<string, unknown> = {}
  for (let level = 0; level < 12; level += 1) {
    const properties: Record<string, unknown> = {}
    for (let field = 0; field < 10; field += 1) {
      properties[`field${field}`] =
        level === 11 ? { type: 'string' } : { $ref: `#/components/schemas/L${level + 1}` }
    }
    schemas[`L${level}`] = { type: 'object', properties }
  }
  const model = operationModelOf(schemaSpec({ $ref: '#/components/schemas/L0' }, schemas), 'POST /x')
  const text = JSON.stringify(model)
  assert.ok(text.length < 1_500_000, String(text.length))
  assert.equal(model.body?.contents[0]?.schema?.properties.length, 10)
  assert.ok(text.includes('"cut":"size"'))
})

test('ends on schemas that contain themselves in every way', () => {
  const self = { $ref: '#/components/schemas/A' }
  for (const schema of [
    self,
    { allOf: [self] },
    { oneOf: [self, { type: 'string' }] },
    { anyOf: [self, { type: 'null' }] },
    { type: 'array', items: self },
    { type: 'object', additionalProperties: self },
    { allOf: [{ properties: { a: self } }, { oneOf: [self, self] }] },
    { $ref: '#/components/schemas/B' },
  ]) {
    const spec = schemaSpec(self, { A: schema, B: { allOf: [self, { $ref: '#/components/schemas/B' }] } })
    assert.ok(operationModelOf(spec, 'POST /x').body !== undefined, JSON.stringify(schema))
  }
})

test('makes a page of an older api line', () => {
  const relative = endpointFromApiFrontmatter({
    api: 'POST /sinks/{id}',
    title: 'Create',
    manual: { servers: ['https://api.example.com/api/'], auth: { method: 'bearer' } },
  })
  assert.deepEqual([relative.method, relative.path], ['POST', '/sinks/{id}'])
  assert.equal(relative.servers[0]?.url, 'https://api.example.com/api')
  assert.match(relative.samples[0]?.code ?? '', /https:\/\/api\.example\.com\/api\/sinks\/\{id\}/)
  const full = endpointFromApiFrontmatter({
    api: 'get https://other.example/v1/x',
    title: 'X',
    authMethod: 'none',
    manual: { servers: ['https://api.example.com'], auth: { method: 'key', name: 'x-key' } },
  })
  assert.deepEqual([full.method, full.path, full.servers[0]?.url], ['GET', '/v1/x', 'https://other.example'])
  assert.deepEqual(full.auth, [])
})
