import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ElementContent } from 'hast'
import type { WrittenField } from '../../theme/theme-api.ts'
import { endpointFromApiFrontmatter } from './index.ts'

function field(given: Partial<WrittenField>, ...children: ElementContent[]): ElementContent {
  const whole: WrittenField = { location: 'body', name: '', type: 'string', required: false, ...given }
  return {
    type: 'element',
    tagName: 'div',
    properties: {},
    children,
    data: { part: { kind: 'field', field: whole } },
  }
}

const around = (...children: ElementContent[]): ElementContent => ({
  type: 'element',
  tagName: 'details',
  properties: {},
  children,
})

function curl(api: string, content: ElementContent[], defaults?: 'required'): string {
  const settings = defaults === undefined ? {} : { defaults }
  return endpointFromApiFrontmatter({ api, title: 'X', content, settings }).samples[0]?.code ?? ''
}

test('samples send the fields that the page describes', () => {
  const code = curl('POST https://api.example.com/plants/{id}/water', [
    field({ location: 'path', name: 'id', defaultValue: '7' }),
    field({ location: 'query', name: 'dry run', required: true }),
    field({ location: 'query', name: 'unused' }),
    field({ location: 'header', name: 'X-Garden', required: true }),
    field({ name: 'litres', type: 'number', defaultValue: '1.5' }),
    field({ name: 'kind', type: '"rain" | "tap"' }),
    field({ name: 'names', type: 'string[]' }),
    field({ name: 'sure', type: 'boolean' }),
    field(
      { name: 'pots', type: 'object[]' },
      around(field({ name: 'size', type: 'integer' }), field({ name: 'note' })),
    ),
  ])
  assert.match(code, /plants\/7\/water\?dry%20run=/)
  assert.doesNotMatch(code, /unused/)
  assert.match(code, /X-Garden: <X-Garden>/)
  const body = JSON.parse(/--data '([\s\S]*)'/.exec(code)?.[1] ?? '')
  assert.deepEqual(body, {
    litres: 1.5,
    kind: 'rain',
    names: ['<string>'],
    sure: true,
    pots: [{ size: 123, note: '<string>' }],
  })
})

test('samples send only what must be sent where the settings ask for it', () => {
  const fields = [field({ name: 'a', required: true }), field({ name: 'b' })]
  assert.match(curl('PUT /x', fields, 'required'), /"a"/)
  assert.doesNotMatch(curl('PUT /x', fields, 'required'), /"b"/)
})

test('a request that has no body sends none', () => {
  assert.doesNotMatch(curl('GET /x', [field({ name: 'a' })]), /--data/)
  assert.doesNotMatch(curl('DELETE /x', []), /--data/)
  assert.match(curl('DELETE /x', [field({ name: 'a' })]), /--data/)
})
