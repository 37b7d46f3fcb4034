import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Installation, JobView } from './installation.ts'
import { type Expected, type Ledger, settleExport, settleRelease } from './ledger.ts'
import type { Project } from './project.ts'

const points = [
  'claimed',
  'begun',
  'source-fetched',
  'unpacked',
  'compiled',
  'archived',
  'completing',
  'completed',
  'finished',
]

/** The named points of one kind of work, with as many pages among them as are asked for. */
export function pointsOf(kind: 'export' | 'publish', pages: number, pageCount: number): string[] {
  const step = pageCount / pages
  return [
    ...points.map((point) => `${kind}:${point}`),
    ...Array.from({ length: pages }, (_, index) => `${kind}:page#${1 + Math.floor(index * step)}`),
  ]
}

/** When to kill: a point that the process reaches by itself, or a moment after the work was asked for. */
export type Kill = { at: string } | { afterMs: number; kind: 'export' | 'publish' }

type Pending =
  | { kind: 'export'; id: string; seen: JobView; expected: Expected; name: string; diedAt: number }
  | { kind: 'publish'; id: string; marker: string; expected: Expected; name: string; diedAt: number }

/**
 * Kills the node once for each moment that is given, with one piece of work in its hands, and starts it again. Each new node
 * first ends what the one before it left, then meets its own death.
 */
export async function killAgainAndAgain(input: {
  ledger: Ledger
  installation: Installation
  project: Project
  kills: Kill[]
  report(line: string): void
}): Promise<void> {
  const { ledger, installation, project, report } = input
  let pending: Pending | undefined
  for (const [round, kill] of input.kills.entries()) {
    await restart(ledger, installation, 'at' in kill ? { QUIRE_CRASH_AT: kill.at } : {})
    if (pending) await settle(ledger, installation, pending)
    pending = await askAndKill(installation, project, kill, round)
    ledger.kills += 1
    report(`killed at ${pending.name}`)
  }
  await restart(ledger, installation, {})
  if (pending) await settle(ledger, installation, pending)
}

/** How long a process takes to start says more of the machine than of the queue, so it is a figure of its own. */
async function restart(
  ledger: Ledger,
  installation: Installation,
  environment: Record<string, string>,
): Promise<void> {
  const began = performance.now()
  await installation.start(environment)
  ledger.slowestStartMs = Math.max(ledger.slowestStartMs, performance.now() - began)
}

function settle(ledger: Ledger, installation: Installation, left: Pending): Promise<void> {
  const pending = { ...left, diedAt: performance.now() } // Counted from when the new process is ready.
  return pending.kind === 'export'
    ? settleExport(ledger, installation, pending)
    : settleRelease(ledger, installation, pending)
}

async function askAndKill(
  installation: Installation,
  project: Project,
  kill: Kill,
  round: number,
): Promise<Pending> {
  const kind = 'at' in kill ? (kill.at.startsWith('export') ? 'export' : 'publish') : kill.kind
  const name = 'at' in kill ? kill.at : `${kind} after ${kill.afterMs} ms`
  const left = project.pages[round % project.pages.length] // Another choice each time, so that no page is kept from before.
  const paths = project.pages.filter((page) => page !== left)
  const marker = `round-${randomUUID()}`
  if (kind === 'publish') await project.change(marker)
  const expected = await (kind === 'export' ? project.expected(paths) : project.expected())
  const archive = kind === 'publish' ? await project.pack() : undefined
  const killed = die(installation, kill, name)
  const key = randomUUID()
  const ask = () => (archive ? installation.publish(archive) : installation.startExport(paths, key))
  const answer = await ask().catch(() => undefined)
  const seen = answer && 'jobId' in answer ? await watch(installation, answer) : undefined
  const diedAt = await killed
  if (seen) return { kind: 'export', id: seen.jobId, seen, expected, name, diedAt }
  if (answer && 'releaseId' in answer)
    return { kind: 'publish', id: answer.releaseId, marker, expected, name, diedAt }
  await installation.start() // It died before it had answered, so whoever asked asks again.
  const again = await ask()
  await installation.node.kill()
  const now = performance.now()
  return 'jobId' in again
    ? { kind: 'export', id: again.jobId, seen: again, expected, name, diedAt: now }
    : { kind: 'publish', id: again.releaseId, marker, expected, name, diedAt: now }
}

/** The last that anybody saw of a job before its node was gone. */
async function watch(installation: Installation, job: JobView): Promise<JobView> {
  let seen = job
  while (!installation.node.isGone()) {
    seen = await installation.readJob(job.jobId).catch(() => seen)
    await pause(20)
  }
  return seen
}

/** Resolves with the moment at which the node was gone. */
async function die(installation: Installation, kill: Kill, name: string): Promise<number> {
  if ('afterMs' in kill) {
    await pause(kill.afterMs)
    await installation.node.kill()
    return performance.now()
  }
  const late = new AbortController()
  const reached = await Promise.race([
    installation.node.gone.then(() => true),
    pause(90_000, false, { signal: late.signal }).catch(() => false),
  ])
  late.abort()
  if (!reached) throw new Error(`The point ${name} was never reached:\n${installation.node.output()}`)
  return performance.now()
}
