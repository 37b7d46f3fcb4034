import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { embeddedGround, Installation, until } from './installation.ts'
import { type Ledger, settleExport, settleRelease } from './ledger.ts'
import type { Project } from './project.ts'

/**
 * Fills the disk of an installation to nearly nothing and exports. Each request must be refused or its job end with a word,
 * the server must live, nothing half made may be seen, and once there is room again everything must work. A sentence where
 * this cannot be tried here.
 */
export async function fillDisk(input: { ledger: Ledger; project: Project }): Promise<string | undefined> {
  const { ledger, project } = input
  const disk = await mkdtemp(join(tmpdir(), 'quire-chaos-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', disk], { stdio: 'pipe' })
  } catch (error) {
    await rm(disk, { recursive: true, force: true })
    const reason = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error)
    return `a small disk cannot be mounted here (${reason})`
  }
  const ground = await embeddedGround(join(disk, 'data'))
  const installation = new Installation(ground)
  try {
    await installation.start()
    await installation.countEnds()
    await project.change('disk')
    const whole = await project.expected()
    const { releaseId } = await installation.publish(await project.pack())
    const name = 'disk: publication before'
    await settleRelease(ledger, installation, { id: releaseId, name, expected: whole, marker: 'disk' })
    for (const leaveKb of [0, 64, 256, 512, 1024, 2048]) {
      const full = `disk with ${leaveKb} KB left`
      const { bavail, bsize } = await statfs(disk)
      await writeFile(join(disk, 'ballast'), Buffer.alloc(Math.max(0, bavail * bsize - leaveKb * 1024)))
      const paths = project.pages.slice(1 + (leaveKb % 7))
      const asked = await installation.startExport(paths, randomUUID()).catch(() => undefined)
      const ended = asked && (await until(25_000, async () => final(await installation.readJob(asked.jobId))))
      if (ended?.status === 'failed') {
        ledger.jobs += 1
        const bundle = await installation.api(`/v1/static-export/jobs/${ended.jobId}/bundle`, {
          method: 'POST',
        })
        if (bundle.status !== 409) ledger.other.push(`${full}: a failed job gives a bundle`)
        if (!ended.error) ledger.other.push(`${full}: the job failed without a word`)
      }
      const answers = await installation.api('/healthz').then(
        (response) => response.ok,
        () => false,
      )
      await rm(join(disk, 'ballast'))
      if (!answers) {
        ledger.other.push(`${full}: the server does not answer: ${installation.node.output().slice(-2_000)}`)
        if (installation.node.isGone()) await installation.start()
      }
      const expected = await project.expected(paths)
      if (asked && ended?.status !== 'failed')
        await settleExport(ledger, installation, { id: asked.jobId, name: full, expected, seen: asked })
      const after = await installation.startExport(paths, randomUUID())
      await settleExport(ledger, installation, { id: after.jobId, name: `${full}, then room`, expected })
      const partial = await readdir(join(ground.data, 'objects', '.partial')).catch(() => [])
      if (partial.length > 0) ledger.other.push(`${full}: ${partial.length} half-written objects are left`)
    }
    await installation.node.kill()
    for (const [jobId, count] of await ground.completions())
      if (count > 1) ledger.twice.push(`${jobId}: ${count} times`)
    const integrity = await ground.integrity()
    if (integrity !== 'ok') ledger.other.push(`disk: the database says of itself: ${integrity}`)
    return undefined
  } finally {
    await installation.node.kill()
    execFileSync('umount', ['-l', disk], { stdio: 'pipe' })
    await rm(disk, { recursive: true, force: true })
  }
}

const final = <Job extends { status: string }>(job: Job): Job | undefined =>
  job.status === 'completed' || job.status === 'failed' ? job : undefined
