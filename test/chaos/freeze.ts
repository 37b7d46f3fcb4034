import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Installation, until } from './installation.ts'
import { type Ledger, settleExport } from './ledger.ts'
import type { Project } from './project.ts'

/** Longer than a lease, so that whoever is frozen has lost its job when it comes back. */
const longerThanLeaseMs = 11_000

/** Freezes the only node in the middle of an export for longer than its lease; it must go on and complete it once. */
export async function freezeAlone(input: {
  ledger: Ledger
  installation: Installation
  project: Project
  point: string
}): Promise<void> {
  const { ledger, installation, project, point } = input
  const node = await installation.start({ QUIRE_FREEZE_AT: point })
  const paths = project.pages.slice(2)
  const job = await installation.startExport(paths, randomUUID())
  await node.untilFrozen()
  const frozenAt = performance.now()
  await pause(longerThanLeaseMs)
  node.signal('SIGCONT')
  const expected = await project.expected(paths)
  await settleExport(ledger, installation, {
    id: job.jobId,
    name: `freeze at ${point}`,
    expected,
    seen: job,
    diedAt: frozenAt + longerThanLeaseMs,
  })
  await node.kill()
}

/** Freezes one of two nodes: the other takes its job over, and the thawed one changes nothing. */
export async function freezeAndTakeOver(input: {
  ledger: Ledger
  installation: Installation
  project: Project
  point: string
}): Promise<void> {
  const { ledger, installation, project, point } = input
  const frozen = await installation.start({ QUIRE_FREEZE_AT: point })
  const paths = project.pages.slice(3)
  const job = await installation.startExport(paths, randomUUID())
  await frozen.untilFrozen()
  const frozenAt = performance.now()
  const data = await mkdtemp(join(tmpdir(), 'quire-chaos-second-'))
  const second = await installation.start({}, { data })
  const name = `freeze and take over at ${point}`
  const expected = await project.expected(paths)
  await settleExport(ledger, installation, {
    id: job.jobId,
    name,
    expected,
    seen: job,
    diedAt: frozenAt,
  })
  const before = await installation.readJob(job.jobId)
  frozen.signal('SIGCONT')
  const awake = await until(30_000, async () => (await fetch(`${frozen.url}/healthz`)).ok || undefined)
  if (!awake) ledger.other.push(`${name}: the thawed node does not answer`)
  // The thawed node must take and end a job of its own, which proves that it is through with the old one.
  await second.kill()
  installation.node = frozen
  const next = await installation.startExport(paths, randomUUID())
  await settleExport(ledger, installation, { id: next.jobId, name: `${name}, the next job`, expected })
  const after = await installation.readJob(job.jobId)
  if (JSON.stringify(after) !== JSON.stringify(before))
    ledger.other.push(
      `${name}: the thawed node changed ${JSON.stringify(before)} to ${JSON.stringify(after)}`,
    )
  await frozen.kill()
  await rm(data, { recursive: true, force: true })
}
