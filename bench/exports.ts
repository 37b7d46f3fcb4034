import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { embeddedGround, Installation, sharedGround, until } from '../test/chaos/installation.ts'
import { type NodeProcess, startNode } from '../test/chaos/node-process.ts'
import { writeProject } from '../test/chaos/project.ts'

/**
 * Exports per minute, and how long a status call takes meanwhile. Each export is another choice of pages, so that nothing is
 * kept from the one before. With QUIRE_TEST_POSTGRES_URL: one API node and 1, 2 and 3 workers; without: one node alone.
 *
 *   node bench/exports.ts [exports per run] [pages]
 */
const exportCount = Number(process.argv[2] ?? 12)
const pageCount = Number(process.argv[3] ?? 100)

type Figures = { perMinute: number; statusMs: number[] }

const project = await writeProject(pageCount)
try {
  console.log(`${exportCount} exports of ${pageCount - 1} pages each, ${availableParallelism()} cores`)
  const shared = process.env.QUIRE_TEST_POSTGRES_URL !== undefined
  for (const workers of shared ? [1, 2, 3] : [0]) {
    const { perMinute, statusMs } = await measure(workers)
    const name =
      workers === 0 ? 'one node (SQLite)' : `${workers} worker${workers > 1 ? 's' : ''} (PostgreSQL)`
    const times = [50, 99].map((percent) => `p${percent} ${at(statusMs, percent).toFixed(1)} ms`).join(', ')
    console.log(`${name.padEnd(24)}${perMinute.toFixed(1)} exports a minute; status call ${times}`)
  }
} finally {
  await project.remove()
}

async function measure(workers: number): Promise<Figures> {
  const ground = workers === 0 ? await embeddedGround() : (await sharedGround())!
  const installation = new Installation(ground)
  const nodes: NodeProcess[] = []
  try {
    for (let index = 0; index < workers; index += 1) {
      const data = join(ground.data, `worker-${index}`)
      const { node, keys } = await startNode({
        data,
        environment: ground.environment,
        flags: ['--role', 'worker'],
      })
      installation.keys ??= keys
      nodes.push(node)
    }
    nodes.push(await installation.start({}, workers === 0 ? {} : { flags: ['--role', 'api'] }))
    const { releaseId } = await installation.publish(await project.pack())
    await until(
      300_000,
      async () => (await installation.readRelease(releaseId)).status === 'ready' || undefined,
    )
    return await exportAll(installation)
  } finally {
    for (const node of nodes) await node.kill()
    await ground.remove()
  }
}

async function exportAll(installation: Installation): Promise<Figures> {
  const began = performance.now()
  const left = new Set<string>()
  for (let index = 0; index < exportCount; index += 1) {
    const paths = project.pages.filter((_, page) => page !== index % pageCount)
    left.add((await installation.startExport(paths, randomUUID())).jobId)
  }
  const statusMs: number[] = []
  while (left.size > 0) {
    for (const jobId of [...left]) {
      const asked = performance.now()
      const { status } = await installation.readJob(jobId)
      statusMs.push(performance.now() - asked)
      if (status === 'failed') throw new Error('An export failed.')
      if (status === 'completed') left.delete(jobId)
      await pause(10)
    }
  }
  return { perMinute: (exportCount * 60_000) / (performance.now() - began), statusMs }
}

function at(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0
}
