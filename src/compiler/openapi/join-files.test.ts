import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointModel, findOperation, loadSpec } from './index.ts'
import type { LoadedSpec } from './openapi-api.ts'

function load(text: string, files: Record<string, string>, file = 'api/openapi.yaml'): LoadedSpec {
  const loaded = loadSpec({ file, text, readFile: (path) => files[path] })
  assert.ok('document' in loaded)
  return loaded
}

const root = `openapi: 3.1.0
info: { title: Pets, version: '1' }
paths:
  /pets:
    $ref: paths/pets.yaml
components:
  schemas:
    Name: { type: string, example: Rex }
`
const files = {
  'api/paths/pets.yaml': `post:
  summary: Add a pet
  requestBody:
    content:
      application/json:
        schema: { $ref: '../schemas/all.json#/Pet' }
  responses:
    '200': { description: Added }
`,
  'api/schemas/all.json': JSON.stringify({
    Pet: {
      type: 'object',
      properties: {
        name: { $ref: '../openapi.yaml#/components/schemas/Name' },
        owner: { $ref: '#/Owner' },
        friend: { $ref: '#/Pet' },
        home: { $ref: '/shared/home.yaml' },
      },
    },
    Owner: { type: 'object', properties: { email: { type: 'string' } } },
  }),
  'shared/home.yaml': 'type: object\nproperties:\n  street: { type: string }\n',
}

test('follows references into other files of the project, and back', () => {
  const spec = load(root, files)
  assert.deepEqual(spec.problems, [])
  const operation = findOperation([spec], 'POST /pets')
  assert.ok(operation)
  const model = endpointModel(spec, operation, {})
  assert.ok(model?.type === 'operation')
  const [content] = model.body?.contents ?? []
  const properties = content?.schema?.properties ?? []
  assert.deepEqual(
    properties.map(({ name, schema }) => [name, schema.properties.map((inner) => inner.name).join(' ')]),
    [
      ['name', ''],
      ['owner', 'email'],
      ['friend', ''],
      ['home', 'street'],
    ],
  )
  assert.equal(properties[2]?.schema.cut, 'cycle')
  assert.equal(properties[3]?.schema.name, 'home')
  assert.match(content?.examples[0]?.text ?? '', /Rex/)
})

test('what a page is made of changes with the other files', () => {
  const before = findOperation([load(root, files)], 'POST /pets')
  const changed = { ...files, 'shared/home.yaml': 'type: string' }
  const after = findOperation([load(root, changed)], 'POST /pets')
  assert.ok(before?.parts !== undefined && after?.parts !== undefined && before.parts !== after.parts)
  assert.equal(load('openapi: 3.1.0\ninfo: {}\npaths: {}\n', {}).parts, undefined)
})

test('reports what lies on another host, outside of the project or nowhere', () => {
  const spec = load(
    `openapi: 3.1.0
info: { title: Pets, version: '1' }
paths:
  /a: { $ref: 'https://example.com/a.yaml' }
  /b: { $ref: '../../etc/passwd' }
  /c: { $ref: 'gone.yaml#/C' }
  /d: { $ref: 'here.yaml#/Gone' }
`,
    { 'api/here.yaml': 'D: {}\n', '../etc/passwd': 'root', 'etc/passwd': 'root' },
  )
  assert.deepEqual(
    spec.problems.map(({ message }) => message.replace(/.*" /, '')),
    [
      'leads nowhere.',
      'names no file of the project.',
      'names no file of the project.',
      'leads to another host.',
    ],
  )
})
