import type { Installation, JobView } from './installation.ts'
import { until } from './installation.ts'

/** What was promised to somebody, and what came of it. */
export type Ledger = {
  kills: number
  jobs: number
  lost: string[]
  twice: string[]
  wrong: string[]
  progressDown: string[]
  other: string[]
  slowestResumeMs: number
  slowestStartMs: number
}

export const newLedger = (): Ledger => ({
  kills: 0,
  jobs: 0,
  lost: [],
  twice: [],
  wrong: [],
  progressDown: [],
  other: [],
  slowestResumeMs: 0,
  slowestStartMs: 0,
})

export type Expected = { sha256: string; digest: string; pageCount: number }

/** How long a job may take on a busy machine before it counts as lost. */
const patienceMs = 120_000

/** Follows an export to its end and writes down whether it is what it must be. */
export async function settleExport(
  ledger: Ledger,
  installation: Installation,
  job: { id: string; name: string; expected: Expected; seen?: JobView; diedAt?: number },
): Promise<void> {
  ledger.jobs += 1
  let { seen } = job
  let first: JobView | undefined
  let resumed = job.diedAt === undefined
  const done = await until(patienceMs, async () => {
    const now = await installation.readJob(job.id)
    if (seen && now.progress < seen.progress)
      ledger.progressDown.push(`${job.name}: from ${seen.progress} to ${now.progress}`)
    first ??= now
    if (!resumed && (isFinal(now) || now.updatedAt !== first.updatedAt)) {
      resumed = true
      noteResume(ledger, job.diedAt!)
    }
    seen = now
    return isFinal(now) ? now : undefined
  })
  if (done?.status !== 'completed') {
    ledger.lost.push(`${job.name}: ${done ? `${done.status}, ${done.error}` : `still ${seen?.status}`}`)
    return
  }
  const { told, delivered } = await installation.downloadDigest(job.id)
  if (told !== job.expected.sha256 || delivered !== told || done.pageCount !== job.expected.pageCount)
    ledger.wrong.push(`${job.name}: ${delivered}, ${done.pageCount} pages`)
}

/** Follows a publication to its end. */
export async function settleRelease(
  ledger: Ledger,
  installation: Installation,
  release: { id: string; name: string; expected: Expected; marker: string; diedAt?: number },
): Promise<void> {
  ledger.jobs += 1
  const done = await until(patienceMs, async () => {
    const now = await installation.readRelease(release.id)
    return now.status === 'ready' || now.status === 'failed' ? now : undefined
  })
  if (done?.status !== 'ready') {
    ledger.lost.push(`${release.name}: ${done?.error ?? 'not ready'}`)
    return
  }
  if (release.diedAt !== undefined) noteResume(ledger, release.diedAt)
  const page = await installation.api('/sites/docs/pages/page-0')
  const live = (await page.text()).includes(`Marker ${release.marker}.`)
  if (done.digest !== release.expected.digest || !live)
    ledger.wrong.push(`${release.name}: digest ${done.digest}, ${live ? 'live' : 'not live'}`)
}

/** Reads from the database itself whether anything was completed twice. */
export async function settleEnds(ledger: Ledger, installation: Installation): Promise<void> {
  for (const [jobId, count] of await installation.ground.completions())
    if (count > 1) ledger.twice.push(`${jobId}: ${count} times`)
  const integrity = await installation.ground.integrity()
  if (integrity !== 'ok') ledger.other.push(`the database says of itself: ${integrity}`)
}

export function isBroken(ledger: Ledger): boolean {
  return [ledger.lost, ledger.twice, ledger.wrong, ledger.progressDown, ledger.other].some(
    (list) => list.length > 0,
  )
}

function noteResume(ledger: Ledger, diedAt: number): void {
  ledger.slowestResumeMs = Math.max(ledger.slowestResumeMs, performance.now() - diedAt)
}

const isFinal = (job: JobView) => job.status === 'completed' || job.status === 'failed'
