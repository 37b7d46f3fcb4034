import type { ServerResponse } from 'node:http'
import { type Export, exportView } from './exports-store.ts'

const pollMs = 250
const keepAliveMs = 15_000

/** Writes the job as a server-sent event each time it changes, until it is final or the reader leaves. */
export async function streamProgress(input: {
  response: ServerResponse
  first: Export
  read(): Promise<Export | undefined>
}): Promise<void> {
  const { response } = input
  response.writeHead(200, {
    ...Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, value ?? ''])),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  let sent = ''
  let quietMs = 0
  for (let job: Export | undefined = input.first; job && !response.destroyed; job = await input.read()) {
    const data = JSON.stringify(exportView(job))
    if (data !== sent) response.write(`event: ${job.status}\ndata: ${data}\n\n`)
    else if (quietMs >= keepAliveMs) response.write(': still here\n\n')
    quietMs = data === sent && quietMs < keepAliveMs ? quietMs + pollMs : 0
    sent = data
    if (job.status === 'completed' || job.status === 'failed') break
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  response.end()
}
