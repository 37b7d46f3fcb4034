import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../chaos/installation.ts'
import { type Ledger, settleEnds, settleExport, settleRelease } from '../chaos/ledger.ts'
import type { Project } from '../chaos/project.ts'
import type { Cluster } from './cluster.ts'

export type Survival = {
  /** How long the last node took to show a publication. */
  slowestSeenMs: number
  /** Requests sent while nodes were restarted one by one, and those that failed. */
  requests: number
  failedRequests: string[]
  allowed: number
}

/** Publishes, exports and asks on a cluster while its nodes, its database and its object store go away and come back. */
export async function survive(input: {
  cluster: Cluster
  project: Project
  ledger: Ledger
  rounds: number
  cutMs: number
  /** The limit of assistant requests that the nodes were started with. */
  limit: number
  report(line: string): void
}): Promise<Survival> {
  const { cluster, project, ledger, report } = input
  const { installation } = cluster
  const result: Survival = { slowestSeenMs: 0, requests: 0, failedRequests: [], allowed: 0 }

  await installation.countEnds()
  for (let round = 0; round < input.rounds; round += 1) {
    const marker = `scale-${round}`
    await project.change(marker)
    const { releaseId } = await installation.publish(await project.pack())
    const expected = await project.expected()
    await settleRelease(ledger, installation, { id: releaseId, name: marker, expected, marker })
    const readyAt = performance.now()
    const shown = [...cluster.balancer.nodes.values()].map((url) =>
      until(30_000, async () => {
        const page = await fetch(`${url}/sites/docs/pages/page-0`)
        return (await page.text()).includes(`Marker ${marker}.`) || undefined
      }),
    )
    await Promise.all(shown)
    result.slowestSeenMs = Math.max(result.slowestSeenMs, performance.now() - readyAt)
  }
  report(`a publication is seen by every node after ${Math.round(result.slowestSeenMs)} ms`)

  result.allowed = await countAllowed(cluster, input.limit + 15)
  report(`${result.allowed} of ${input.limit + 15} questions were allowed, the limit being ${input.limit}`)

  const faults: [string, () => Promise<void>][] = [
    ['a worker is killed', () => replace(cluster, 'worker-1', 'kill')],
    ['an API node is killed', () => replace(cluster, 'api-1', 'kill')],
    [
      `the object store is cut for ${input.cutMs / 1000} s`,
      async () => {
        cluster.objects.cut()
        await pause(input.cutMs)
        cluster.objects.mend()
      },
    ],
    ['PostgreSQL is restarted', () => cluster.restartPostgres()],
  ]
  for (let round = 0; round < input.rounds; round += 1) {
    for (const [index, [name, fault]] of faults.entries()) {
      const asked = await askForExports(cluster, project, `${round}-${index}`)
      const began = performance.now()
      await fault()
      for (const job of asked) {
        const expected = await project.expected(job.paths)
        await settleExport(ledger, installation, { id: job.id, name: `${name}, ${job.id}`, expected })
      }
      report(`${name}: all exports done after ${Math.round(performance.now() - began)} ms`)
    }
  }

  const asked = await askForExports(cluster, project, 'rolling')
  const load = loadOn(cluster, asked[0]!.id, result)
  for (const name of [...cluster.nodes.keys()]) await replace(cluster, name, 'stop')
  await load.end()
  for (const job of asked) {
    const expected = await project.expected(job.paths)
    await settleExport(ledger, installation, { id: job.id, name: `rolling restart, ${job.id}`, expected })
  }
  await settleEnds(ledger, installation)
  report(`rolling restart: ${result.requests} requests, ${result.failedRequests.length} failed`)
  return result
}

async function replace(cluster: Cluster, name: string, how: 'kill' | 'stop'): Promise<void> {
  const { role } = cluster.nodes.get(name)!
  await cluster[how](name)
  await cluster.add(name, role)
}

/** Two exports, asked for again under the same key until somebody says yes. */
async function askForExports(
  { installation }: Cluster,
  project: Project,
  name: string,
): Promise<{ id: string; paths: string[] }[]> {
  const asked: { id: string; paths: string[] }[] = []
  for (let index = 0; index < 2; index += 1) {
    const start = 1 + ((index * 3 + name.length + name.charCodeAt(0)) % (project.pages.length - 2))
    const paths = project.pages.filter((_, page) => page !== start && page !== index)
    const key = randomUUID()
    const job = await until(60_000, () => installation.startExport(paths, key))
    if (!job) throw new Error('Nobody took the export.')
    asked.push({ id: job.jobId, paths })
  }
  return asked
}

/** Asks questions at all nodes at once; answers how many passed the limit. */
async function countAllowed({ installation, balancer }: Cluster, count: number): Promise<number> {
  const statuses: number[] = []
  const ask = async () => {
    const response = await fetch(`${balancer.url}/v1/assistant/docs/message`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${installation.keys!.assistantKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        fp: 'scale',
        messages: [
          {
            id: '1',
            role: 'user',
            content: 'What is on page 3?',
            parts: [{ type: 'text', text: 'What is on page 3?' }],
          },
        ],
      }),
    })
    await response.text()
    statuses.push(response.status)
  }
  for (let sent = 0; sent < count; sent += 10)
    await Promise.all(Array.from({ length: Math.min(10, count - sent) }, ask))
  return statuses.filter((status) => status === 200).length
}

/** A steady stream of status calls through the balancer. */
function loadOn({ installation }: Cluster, jobId: string, result: Survival): { end(): Promise<void> } {
  let going = true
  const ask = async () => {
    while (going) {
      result.requests += 1
      try {
        const response = await installation.api(`/v1/static-export/jobs/${jobId}`)
        await response.text()
        if (!response.ok) result.failedRequests.push(String(response.status))
      } catch (error) {
        result.failedRequests.push(error instanceof Error ? error.message : String(error))
      }
      await pause(10)
    }
  }
  const running = [ask(), ask(), ask()]
  return {
    end: async () => {
      going = false
      await Promise.all(running)
    },
  }
}
