import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testOnEveryEngine } from '../backends/testing.ts'
import { ApiError } from './api-error.ts'
import { addressUnit } from './client-address.ts'
import {
  countRequest,
  forgetOldWindows,
  type RateLimit,
  rateLimitHeaders,
  rateLimitMigrations,
} from './rate-limits.ts'

const hourly = (limit: number): RateLimit => ({
  name: 'organization',
  subject: 'org_1',
  limit,
  windowSeconds: 3600,
})
const daily = (limit: number): RateLimit => ({
  name: 'address',
  subject: '10.0.0.1',
  limit,
  windowSeconds: 86_400,
})
const refused = (error: unknown) => error instanceof ApiError && error.code === 'rate_limited'

testOnEveryEngine(
  'lets exactly 10,000 requests of an organization pass in an hour',
  rateLimitMigrations,
  async (database) => {
    let passed = 0
    for (let request = 0; request < 10_001; request += 1) {
      const now = request * 300
      await countRequest({ database, limits: [hourly(10_000)], now }).then(
        () => {
          passed += 1
        },
        (error) => assert.ok(refused(error)),
      )
    }
    assert.equal(passed, 10_000)
    const [next] = await countRequest({ database, limits: [hourly(10_000)], now: 3_600_000 })
    assert.equal(next?.remaining, 9_999)
  },
)

testOnEveryEngine('counts exactly when a hundred ask at once', rateLimitMigrations, async (database) => {
  const tries = await Promise.allSettled(
    Array.from({ length: 100 }, () => countRequest({ database, limits: [hourly(37), daily(1000)], now: 1 })),
  )
  assert.equal(tries.filter((one) => one.status === 'fulfilled').length, 37)
})

testOnEveryEngine('counts a refused request against no limit', rateLimitMigrations, async (database) => {
  await countRequest({ database, limits: [hourly(5), daily(1)], now: 0 })
  await assert.rejects(countRequest({ database, limits: [hourly(5), daily(1)], now: 0 }), refused)
  const [state] = await countRequest({ database, limits: [hourly(5)], now: 0 })
  assert.equal(state?.remaining, 3)
})

testOnEveryEngine('says when to come back', rateLimitMigrations, async (database) => {
  await countRequest({ database, limits: [hourly(1)], now: 0 })
  await assert.rejects(countRequest({ database, limits: [hourly(1)], now: 600_000 }), (error) => {
    assert.ok(error instanceof ApiError)
    assert.equal(error.headers['retry-after'], '3000')
    assert.equal(error.headers.ratelimit, '"organization";r=0;t=3000')
    return true
  })
})

testOnEveryEngine('forgets windows that are over', rateLimitMigrations, async (database) => {
  await countRequest({ database, limits: [hourly(1)], now: 0 })
  await forgetOldWindows({ database, now: 3_600_000 })
  const [state] = await countRequest({ database, limits: [hourly(1)], now: 3_600_000 })
  assert.equal(state?.remaining, 0)
})

test('writes the rate limit headers as structured fields', () => {
  const headers = rateLimitHeaders([{ ...hourly(10), remaining: 9, resetSeconds: 30 }])
  assert.deepEqual(headers, {
    'ratelimit-policy': '"organization";q=10;w=3600',
    ratelimit: '"organization";r=9;t=30',
  })
})

test('counts all addresses of one IPv6 /64 as one', () => {
  assert.equal(addressUnit('2001:db8:1:2:3:4:5:6'), addressUnit('2001:0db8:1:2::9'))
  assert.notEqual(addressUnit('2001:db8:1:2::1'), addressUnit('2001:db8:1:3::1'))
  assert.equal(addressUnit('::ffff:10.1.2.3'), '10.1.2.3')
})
