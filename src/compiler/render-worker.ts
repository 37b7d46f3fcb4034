import { enableCompileCache, flushCompileCache } from 'node:module'
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { RenderedPage, Renderer, RenderTask } from './render-pages.ts'
import type { SitePlan } from './site-plan.ts'

/** A thread that renders pages, so that neither a slow page nor a wild one disturbs whoever asked. */
export type WorkerRequest =
  | { type: 'plan'; plan: SitePlan; task: RenderTask }
  | { type: 'render'; indexes: number[] }

export type WorkerReport =
  | { type: 'started'; index: number }
  | { type: 'rendered'; index: number; page: RenderedPage }
  | { type: 'failed'; index: number; message: string }
  | { type: 'idle' }

// Where a server renders, its answers come first. On Linux this is the thread's own priority; elsewhere it is left alone.
if (process.platform === 'linux' && (workerData as { yields?: boolean } | null)?.yields)
  setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

enableCompileCache() // A thread then starts in half the time, so the renderer is loaded only after this line.
const { createRenderer } = await import('./render-pages.ts')
flushCompileCache()

let renderer: Renderer | undefined

parentPort?.on('message', (request: WorkerRequest) => {
  if (request.type === 'plan') {
    renderer = createRenderer(request.plan, request.task)
    return
  }
  for (const index of request.indexes) {
    tell({ type: 'started', index })
    tell(renderOne(renderer, index))
  }
  tell({ type: 'idle' })
})

function tell(report: WorkerReport): void {
  parentPort?.postMessage(report, report.type === 'rendered' ? bytesOf(report.page) : [])
}

/** The bytes are handed over, not copied. */
function bytesOf({ packed, indexed }: RenderedPage): ArrayBuffer[] {
  const all = [...(packed?.members ?? []), ...(indexed === undefined ? [] : [indexed.record])]
  return all.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  )
}

/** A page that throws is one page; the thread goes on with the next. */
function renderOne(current: Renderer | undefined, index: number): WorkerReport {
  if (current === undefined) throw new Error('A page was asked for before the plan was given.')
  try {
    return { type: 'rendered', index, page: current.render(index) }
  } catch (error) {
    return { type: 'failed', index, message: error instanceof Error ? error.message : String(error) }
  }
}
