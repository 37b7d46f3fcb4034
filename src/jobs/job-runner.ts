import type { Database } from '../backends/index.ts'
import { isOutage } from './is-outage.ts'
import { claimJob, extendLease, finishJob, type Job, releaseJob } from './jobs-store.ts'

/** The work behind a kind of job. `run` must be safe to repeat; `giveUp` says in the subject's row that it will not be done. */
export type JobHandler = {
  run(job: Job, context: JobContext): Promise<void>
  giveUp(job: Job, error: unknown): Promise<void>
  /**
   * How often it is tried, and how long each pause is. When absent: three times within seconds, and patiently while the
   * database or the object store cannot be reached.
   */
  retry?: { attempts: number; pauseMs(failures: number): number }
}

export type JobContext = {
  /** Aborted when the node shuts down or another worker has taken the job over. */
  signal: AbortSignal
  /** Tells how far the work has come; an attempt that gets further than all before it starts the counting of failures anew. */
  progressed(reached: number): void
  /** Passes a named point of the work, where a test of faults may end or freeze the process. */
  checkpoint(point: string): void
}

/** Told of each point that a job passes, named as `export:page`. */
export type Checkpoint = (point: string, job: Job) => void

export type JobRunner = {
  /** Looks for work now instead of at the next poll. */
  wake(): void
  /** Takes no more jobs, aborts the running ones and gives them back to be resumed by whoever comes next. */
  stop(): Promise<void>
}

export type JobRunnerOptions = {
  database: Database
  handlers: Record<string, JobHandler>
  worker: string
  concurrency: number
  /** Time as the whole cluster sees it. */
  now(): Promise<number>
  onError(error: unknown, job?: Job): void
  leaseMs?: number
  pollMs?: number
  checkpoint?: Checkpoint
}

/** Claims jobs under a lease, runs them, and keeps the lease while they run. */
export function startJobRunner(options: JobRunnerOptions): JobRunner {
  const { database, handlers, worker, concurrency, now, onError } = options
  const { leaseMs = 9_000, pollMs = 1_000 } = options
  const running = new Map<string, { done: Promise<void>; abort: AbortController }>()
  let stopping = false
  let looking: Promise<void> | undefined
  let lookAgain = false

  const look = (): void => {
    if (looking) lookAgain = true
    else {
      looking = claimAll()
        .catch((error) => onError(error))
        .finally(() => {
          looking = undefined
        })
    }
  }

  const claimAll = async (): Promise<void> => {
    do {
      lookAgain = false
      while (!stopping && running.size < concurrency) {
        const time = await now()
        const job = await claimJob(database, {
          worker,
          kinds: Object.keys(handlers),
          now: time,
          leaseMs,
          except: [...running.keys()],
        })
        if (!job) break
        if (stopping) return releaseJob(database, job, { runAfter: 0, failed: false }) // Nobody would wait for it any more.
        begin(job)
      }
    } while (lookAgain)
  }

  const begin = (job: Job): void => {
    const abort = new AbortController()
    const done = work(job, abort).finally(() => {
      running.delete(job.id)
      if (!stopping) look()
    })
    running.set(job.id, { done, abort })
  }

  const work = async (job: Job, abort: AbortController): Promise<void> => {
    const handler = handlers[job.kind]!
    let { reached } = job
    let soon: NodeJS.Timeout | undefined
    const beat = async (): Promise<void> => {
      clearTimeout(soon)
      soon = undefined
      try {
        const kept = await extendLease(database, job, { now: await now(), leaseMs, reached })
        if (!kept) abort.abort(new Error('Another worker has taken this job over.'))
      } catch (error) {
        onError(error, job)
      }
    }
    const heartbeat = setInterval(beat, leaseMs / 3)
    const context: JobContext = {
      signal: abort.signal,
      progressed: (now) => {
        if (now <= reached) return
        reached = now
        soon ??= setTimeout(beat, progressMs)
      },
      checkpoint: (point) => options.checkpoint?.(`${job.kind}:${point}`, job),
    }
    try {
      context.checkpoint('claimed')
      if (job.deaths >= mostDeaths) {
        await handler.giveUp(job, new Error(`The work stopped without a word ${job.deaths} times.`))
      } else await handler.run(job, context)
      await finishJob(database, job)
      context.checkpoint('finished')
    } catch (error) {
      await afterFailure(job, handler, error, abort.signal.aborted).catch((second) => onError(second, job))
    } finally {
      clearInterval(heartbeat)
      clearTimeout(soon)
    }
  }

  const afterFailure = async (
    job: Job,
    handler: JobHandler,
    error: unknown,
    aborted: boolean,
  ): Promise<void> => {
    if (aborted) return releaseJob(database, job, { runAfter: 0, failed: false })
    onError(error, job)
    const time = await now()
    if (!handler.retry && isOutage(error) && time - job.createdAt < outageMs) {
      return releaseJob(database, job, { runAfter: time + outagePauseMs, failed: false })
    }
    const retry = handler.retry ?? defaultRetry
    if (job.failures + 1 < retry.attempts) {
      return releaseJob(database, job, {
        runAfter: time + retry.pauseMs(job.failures),
        failed: true,
      })
    }
    await handler.giveUp(job, error)
    await finishJob(database, job)
  }

  const poll = setInterval(look, pollMs)
  look()
  return {
    wake: look,
    stop: async () => {
      stopping = true
      clearInterval(poll)
      await looking
      for (const { abort } of running.values()) abort.abort(new Error('The node is shutting down.'))
      await Promise.allSettled([...running.values()].map(({ done }) => done))
    },
  }
}

const defaultRetry = { attempts: 3, pauseMs: (failures: number) => 500 * 4 ** failures }
/** Machines are switched off more often than work kills its process, so that a death counts for less than a failure. */
const mostDeaths = 10
/** How soon it is written down that an attempt got further. */
const progressMs = 1_000
/** How long a job waits for what it needs to come back before its failures count, and how often it tries. */
const outageMs = 3_600_000
const outagePauseMs = 2_000
