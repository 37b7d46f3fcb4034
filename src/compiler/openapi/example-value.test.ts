import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleValue } from './example-value.ts'
import { fixtureSpec, operationModelOf, schemaSpec, specFrom } from './testing.ts'

function example(schema: Parameters<typeof exampleValue>[1], schemas: unknown = {}): unknown {
  return exampleValue(schemaSpec(schema, schemas), schema, { direction: 'both' })
}

test('prefers what the author wrote', () => {
  assert.equal(example({ type: 'string', example: 'a', default: 'b' }), 'a')
  assert.equal(example({ type: 'string', examples: ['c'], default: 'b' }), 'c')
  assert.equal(example({ type: 'string', const: 'k', default: 'b' }), 'k')
  assert.equal(example({ type: 'string', default: 'b', enum: ['x', 'b'] }), 'b')
  assert.equal(example({ type: 'string', enum: ['x', 'y'] }), 'x')
  assert.equal(example({ type: ['string', 'null'], enum: [null, 'y'] }), 'y')
})

test('makes values that fit the type, the format and the limits', () => {
  assert.equal(example({ type: 'string', format: 'uuid' }), '7b3f1c52-9a4e-4d0b-8a6f-2f6c1d9e0b34')
  assert.equal(example({ type: 'string', format: 'date' }), '2025-01-15')
  assert.equal(example({ type: 'integer', maximum: 10 }), 10)
  assert.equal(example({ type: 'integer', minimum: 500 }), 500)
  assert.equal(example({ type: 'integer', multipleOf: 50 }), 150)
  assert.equal(example({ type: 'boolean' }), true)
  assert.deepEqual(example({ type: 'array', items: { type: 'boolean' } }), [true])
  assert.deepEqual(example({ type: 'object', additionalProperties: { type: 'boolean' } }), { key: true })
  assert.deepEqual(example({ properties: { a: { type: 'null' }, b: {} } }), { a: null, b: '<any>' })
})

test('takes the first choice together with what stands beside it', () => {
  const schema = {
    type: 'object',
    properties: { id: { const: 1 } },
    oneOf: [{ properties: { cat: { const: true } } }, { properties: { dog: { const: true } } }],
  }
  assert.deepEqual(example(schema), { id: 1, cat: true })
})

test('ends in a schema that contains itself and leaves the way back out', () => {
  const node = {
    type: 'object',
    properties: { name: { type: 'string' }, next: { $ref: '#/components/schemas/Node' } },
  }
  assert.deepEqual(example({ $ref: '#/components/schemas/Node' }, { Node: node }), { name: '<string>' })
  const needed = { ...node, required: ['next'] }
  assert.deepEqual(example({ $ref: '#/components/schemas/Node' }, { Node: needed }), {
    name: '<string>',
    next: {},
  })
})

test('is the same every time', () => {
  const write = () => JSON.stringify(operationModelOf(fixtureSpec('garden.yaml'), 'POST /plants'))
  assert.equal(write(), write())
})

test('leaves out what is optional when only the required is asked for', () => {
  const schema = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'boolean' }, b: { type: 'boolean' } },
  }
  const options = { direction: 'request' as const, requiredOnly: true }
  assert.deepEqual(exampleValue(schemaSpec(schema), schema, options), { a: true })
})

test('writes XML with the names and attributes of the schema', () => {
  const spec = specFrom(
    'x.yaml',
    `openapi: 3.0.0
paths:
  /x:
    get:
      responses:
        200:
          description: ok
          content:
            application/xml:
              schema:
                type: object
                xml: { name: plant }
                properties:
                  id: { type: integer, xml: { attribute: true } }
                  name: { type: string, example: A & B }
                  tags: { type: array, xml: { wrapped: true }, items: { type: string, xml: { name: tag } } }
`,
  )
  const text = operationModelOf(spec, 'GET /x').responses[0]?.contents[0]?.examples[0]?.text
  assert.equal(
    text,
    `<?xml version="1.0" encoding="UTF-8"?>
<plant id="123">
  <name>A &amp; B</name>
  <tags>
    <tag>&lt;string></tag>
  </tags>
</plant>`,
  )
})
