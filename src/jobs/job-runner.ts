import type { Database } from '../backends/index.ts'
import { claimJob, extendLease, finishJob, type Job, releaseJob } from './jobs-store.ts'

/** The work behind a kind of job. `run` must be safe to repeat; `giveUp` says in the subject's row that it will not be done. */
export type JobHandler = {
  run(job: Job, context: JobContext): Promise<void>
  giveUp(job: Job, error: unknown): Promise<void>
  /** How often it is tried, and how long each pause is; three times within seconds when absent. */
  retry?: { attempts: number; pauseMs(failures: number): number }
}

export type JobContext = {
  /** Aborted when the node shuts down or another worker has taken the job over. */
  signal: AbortSignal
  /** Tells that work got done, so that a later death does not count against the job. */
  progressed(): void
}

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
}

/** Claims jobs under a lease, runs them, and keeps the lease while they run. */
export function startJobRunner(options: JobRunnerOptions): JobRunner {
  const { database, handlers, worker, concurrency, now, onError } = options
  const { leaseMs = 9_000, pollMs = 1_000 } = options
  const running = new Map<string, { done: Promise<void>; abort: AbortController }>()
  let stopping = false
  let looking = false
  let lookAgain = false

  const look = async (): Promise<void> => {
    if (looking) {
      lookAgain = true
      return
    }
    looking = true
    try {
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
          begin(job)
        }
      } while (lookAgain)
    } catch (error) {
      onError(error)
    } finally {
      looking = false
    }
  }

  const begin = (job: Job): void => {
    const abort = new AbortController()
    const done = work(job, abort).finally(() => {
      running.delete(job.id)
      if (!stopping) void look()
    })
    running.set(job.id, { done, abort })
  }

  const work = async (job: Job, abort: AbortController): Promise<void> => {
    const handler = handlers[job.kind]!
    let progressed = false
    const heartbeat = setInterval(async () => {
      try {
        const kept = await extendLease(database, job, { now: await now(), leaseMs, progressed })
        progressed = false
        if (!kept) abort.abort(new Error('Another worker has taken this job over.'))
      } catch (error) {
        onError(error, job)
      }
    }, leaseMs / 3)
    try {
      if (job.failures >= retryOf(handler).attempts) {
        await handler.giveUp(job, new Error(`The work stopped without a word ${job.failures} times.`))
      } else {
        await handler.run(job, { signal: abort.signal, progressed: () => (progressed = true) })
      }
      await finishJob(database, job)
    } catch (error) {
      await afterFailure(job, handler, error, abort.signal.aborted).catch((second) => onError(second, job))
    } finally {
      clearInterval(heartbeat)
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
    const retry = retryOf(handler)
    if (job.failures + 1 < retry.attempts) {
      return releaseJob(database, job, {
        runAfter: (await now()) + retry.pauseMs(job.failures),
        failed: true,
      })
    }
    await handler.giveUp(job, error)
    await finishJob(database, job)
  }

  const poll = setInterval(() => void look(), pollMs)
  void look()
  return {
    wake: () => void look(),
    stop: async () => {
      stopping = true
      clearInterval(poll)
      for (const { abort } of running.values()) abort.abort(new Error('The node is shutting down.'))
      await Promise.allSettled([...running.values()].map(({ done }) => done))
    },
  }
}

const defaultRetry = { attempts: 3, pauseMs: (failures: number) => 500 * 4 ** failures }
const retryOf = (handler: JobHandler) => handler.retry ?? defaultRetry
