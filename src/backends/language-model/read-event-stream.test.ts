import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEventStream } from './read-event-stream.ts'

const stream =
  ': hello\r\n\r\ndata: {"a":1}\n\nevent: x\nid: 7\ndata:two\r\n\r\ndata: first\ndata: second\n\ndata: last'

test('reads the same events however the stream is cut', () => {
  const expected = ['{"a":1}', 'two', 'first\nsecond', 'last']
  for (let size = 1; size <= stream.length; size += 1) {
    const found: string[] = []
    const reader = readEventStream((data) => found.push(data))
    for (let at = 0; at < stream.length; at += size) reader.push(stream.slice(at, at + size))
    reader.end()
    assert.deepEqual(found, expected, `in pieces of ${size}`)
  }
})

test('refuses a line that never ends', () => {
  const reader = readEventStream(() => {})
  const piece = 'x'.repeat(1024 * 1024)
  assert.throws(() => {
    for (let round = 0; round < 10; round += 1) reader.push(piece)
  }, /has no end/)
})
