import { extname } from 'node:path'
import { setTimeout as setTimeoutAsync } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createRenderer, failedPage, type RenderedPage, type RenderTask } from './render-pages.ts'
import type { WorkerReport, WorkerRequest } from './render-worker.ts'
import type { SitePlan } from './site-plan.ts'

/** How long one page may take before its thread is ended, and how many quarters of it more on a busy machine. */
const defaultPageTimeoutMs = 20_000
const mostPauses = 20
/**
 * Threads are kept small, those of a server smaller still, so that a build fits a small machine; a page that needs more is
 * tried alone in a large one. Twice the room for what is young saves a tenth of the time.
 */
const threadSizes = {
  thrifty: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 },
  quick: { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 24 },
  large: { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 24 },
}
export type ThreadSize = Exclude<keyof typeof threadSizes, 'large'>
/** Parsers in native code recurse without a guard of their own, so threads have far more stack than pages need. */
const threadStackMb = 960
const batchSize = 4

/** How long a thread may take until it says that it has begun, on a machine however busy. */
const defaultStartTimeoutMs = 120_000

/** Threads that wait for the next build, so that a preview need not start them again. */
const idle: Worker[] = []
const keptThreads = 4
const idleMs = 3_000

/** Starts the threads for so many pages, which load their code while the pages are planned. */
export function prepareThreads(pages: number, workers: number, size: ThreadSize): void {
  while (idle.length < threadsFor(pages, workers)) {
    const worker = startWorker(size, pages)
    worker.unref()
    keepIdle(worker)
  }
}

function threadsFor(pages: number, workers: number): number {
  return Math.min(workers, keptThreads, Math.ceil(pages / 8))
}

/** Renders all pages of a plan and hands each to `onPage`. A page that hangs or kills its thread costs no other page. */
export async function renderPages(input: {
  plan: SitePlan
  task: RenderTask
  /** Which pages of the plan. */
  indexes: readonly number[]
  workers: number
  size: ThreadSize
  pageTimeoutMs?: number
  startTimeoutMs?: number
  /** Starts a thread; only tests of threads that cannot start give another. */
  start?: () => Worker
  signal?: AbortSignal
  onPage(index: number, page: RenderedPage): void
}): Promise<void> {
  input.signal?.throwIfAborted()
  if (input.indexes.length === 0) return
  if (input.workers === 0) return renderHere(input)
  const count = Math.max(1, threadsFor(input.indexes.length, input.workers))
  const queue: Queue = {
    indexes: [...input.indexes].reverse(),
    suspects: new Set(),
    blameless: 0,
  }
  const control = new AbortController()
  const signal = input.signal ? AbortSignal.any([input.signal, control.signal]) : control.signal
  const threads = Array.from({ length: count }, () =>
    runThread(queue, { ...input, signal }).catch((error: unknown) => {
      control.abort(error)
      throw error
    }),
  )
  await Promise.allSettled(threads) // Nobody writes into the folder of a build that has failed.
  await Promise.all(threads)
}

/** The pages that are left, and those that were in work when a thread died: each of them is tried once more, alone. */
type Queue = { indexes: number[]; suspects: Set<number>; blameless: number }

