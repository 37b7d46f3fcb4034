import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from './pace.ts'

test('lets words wait longer the more answers are open', () => {
  const pace = new Pace()
  assert.equal(pace.restMs, 50)
  const ends = Array.from({ length: 1000 }, () => pace.begin())
  assert.equal(pace.restMs, 125)
  for (const end of ends) end()
  ends[0]?.()
  assert.equal(pace.restMs, 50)
})
