import { parentPort } from 'node:worker_threads'
import { createRenderer, type Renderer, type RenderTask } from './render-pages.ts'
import type { SitePlan } from './site-plan.ts'

/** A thread that renders pages, so that neither a slow page nor a wild one disturbs whoever asked. */
export type WorkerRequest =
  | { type: 'plan'; plan: SitePlan; task: RenderTask }
  | { type: 'render'; indexes: number[] }

let renderer: Renderer | undefined

parentPort?.on('message', (request: WorkerRequest) => {
  if (request.type === 'plan') {
    renderer = createRenderer(request.plan, request.task)
    return
  }
  for (const index of request.indexes) {
    parentPort?.postMessage({ type: 'started', index })
    parentPort?.postMessage({ type: 'rendered', index, page: renderer?.render(index) })
  }
  parentPort?.postMessage({ type: 'idle' })
})
