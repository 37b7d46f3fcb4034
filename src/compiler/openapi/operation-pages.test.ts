import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandSpec, findOperation, operationPagePath } from './index.ts'
import { fixtureSpec } from './testing.ts'

const garden = fixtureSpec('garden.yaml')

test('groups a whole specification by tag under the addresses of the format', () => {
  const { groups, hidden } = expandSpec(garden)
  const shown = groups.map((group) => [group.label, group.pages.map((page) => page.path)])
  assert.deepEqual(shown, [
    [
      'Plant care',
      [
        'api-reference/plant-care/list-all-plants',
        'api-reference/plant-care/plant-new',
        'api-reference/plant-care/get-plants',
      ],
    ],
    ['API Reference', ['guides/photos']],
  ])
  assert.deepEqual(
    hidden.map((page) => page.path),
    ['api-reference/plant-care/list-all-plants-1'],
  )
})

test('puts pages into the directory that the navigation names', () => {
  const { groups } = expandSpec(garden, { directory: '/rest/v1/' })
  assert.equal(groups[0]?.pages[0]?.path, 'rest/v1/plant-care/list-all-plants')
})

test('gives one operation the same address as the whole specification does', () => {
  const list = findOperation([garden], 'GET /plants')
  const internal = findOperation([garden], 'PATCH /plants/{plantId}')
  assert.ok(list !== undefined && internal !== undefined)
  assert.equal(operationPagePath(garden, structuredClone(list)), 'api-reference/plant-care/list-all-plants')
  assert.equal(operationPagePath(garden, internal), undefined)
})

test('gives webhooks and channels pages too', () => {
  assert.deepEqual(
    expandSpec(fixtureSpec('events.json')).groups.flatMap((group) => group.pages.map((page) => page.path)),
    ['api-reference/post-search', 'api-reference/order-updated'],
  )
  const [group] = expandSpec(fixtureSpec('chat.yaml')).groups
  assert.deepEqual([group?.label, group?.pages[0]?.path], ['Websockets', 'api-reference/websockets/room'])
})
