import { isBroken, type Ledger } from '../chaos/ledger.ts'
import { writeProject } from '../chaos/project.ts'
import { noCluster, startCluster } from './cluster.ts'
import { survive } from './survive.ts'

/** The long version: a reason where it cannot be run here. */
export async function runScale(input: {
  ledger: Ledger
  rounds: number
  cutMs: number
  report(line: string): void
}): Promise<string | undefined> {
  const { ledger, report } = input
  const reason = noCluster()
  if (reason) return reason
  const limit = 40
  const project = await writeProject(30)
  const cluster = await startCluster({ QUIRE_ORGANIZATION_HOURLY_LIMIT: String(limit) })
  try {
    for (const name of ['worker-1', 'worker-2', 'worker-3']) await cluster.add(name, 'worker')
    for (const name of ['api-1', 'api-2']) await cluster.add(name, 'api')
    report('2 API nodes and 3 workers are ready')
    const survival = await survive({ ...input, cluster, project, limit })
    if (survival.allowed !== limit)
      ledger.other.push(`${survival.allowed} questions passed a limit of ${limit}`)
    for (const failure of survival.failedRequests)
      ledger.other.push(`rolling restart: a request got ${failure}`)
    if (survival.slowestSeenMs > 2_000)
      ledger.other.push(`a publication was seen after ${Math.round(survival.slowestSeenMs)} ms only`)
  } finally {
    if (isBroken(ledger))
      for (const [name, { process: node }] of cluster.nodes) console.error(name, node.output().slice(-3_000))
    await cluster.close()
    await project.remove()
  }
  return undefined
}
