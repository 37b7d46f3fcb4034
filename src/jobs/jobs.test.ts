import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { Database } from '../backends/index.ts'
import { testOnEveryEngine } from '../backends/testing.ts'
import { type JobHandler, startJobRunner } from './job-runner.ts'
import {
  claimJob,
  endAllLeases,
  enqueueJob,
  extendLease,
  finishJob,
  jobMigrations,
  releaseJob,
} from './jobs-store.ts'

const add = (database: Database, id: string, organizationId = 'org_1', now = 0) =>
  enqueueJob(database, { id, kind: 'export', subject: `subject-${id}`, organizationId, now })
const claim = (database: Database, now: number, worker = 'w1') =>
  claimJob(database, { worker, kinds: ['export'], now, leaseMs: 10_000, except: [] })

testOnEveryEngine('hands a job to one worker only', jobMigrations, async (database) => {
  await add(database, 'a')
  const claims = await Promise.all(['w1', 'w2', 'w3'].map((worker) => claim(database, 1, worker)))
  assert.equal(claims.filter(Boolean).length, 1)
})

testOnEveryEngine('returns a job to the queue when its lease ends', jobMigrations, async (database) => {
  await add(database, 'a')
  const first = await claim(database, 0)
  assert.equal(await claim(database, 9_999, 'w2'), undefined)
  const second = await claim(database, 10_000, 'w2')
  assert.deepEqual([first?.attempt, second?.attempt, second?.deaths], [1, 2, 1])
})

testOnEveryEngine('ignores a worker that was frozen and comes back', jobMigrations, async (database) => {
  await add(database, 'a')
  const frozen = (await claim(database, 0))!
  const current = (await claim(database, 20_000, 'w2'))!
  assert.equal(await extendLease(database, frozen, { now: 20_001, leaseMs: 10_000, reached: 0 }), false)
  await finishJob(database, frozen)
  await releaseJob(database, frozen, { runAfter: 0, failed: true })
  assert.equal(await extendLease(database, current, { now: 20_002, leaseMs: 10_000, reached: 1 }), true)
  assert.equal((await claim(database, 30_002, 'w3'))?.deaths, 1)
})

testOnEveryEngine('lets organizations take turns', jobMigrations, async (database) => {
  for (let index = 0; index < 500; index += 1) await add(database, `many-${index}`, 'org_many', index)
  await add(database, 'single', 'org_single', 1000)
  assert.equal((await claim(database, 2000))?.organizationId, 'org_many')
  assert.equal((await claim(database, 2000))?.organizationId, 'org_single')
})

testOnEveryEngine('frees all leases where no other process can be alive', jobMigrations, async (database) => {
  await add(database, 'a')
  await claim(database, 0)
  assert.equal(await endAllLeases(database, 1), 1)
  assert.equal((await claim(database, 1))?.attempt, 2)
})

testOnEveryEngine(
  'runs a job again after a failure and gives up after the third',
  jobMigrations,
  async (database) => {
    await add(database, 'a')
    const events = new EventEmitter()
    const tries: number[] = []
    let time = 1
    const handler: JobHandler = {
      run: async (job) => {
        tries.push(job.attempt)
        throw new Error('no luck')
      },
      giveUp: async (job, error) => {
        events.emit('given-up', job.subject, error)
      },
    }
    const givenUp = once(events, 'given-up')
    const runner = startJobRunner({
      database,
      handlers: { export: handler },
      worker: 'w1',
      concurrency: 1,
      now: async () => (time += 1_000), // Each look at the clock is a second later, so that pauses end soon.
      onError: () => {},
      pollMs: 5,
    })
    const [subject, error] = await givenUp
    await runner.stop()
    assert.deepEqual(tries, [1, 2, 3])
    assert.equal(subject, 'subject-a')
    assert.match(String(error), /no luck/)
    assert.equal(await claim(database, time + 100_000), undefined)
  },
)

testOnEveryEngine('gives running jobs back when it stops', jobMigrations, async (database) => {
  await add(database, 'a')
  const events = new EventEmitter()
  const started = once(events, 'started')
  const runner = startJobRunner({
    database,
    handlers: {
      export: {
        run: async (_job, { signal }) => {
          events.emit('started')
          await once(signal, 'abort')
          throw signal.reason
        },
        giveUp: async () => assert.fail('a stopped job is not given up'),
      },
    },
    worker: 'w1',
    concurrency: 1,
    now: async () => 1,
    onError: (error) => assert.fail(String(error)),
  })
  await started
  await runner.stop()
  const next = await claim(database, 2, 'w2')
  assert.deepEqual([next?.attempt, next?.failures], [2, 0])
})

testOnEveryEngine('counts deaths anew once an attempt gets further', jobMigrations, async (database) => {
  await add(database, 'a')
  await claim(database, 0)
  const second = (await claim(database, 20_000))!
  const lease = { leaseMs: 10_000, reached: 5 }
  await extendLease(database, second, { ...lease, now: 20_001 })
  const third = (await claim(database, 40_000))!
  assert.deepEqual([third.deaths, third.reached], [1, 5])
  await extendLease(database, third, { ...lease, now: 40_001 }) // As far as the one before, no further.
  assert.equal((await claim(database, 60_000))?.deaths, 2)
})

testOnEveryEngine(
  'gives up a job whose workers die again and again at the same place',
  jobMigrations,
  async (database) => {
    await add(database, 'a')
    for (let death = 0; death < 10; death += 1) await claim(database, death * 20_000)
    const events = new EventEmitter()
    const givenUp = once(events, 'given-up')
    const runner = startJobRunner({
      database,
      handlers: {
        export: {
          run: async () => assert.fail('it is not tried once more'),
          giveUp: async (job) => void events.emit('given-up', job.deaths),
        },
      },
      worker: 'w1',
      concurrency: 1,
      now: async () => 1_000_000,
      onError: (error) => assert.fail(String(error)),
      pollMs: 5,
    })
    assert.deepEqual(await givenUp, [10])
    await runner.stop()
  },
)

testOnEveryEngine(
  'waits for what cannot be reached without counting it as a failure',
  jobMigrations,
  async (database) => {
    await add(database, 'a')
    const events = new EventEmitter()
    const done = once(events, 'done')
    let time = 1
    let tries = 0
    const runner = startJobRunner({
      database,
      handlers: {
        export: {
          run: async (job) => {
            tries += 1
            if (tries <= 12)
              throw new Error('no object store', {
                cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
              })
            events.emit('done', job.failures)
          },
          giveUp: async () => assert.fail('it is not given up'),
        },
      },
      worker: 'w1',
      concurrency: 1,
      now: async () => (time += 1_000),
      onError: () => {},
      pollMs: 5,
    })
    assert.deepEqual(await done, [0])
    await runner.stop()
  },
)

testOnEveryEngine('keeps no job that it claimed while stopping', jobMigrations, async (database) => {
  const events = new EventEmitter()
  let looks = 0
  const runner = startJobRunner({
    database,
    handlers: {
      export: {
        run: async () => assert.fail('nobody waits for it'),
        giveUp: async () => assert.fail('it is not given up'),
      },
    },
    worker: 'w1',
    concurrency: 1,
    now: async () => {
      looks += 1
      if (looks === 1) {
        await add(database, 'a')
        events.emit('looking')
        await once(events, 'go on')
      }
      return 1
    },
    onError: (error) => assert.fail(String(error)),
  })
  await once(events, 'looking')
  const stopped = runner.stop()
  events.emit('go on')
  await stopped
  assert.deepEqual((await claim(database, 2, 'w2'))?.deaths, 0)
})
