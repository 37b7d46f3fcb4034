import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readImageSize } from './image-size.ts'

const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    parts.flatMap((part) =>
      typeof part === 'string' ? [...part].map((character) => character.charCodeAt(0)) : part,
    ),
  )

test('sizes are read from the first bytes of each format', () => {
  assert.deepEqual(
    readImageSize(bytes([0x89], 'PNG\r\n', [0x1a, 0x0a, 0, 0, 0, 13], 'IHDR', [0, 0, 2, 128, 0, 0, 1, 44])),
    { width: 640, height: 300 },
  )
  assert.deepEqual(readImageSize(bytes('GIF89a', [0x40, 1, 0xf0, 0])), { width: 320, height: 240 })
  assert.deepEqual(
    readImageSize(bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 1, 44, 2, 128, 3, 1, 2])),
    { width: 640, height: 300 },
  )
  assert.deepEqual(
    readImageSize(bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8X', [0, 0, 0, 0, 0, 0, 0, 0, 127, 2, 0, 43, 1, 0])),
    { width: 640, height: 300 },
  )
  assert.deepEqual(readImageSize(bytes('<svg viewBox="0 0 24 12"></svg>')), { width: 24, height: 12 })
  assert.deepEqual(
    readImageSize(bytes('<?xml version="1.0"?>\n<svg width="40px" height="20" viewBox="0 0 1 1"/>')),
    { width: 40, height: 20 },
  )
})

test('what is no picture, or is cut short, has no size', () => {
  for (const cut of [
    bytes(),
    bytes('hello'),
    bytes([0x89], 'PNG'),
    bytes([0xff, 0xd8, 0xff]),
    bytes('RIFF'),
    bytes('<svg></svg>'),
  ])
    assert.equal(readImageSize(cut), undefined)
})
