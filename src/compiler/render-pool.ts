import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createRenderer, failedPage, type RenderedPage, type RenderTask } from './render-pages.ts'
import type { WorkerReport, WorkerRequest } from './render-worker.ts'
import type { SitePlan } from './site-plan.ts'

/** How long one page may take before its thread is ended, and how much memory a thread may have. */
const defaultPageTimeoutMs = 20_000
const threadMemoryMb = 768
/** Parsers in native code recurse without a guard of their own, so threads have far more stack than pages need. */
const threadStackMb = 960
const batchSize = 4

/** Threads that wait for the next build, so that a preview need not start them again. */
const idle: Worker[] = []
const keptThreads = 4

/** Renders all pages of a plan and hands each to `onPage`. A page that hangs or kills its thread costs no other page. */
export async function renderPages(input: {
  plan: SitePlan
  task: RenderTask
  workers: number
  pageTimeoutMs?: number
  signal?: AbortSignal
  onPage(index: number, page: RenderedPage): void
}): Promise<void> {
  input.signal?.throwIfAborted()
  if (input.workers === 0) return renderHere(input)
  const count = Math.max(1, Math.min(input.workers, Math.ceil(input.plan.pages.length / 8)))
  const queue = input.plan.pages.map((_page, index) => index).reverse()
  await Promise.all(Array.from({ length: count }, () => runThread(queue, input)))
}

async function renderHere(input: Parameters<typeof renderPages>[0]): Promise<void> {
  const renderer = createRenderer(input.plan, input.task)
  for (const index of input.plan.pages.keys()) {
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
async function runThread(queue: number[], input: Parameters<typeof renderPages>[0]): Promise<void> {
  while (queue.length > 0) {
    input.signal?.throwIfAborted()
    await runUntilDeath(queue, input)
  }
}

function runUntilDeath(queue: number[], input: Parameters<typeof renderPages>[0]): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = idle.pop() ?? startWorker()
    worker.ref()
    const pageTimeoutMs = input.pageTimeoutMs ?? defaultPageTimeoutMs
    let batch: number[] = []
    let current: number | undefined
    let timer: NodeJS.Timeout | undefined
    let ended = false
    const send = (request: WorkerRequest) => worker.postMessage(request)
    const finish = (settle: () => void) => {
      if (ended) return
      ended = true
      clearTimeout(timer)
      worker.off('message', hear).off('error', fall).off('exit', leave)
      input.signal?.removeEventListener('abort', abort)
      settle()
    }
    const die = (reason: string) =>
      finish(() => {
        void worker.terminate()
        if (current === undefined) {
          reject(new Error(reason)) // No page was in work, so no page is to blame.
          return
        }
        queue.push(...batch.filter((index) => index !== current).reverse())
        input.onPage(current, brokenPage(input.plan, current, reason))
        resolve()
      })
    const abort = () =>
      finish(() => {
        void worker.terminate()
        reject(input.signal?.reason)
      })
    const next = () => {
      batch = queue.splice(-batchSize).reverse()
      if (batch.length > 0) {
        send({ type: 'render', indexes: batch })
        return
      }
      finish(() => {
        worker.unref()
        if (idle.length < keptThreads) keepIdle(worker)
        else void worker.terminate()
        resolve()
      })
    }
    const hear = (report: WorkerReport) => {
      if (report.type === 'started') {
        current = report.index
        clearTimeout(timer)
        timer = setTimeout(
          () => die(`The page took longer than ${pageTimeoutMs / 1000} seconds.`),
          pageTimeoutMs,
        )
      } else if (report.type === 'rendered' || report.type === 'failed') {
        clearTimeout(timer)
        batch = batch.filter((index) => index !== report.index)
        current = undefined
        const page =
          report.type === 'rendered' ? report.page : brokenPage(input.plan, report.index, report.message)
        input.onPage(report.index, page)
      } else next()
    }
    const fall = (error: Error) => die(describeDeath(error))
    const leave = () => die('The thread that rendered the page ended.')
    worker.on('message', hear).on('error', fall).on('exit', leave)
    input.signal?.addEventListener('abort', abort, { once: true })
    send({ type: 'plan', plan: input.plan, task: input.task })
    next()
  })
}

function keepIdle(worker: Worker): void {
  const forget = () => {
    const index = idle.indexOf(worker)
    if (index >= 0) idle.splice(index, 1)
  }
  idle.push(worker)
  worker.once('error', forget).once('exit', forget)
}

function startWorker(): Worker {
  const file = new URL(`./render-worker${extname(import.meta.url)}`, import.meta.url)
  return new Worker(file, {
    resourceLimits: { maxOldGenerationSizeMb: threadMemoryMb, stackSizeMb: threadStackMb },
  })
}

function describeDeath(error: Error): string {
  const code = 'code' in error ? error.code : undefined
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? 'The page needs more memory than a page may have.'
    : `The page could not be rendered: ${error.message}`
}

function brokenPage(plan: SitePlan, index: number, message: string): RenderedPage {
  const { failed, problem } = failedPage(plan, index, message)
  return {
    path: failed.path,
    ids: [],
    anchorUses: [],
    linkTexts: [],
    feed: [],
    needs: { mermaid: false, math: false },
    problems: [problem],
    failed,
  }
}
