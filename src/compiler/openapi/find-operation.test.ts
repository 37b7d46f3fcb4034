import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findChannel,
  findOperation,
  findSchema,
  listOperations,
  missingEndpoint,
  parseReference,
} from './index.ts'
import type { LoadedSpec } from './openapi-api.ts'
import { fixtureSpec, specFrom } from './testing.ts'

const garden = fixtureSpec('garden.yaml')
const events = fixtureSpec('events.json')

function moved(spec: LoadedSpec, file: string): LoadedSpec {
  return specFrom(file, spec.text)
}

test('finds an operation by method and path in any writing', () => {
  for (const reference of ['GET /plants', 'get /plants', ' GET  /plants/ ']) {
    assert.equal(findOperation([events, garden], reference)?.operationId, 'listPlants', reference)
  }
  assert.equal(findOperation([garden], 'GET /plants/{id}')?.path, '/plants/{plantId}')
  assert.equal(findOperation([garden], 'GET /plants/:id')?.path, '/plants/{plantId}')
  assert.equal(findOperation([garden], 'PUT /plants'), undefined)
})

test('finds the file by absolute, relative and bare names', () => {
  const specs = [moved(garden, 'api/v1.yaml'), moved(garden, 'api/v2.yaml')]
  for (const name of ['/api/v2.yaml', 'api/v2.yaml', './api/v2.yaml', 'v2', 'v2.yaml', 'api/v2']) {
    assert.equal(findOperation(specs, `${name} GET /plants`)?.file, 'api/v2.yaml', name)
  }
  const from = 'api/pages/list.mdx'
  assert.equal(findOperation(specs, '../v2.yaml GET /plants', { from })?.file, 'api/v2.yaml')
  assert.equal(findOperation(specs, 'v3 GET /plants'), undefined)
  assert.equal(findOperation(specs, 'GET /plants')?.file, 'api/v1.yaml')
  assert.equal(findOperation(specs, 'GET /plants', { preferred: ['/api/v2.yaml'] })?.file, 'api/v2.yaml')
})

test('finds specifications by their address', () => {
  const remote = moved(garden, 'https://garden.example/openapi.yaml')
  const reference = 'https://garden.example/openapi.yaml GET /plants'
  assert.equal(findOperation([garden, remote], reference)?.file, remote.file)
})

test('finds webhooks, channels and schemas', () => {
  assert.equal(findOperation([garden, events], 'events.json webhook orderUpdated')?.kind, 'webhook')
  assert.equal(findOperation([garden, events], 'webhook orderUpdated')?.title, 'Order updated')
  const chat = fixtureSpec('chat.yaml')
  assert.equal(findChannel([garden, chat], '/chat.yaml roomChannel')?.title, 'Room')
  assert.equal(findChannel([garden, chat], 'roomChannel')?.path, 'roomChannel')
  assert.equal(findSchema([garden, events], 'Order')?.file, 'events.json')
  assert.equal(findSchema([garden, events], 'garden.yaml Plant')?.kind, 'schema')
})

test('tells a reference to a whole file from a mistake', () => {
  assert.deepEqual(parseReference('/openapi-cloud.yaml'), { type: 'spec', file: '/openapi-cloud.yaml' })
  assert.equal(parseReference('guides/start'), undefined)
})

test('lists operations with what the navigation needs', () => {
  const list = listOperations(garden).map(
    (operation) => `${operation.method} ${operation.path} ${operation.title}`,
  )
  assert.deepEqual(list, [
    'GET /plants List all plants',
    'POST /plants Plant (new)',
    'GET /plants/{plantId} GET /plants/{plantId}',
    'DELETE /plants/{plantId} List all plants',
    'PATCH /plants/{plantId} Internal',
    'PUT /plants/{plantId}/photo Upload a photo',
  ])
  const photo = findOperation([garden], 'PUT /plants/{plantId}/photo')
  assert.equal(photo?.content, '<Note>Photos are shrunk.</Note>')
  assert.deepEqual(photo?.metadata, { sidebarTitle: 'Photo' })
})

test('names near matches of a missing operation', () => {
  const missing = missingEndpoint('POST /plant', {
    file: 'page.mdx',
    line: 3,
    column: 10,
    specs: [garden, events],
  })
  assert.equal(missing.nearest[0], 'POST /plants')
  assert.match(missing.problem.hint, /POST \/plants/)
  assert.deepEqual([missing.problem.file, missing.problem.line], ['page.mdx', 3])
  assert.match(missing.markdown, /`POST \/plant`/)
  assert.match(missingEndpoint('GET /x', { file: 'p.mdx', specs: [] }).problem.hint, /No specification/)
})

test('offers the same operation of another specification in the place of a missing one', () => {
  const original = moved(garden, 'garden.yaml')
  const translated = specFrom('fr/garden.yaml', 'openapi: 3.0.0\npaths: {}\n')
  const missing = missingEndpoint('/fr/garden.yaml GET /plants', {
    file: 'fr/page.mdx',
    specs: [translated, original, events],
  })
  assert.equal(missing.substitute?.file, 'garden.yaml')
  assert.match(missing.problem.message, /fr\/garden\.yaml has no "GET \/plants"/)
  assert.match(missing.problem.hint, /garden\.yaml is shown instead/)
  const unknown = missingEndpoint('nowhere.yaml GET /plants', { file: 'p.mdx', specs: [original] })
  assert.match(unknown.problem.message, /no specification "nowhere\.yaml"/)
})
