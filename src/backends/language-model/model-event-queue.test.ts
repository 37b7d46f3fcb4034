import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelEventQueue } from './model-event-queue.ts'

const source = (pilesUp = false) => {
  const seen: string[] = []
  return {
    seen,
    pilesUp,
    pause: () => void seen.push('pause'),
    resume: () => void seen.push('resume'),
    cancel: () => void seen.push('cancel'),
  }
}
const text = (value: string) => ({ type: 'text-delta' as const, text: value })
const end = { type: 'step-end' as const, reason: 'stop' as const, usage: { inputTokens: 1, outputTokens: 2 } }

test('gives the first text at once and joins what follows shortly after', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const queue = new ModelEventQueue(source(), { restMs: () => 50 })
  const first = queue.next()
  queue.push(text('One '))
  assert.deepEqual((await first).value, text('One '))
  const second = queue.next()
  queue.push(text('two '))
  queue.push(text('three '))
  context.mock.timers.tick(49)
  queue.push(text('four'))
  context.mock.timers.tick(1)
  assert.deepEqual((await second).value, text('two three four'))
})

test('lets nothing wait once more than text has come', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const queue = new ModelEventQueue(source(), { restMs: () => 50 })
  queue.push(text('One '))
  await queue.next()
  queue.push(text('two'))
  queue.push(end)
  queue.end()
  assert.deepEqual((await queue.next()).value, text('two'))
  assert.deepEqual((await queue.next()).value, end)
  assert.equal((await queue.next()).done, true)
})

test('gives what came before a failure, then the failure', async () => {
  const queue = new ModelEventQueue(source(), { restMs: () => 50 })
  queue.push(text('Half'))
  queue.fail(new Error('cut'))
  queue.end()
  assert.deepEqual((await queue.next()).value, text('Half'))
  await assert.rejects(queue.next(), /cut/)
})

test('holds its source back while nobody takes what is there', async () => {
  const from = source()
  const queue = new ModelEventQueue(from, { restMs: () => 50 })
  queue.push(text('x'.repeat(20_000)))
  queue.push(text('y'))
  assert.deepEqual(from.seen, ['pause'])
  assert.equal((await queue.next()).value?.text.length, 20_001)
  assert.deepEqual(from.seen, ['pause', 'resume'])
})

test('lets a source that can rest do so, and takes what has piled up as one', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const from = source(true)
  const queue = new ModelEventQueue(from, { restMs: () => 50 })
  queue.push(text('One '), text('two '))
  assert.deepEqual((await queue.next()).value, text('One two '))
  const next = queue.next()
  assert.deepEqual(from.seen, ['pause'])
  context.mock.timers.tick(50)
  assert.deepEqual(from.seen, ['pause', 'resume'])
  queue.push(text('three '), text('four'))
  assert.deepEqual((await next).value, text('three four'))
})

test('hangs up when no more is wanted, but not after the end', async () => {
  const left = source()
  const queue = new ModelEventQueue(left, { restMs: () => 50 })
  queue.push(text('never taken'))
  await queue.return()
  assert.deepEqual(left.seen, ['cancel'])
  assert.equal((await queue.next()).done, true)
  const over = source()
  const ended = new ModelEventQueue(over, { restMs: () => 50 })
  ended.end()
  await ended.return()
  assert.deepEqual(over.seen, [])
})
