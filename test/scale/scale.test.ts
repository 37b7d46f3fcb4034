import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBroken, newLedger } from '../chaos/ledger.ts'
import { writeProject } from '../chaos/project.ts'
import { noCluster, startCluster } from './cluster.ts'
import { survive } from './survive.ts'

test('two API nodes and three workers survive what happens to them', {
  skip: noCluster() ?? false,
}, async (context) => {
  const limit = 25
  const cluster = await startCluster({ QUIRE_ORGANIZATION_HOURLY_LIMIT: String(limit) })
  const project = await writeProject(12)
  context.after(async () => {
    await cluster.close()
    await project.remove()
  })
  await cluster.add('worker-1', 'worker')
  await Promise.all([cluster.add('api-1', 'api'), cluster.add('api-2', 'api')])
  await Promise.all([cluster.add('worker-2', 'worker'), cluster.add('worker-3', 'worker')])
  const ledger = newLedger()
  const report = (line: string) => context.diagnostic(line)
  const survival = await survive({ cluster, project, ledger, rounds: 1, cutMs: 4_000, limit, report })
  assert.ok(!isBroken(ledger), JSON.stringify(ledger, null, 1))
  assert.equal(survival.allowed, limit)
  assert.deepEqual(survival.failedRequests, [])
})
