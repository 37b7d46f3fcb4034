import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenAPIV3_1 } from 'openapi-types'
import { describeResponses, undescribed } from './describe-responses.ts'

const document = (path: string, status: string): OpenAPIV3_1.Document => ({
  openapi: '3.1.0',
  info: { title: 'X', version: '1' },
  paths: { [path]: { get: { responses: { [status]: { description: 'Default Response' } } } } },
})

test('an error is described by its status, an answer in its own words', () => {
  const keys = document('/v1/keys', '200')
  describeResponses(keys)
  assert.deepEqual(keys.paths?.['/v1/keys']?.get?.responses, {
    200: { description: 'The keys without their secrets.' },
  })
  const missing = document('/v1/anything', '404')
  describeResponses(missing)
  assert.match(JSON.stringify(missing), /There is no such thing/)
})

test('an answer that nobody has described still says something', () => {
  const added = document('/v1/new', '200')
  describeResponses(added)
  assert.deepEqual(added.paths?.['/v1/new']?.get?.responses, { 200: { description: undescribed } })
})