async function renderHere(input: Parameters<typeof renderPages>[0]): Promise<void> {
  const renderer = createRenderer(input.plan, input.task)
  for (const index of input.indexes) {
    input.signal?.throwIfAborted()
    let page: RenderedPage
    try {
      page = renderer.render(index)
    } catch (error) {
      page = brokenPage(input.plan, index, error instanceof Error ? error.message : String(error))
    }
    input.onPage(index, page)
    if (index % 10 === 9) await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

/** Keeps one place of the pool busy until the queue is empty; a thread that dies is replaced. */
async function runThread(queue: Queue, input: Parameters<typeof renderPages>[0]): Promise<void> {
  while (queue.indexes.length > 0) {
    input.signal?.throwIfAborted()
    await runUntilDeath(queue, input)
  }
}

function runUntilDeath(queue: Queue, input: Parameters<typeof renderPages>[0]): Promise<void> {
  return new Promise((resolve, reject) => {
    const large = isSuspect(queue)
    const pages = input.plan.pages.length
    const worker =
      input.start?.() ??
      (large ? startWorker('large', pages) : (takeIdle() ?? startWorker(input.size, pages)))
    worker.ref()
    const pageTimeoutMs = input.pageTimeoutMs ?? defaultPageTimeoutMs
    let batch: number[] = []
    let current: number | undefined
    let timer: NodeJS.Timeout | undefined
    let ended = false
    let heard = false
    const send = (request: WorkerRequest) => worker.postMessage(request)
    const finish = (settle: () => void) => {
      if (ended) return
      ended = true
      clearTimeout(timer)
      worker.off('message', hear).off('error', fall).off('exit', leave)
      input.signal?.removeEventListener('abort', abort)
      settle()
    }
    const die = (reason: string, certain = false) =>
      finish(() => {
        void worker.terminate()
        queue.indexes.push(...batch.filter((index) => index !== current).reverse())
        if (current === undefined) {
          // No page was in work, so no page is to blame; a thread that never worked would not work the next time either.
          queue.blameless += 1
          if (!heard || queue.blameless > 3) reject(new Error(reason))
          else resolve()
          return
        }
        if (certain || queue.suspects.has(current)) {
          try {
            input.onPage(current, brokenPage(input.plan, current, reason))
          } catch (error) {
            reject(error)
          }
        } else {
          queue.suspects.add(current) // What other pages left in the thread may have killed it.
          queue.indexes.push(current)
        }
        resolve()
      })
    const abort = () => finish(() => void worker.terminate().then(() => reject(input.signal?.reason)))
    const next = () => {
      batch = isSuspect(queue) && !large ? [] : takeBatch(queue)
      if (batch.length > 0) {
        send({ type: 'render', indexes: batch })
        return
      }
      finish(() => {
        worker.unref()
        if (idle.length < keptThreads && !large) keepIdle(worker)
        else void worker.terminate()
        resolve()
      })
    }
    /** A page that is slow because the machine is busy gets more time; one that computes without end does not. */
    const judge = async (index: number) => {
      const pause = pageTimeoutMs / 4
      const isOver = () => ended || current !== index
      let before = await cpuMs(worker, pause)
      for (let step = 0; step < mostPauses && !isOver(); step++) {
        await setTimeoutAsync(pause)
        const now = await cpuMs(worker, pause)
        if (before === undefined || now === undefined || now - before > pause / 2) break
        before = now
      }
      if (!isOver()) die(`The page took longer than ${pageTimeoutMs / 1000} seconds.`, true)
    }
    const hear = (report: WorkerReport) => {
      try {
        take(report)
      } catch (error) {
        // What the page was handed to cannot go on, as on a full disk: that ends the build, not the process.
        finish(() => void worker.terminate().then(() => reject(error)))
      }
    }
    const take = (report: WorkerReport) => {
      heard = true
      if (report.type === 'started') {
        current = report.index
        clearTimeout(timer)
        timer = setTimeout(() => void judge(report.index), pageTimeoutMs)
      } else if (report.type === 'rendered' || report.type === 'failed') {
        clearTimeout(timer)
        batch = batch.filter((index) => index !== report.index)
        current = undefined
        const page =
          report.type === 'rendered' ? report.page : brokenPage(input.plan, report.index, report.message)
        input.onPage(report.index, page)
      } else next()
    }
    const fall = (error: Error) => die(describeDeath(error, current !== undefined))
    const leave = () =>
      die(
        current === undefined
          ? 'A thread that renders pages ended at once.'
          : 'The thread that rendered the page ended.',
      )
    worker.on('message', hear).on('error', fall).on('exit', leave)
    input.signal?.addEventListener('abort', abort, { once: true })
    send({ type: 'plan', plan: input.plan, task: input.task })
    const startTimeoutMs = input.startTimeoutMs ?? defaultStartTimeoutMs
    timer = setTimeout(
      () => die(`A thread that renders pages did not begin within ${startTimeoutMs / 1000} seconds.`),
      startTimeoutMs,
    )
    next()
  })
}

/** Whether the next page may have killed a thread: then it gets a large thread to itself. */
function isSuspect({ indexes, suspects }: Queue): boolean {
  const next = indexes.at(-1)
  return next !== undefined && suspects.has(next)
}

/** The next pages for a thread; one that may have killed its thread comes alone. */
function takeBatch(queue: Queue): number[] {
  const { indexes, suspects } = queue
  if (isSuspect(queue)) return indexes.splice(-1)
  const taken = indexes.splice(-batchSize).reverse()
  const suspect = taken.findIndex((index) => suspects.has(index))
  if (suspect < 0) return taken
  indexes.push(...taken.splice(suspect).reverse())
  return taken
}

function keepIdle(worker: Worker): void {
  idle.push(worker)
  worker.once('error', forgetIdle).once('exit', forgetIdle)
  setTimeout(() => {
    if (!idle.includes(worker)) return
    forgetIdle.call(worker) // Before it ends, so that no build takes a thread that is ending.
    void worker.terminate() // Gives its memory back between builds.
  }, idleMs).unref()
}

function takeIdle(): Worker | undefined {
  return idle.pop()?.off('error', forgetIdle).off('exit', forgetIdle)
}

function forgetIdle(this: Worker): void {
  const index = idle.indexOf(this)
  if (index >= 0) idle.splice(index, 1)
}

/** A thread knows every page of the site by name, which takes it a few kilobytes each. */
function startWorker(size: keyof typeof threadSizes, pages: number): Worker {
  const { maxOldGenerationSizeMb, maxYoungGenerationSizeMb } = threadSizes[size]
  const file = new URL(`./render-worker${extname(import.meta.url)}`, import.meta.url)
  return new Worker(file, {
    workerData: { yields: size === 'thrifty' },
    resourceLimits: {
      maxOldGenerationSizeMb: maxOldGenerationSizeMb + Math.ceil(pages / 512),
      maxYoungGenerationSizeMb,
      stackSizeMb: threadStackMb,
    },
  })
}

/** The processor time that a thread has had; undefined where it is so busy that it does not say. */
async function cpuMs(worker: Worker, waitMs: number): Promise<number | undefined> {
  const usage = await Promise.race([worker.cpuUsage().catch(() => undefined), setTimeoutAsync(waitMs)])
  return usage === undefined ? undefined : usage.user / 1000
}

function describeDeath(error: Error, inPage: boolean): string {
  if (!inPage) return `A thread that renders pages could not work: ${error.message}`
  const code = 'code' in error ? error.code : undefined
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? 'The page needs more memory than a page may have.'
    : `The page could not be rendered: ${error.message}`
}

function brokenPage(plan: SitePlan, index: number, message: string): RenderedPage {
  const { failed, problem } = failedPage(plan, index, message)
  return {
    path: failed.path,
    files: [],
    ids: [],
    anchorUses: [],
    linkTexts: [],
    feed: [],
    needs: { mermaid: false, math: false },
    problems: [problem],
    failed,
  }
}
