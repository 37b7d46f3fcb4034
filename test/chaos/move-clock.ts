import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { root } from '../journeys/support.ts'
import { type Installation, until } from './installation.ts'
import { type Ledger, settleExport } from './ledger.ts'
import type { Project } from './project.ts'

const dayMs = 86_400_000

/** Jumps two days while an export runs, then kills the node and starts it with the clock on the other side. */
export async function moveClock(input: {
  ledger: Ledger
  installation: Installation
  project: Project
}): Promise<void> {
  const { ledger, installation, project } = input
  const preload = { NODE_OPTIONS: `--import=${join(root, 'test/chaos/shift-clock.mjs')}` }
  for (const [round, shiftMs] of [dayMs, -dayMs].entries()) {
    const word = shiftMs > 0 ? 'back' : 'forward'
    const paths = project.pages.slice(4 + 2 * round)
    const expected = await project.expected(paths)
    const node = await installation.start({ ...preload, QUIRE_TEST_CLOCK_MS: String(shiftMs) })
    const during = await installation.startExport(paths, randomUUID())
    await until(
      30_000,
      async () => (await installation.readJob(during.jobId)).status !== 'queued' || undefined,
    )
    node.signal('SIGUSR2')
    await settleExport(ledger, installation, {
      id: during.jobId,
      name: `clock ${word} while it runs`,
      expected,
    })
    const after = await installation.startExport(paths, randomUUID())
    await settleExport(ledger, installation, { id: after.jobId, name: `clock ${word} before it`, expected })

    node.signal('SIGUSR2')
    const fewer = paths.slice(1)
    const broken = await installation.startExport(fewer, randomUUID())
    await node.kill()
    ledger.kills += 1
    const diedAt = performance.now()
    await installation.start({ ...preload, QUIRE_TEST_CLOCK_MS: String(-shiftMs) })
    await settleExport(ledger, installation, {
      id: broken.jobId,
      name: `clock ${word} across a death`,
      expected: await project.expected(fewer),
      seen: broken,
      diedAt,
    })
    await installation.node.kill()
  }
}
