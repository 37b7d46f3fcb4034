import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ContentCache } from './content-cache.ts'

test('keeps the bytes of a piece and not the buffer it came from', () => {
  const cache = new ContentCache({ maxBytes: 100_000 })
  const large = Buffer.alloc(16_384, 'x')
  cache.set('a', large.subarray(0, 100))
  assert.equal(cache.get('a')?.buffer.byteLength, 100)
  assert.equal(cache.get('a')?.toString(), 'x'.repeat(100))
})

test('lets go of what was asked for longest ago, and takes nothing that would drive out the rest', () => {
  const cache = new ContentCache({ maxBytes: 4000 })
  for (const key of ['a', 'b', 'c', 'd']) cache.set(key, Buffer.alloc(600))
  cache.get('a')
  cache.set('e', Buffer.alloc(600))
  assert.equal(cache.get('b'), undefined)
  assert.ok(cache.get('a'))
  cache.set('huge', Buffer.alloc(2000))
  assert.equal(cache.get('huge'), undefined)
  assert.ok(cache.sizeBytes <= 4000)
})
