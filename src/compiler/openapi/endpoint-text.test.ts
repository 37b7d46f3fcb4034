import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointMarkdown, endpointModel, endpointSearchSections, findChannel } from './index.ts'
import { fixtureSpec, operationModelOf } from './testing.ts'

const garden = fixtureSpec('garden.yaml')

test('writes an operation as Markdown', () => {
  const text = endpointMarkdown(operationModelOf(garden, 'GET /plants'))
  for (const part of [
    '```http\nGET /plants\n```',
    'Returns the plants of a garden, **newest first**.',
    '## Authorization',
    '## Query parameters',
    '- `limit` (`integer<int32>`, default: 20, range: 1 ≤ x ≤ 100): How many to return.',
    '- `kinds` (`enum<string>[]`) One of: `tree`, `herb`.',
    '### 200 OK',
    '## Request example',
  ]) {
    assert.ok(text.includes(part), `${part}\n---\n${text}`)
  }
  assert.doesNotMatch(text, /undefined|\[object/)
})

test('finds the request line, the fields and the values by search', () => {
  const sections = endpointSearchSections(operationModelOf(garden, 'GET /plants'))
  assert.match(sections[0]?.text ?? '', /GET \/plants\nlistPlants\nList all plants/)
  const query = sections.find((section) => section.anchor === 'query-parameters')
  assert.match(query?.text ?? '', /limit How many to return\./)
  assert.match(query?.text ?? '', /tree herb/)
  assert.ok(sections.some((section) => section.anchor === 'response'))
})

test('writes a channel as Markdown and finds its messages', () => {
  const chat = fixtureSpec('chat.yaml')
  const operation = findChannel([chat], 'roomChannel')
  assert.ok(operation !== undefined)
  const model = endpointModel(chat, operation)
  assert.match(endpointMarkdown(model), /You send: said/)
  assert.ok(endpointSearchSections(model).some((section) => /Something said/.test(section.text)))
})
