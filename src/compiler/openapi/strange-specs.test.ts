import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '../../theme/endpoint/endpoint-api.ts'
import {
  endpointMarkdown,
  endpointModel,
  endpointSearchSections,
  expandSpec,
  listOperations,
  listSchemas,
  loadSpec,
} from './index.ts'
import { asArray, asObject } from './json.ts'
import { fixtureSpec } from './testing.ts'

/** Everything that can be asked of a specification; whatever it holds, nothing may throw. */
function readAll(text: string): number {
  const spec = loadSpec({ file: 'strange.json', text })
  if (!('document' in spec)) return 0
  expandSpec(spec)
  const all = [...listOperations(spec), ...listSchemas(spec)]
  for (const operation of all) {
    const model = endpointModel(spec, operation, { defaults: 'all', marks: ['nullable', 'x-internal'] })
    assert.doesNotMatch(endpointMarkdown(model), /\[object Object\]/)
    endpointSearchSections(model)
    JSON.stringify(model)
  }
  return all.length
}

test('no specification, however broken, stops the reading', () => {
  const random = generator(20261115)
  const strange: JsonValue[] = [
    null,
    true,
    false,
    0,
    -1.5,
    '',
    'x',
    '#/components/schemas/Plant',
    [],
    [null],
    {},
    { $ref: 5 },
    { $ref: '#' },
    { type: [] },
    { allOf: {} },
    { $ref: '#/components/schemas/Plant' },
  ]
  for (const name of ['garden.yaml', 'events.json', 'chat.yaml']) {
    const { document } = fixtureSpec(name)
    const places = pathsIn(document)
    for (let round = 0; round < 150; round += 1) {
      const copy = structuredClone(document)
      for (let change = 0; change < 1 + Math.floor(random() * 4); change += 1) {
        const place = places[Math.floor(random() * places.length)] ?? []
        replaceAt(copy, place, structuredClone(strange[Math.floor(random() * strange.length)] ?? null))
      }
      const text = JSON.stringify(copy)
      assert.doesNotThrow(() => readAll(text), `${name} round ${round}: ${text}`)
    }
  }
})

test('reads the forms that people write against the rules', () => {
  const schema = {
    type: 'object',
    required: true,
    properties: {
      anything: true,
      nothing: false,
      old: { type: 'string', required: true },
      tuple: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
      empty: {},
      none: null,
      any: { type: 'any' },
      file: { type: 'file' },
      list: { enum: 'a' },
      range: { type: 'integer', minimum: '1', maximum: null },
    },
  }
  const document = {
    openapi: '3.1.0',
    paths: {
      '/a': {
        summary: 'Shared',
        get: { parameters: { name: 'x' }, responses: { 200: { description: 'ok', schema } } },
        post: {
          parameters: [{ name: 'q', in: 'query', type: 'string' }, null, { in: 'query' }],
          requestBody: { content: { '*/*': { schema } } },
        },
        put: null,
      },
      '/b': null,
      '/c': {
        get: { tags: 'one', security: {}, responses: [], servers: 'x', callbacks: [], 'x-codeSamples': {} },
      },
    },
    components: { schemas: { A: null, B: schema } },
    servers: {},
    tags: {},
  }
  assert.equal(readAll(JSON.stringify(document)), 4)
})

/** A small generator of numbers between 0 and 1 that is the same everywhere. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

type Path = (string | number)[]

function pathsIn(value: JsonValue, path: Path = []): Path[] {
  const children =
    asArray(value)?.map((child, index): [number, JsonValue] => [index, child]) ??
    Object.entries(asObject(value) ?? {})
  return children.flatMap(([key, child]) => [[...path, key], ...pathsIn(child, [...path, key])])
}

function replaceAt(root: JsonValue, path: Path, value: JsonValue): void {
  let current: JsonValue | undefined = root
  for (const key of path.slice(0, -1)) {
    current = typeof key === 'number' ? asArray(current)?.[key] : asObject(current)?.[key]
  }
  const last = path.at(-1)
  const list = asArray(current)
  const object = asObject(current)
  if (typeof last === 'number' && list !== undefined) list[last] = value
  if (typeof last === 'string' && object !== undefined) object[last] = value
}
