import type { Checkpoint } from '../jobs/index.ts'

/**
 * For tests of faults: QUIRE_CRASH_AT=export:page#37 ends this process without warning when a job passes that point for the
 * 37th time, and QUIRE_FREEZE_AT stops it there until it is told to go on. Only first attempts count, so that the next
 * process with a point of its own resumes what the last one broke. Undefined where neither is set, which is always so.
 */
export function checkpointOf(environment: Record<string, string | undefined>): Checkpoint | undefined {
  const crash = readPoint(environment.QUIRE_CRASH_AT)
  const freeze = readPoint(environment.QUIRE_FREEZE_AT)
  if (!crash && !freeze) return undefined
  const passed = new Map<string, number>()
  return (point, job) => {
    if (job.attempt > 1) return
    const count = (passed.get(point) ?? 0) + 1
    passed.set(point, count)
    if (crash?.point === point && crash.count === count) process.kill(process.pid, 'SIGKILL')
    if (freeze?.point === point && freeze.count === count) process.kill(process.pid, 'SIGSTOP')
  }
}

function readPoint(text: string | undefined): { point: string; count: number } | undefined {
  if (!text) return undefined
  const [point = '', count = '1'] = text.split('#')
  return { point, count: Number(count) }
}
