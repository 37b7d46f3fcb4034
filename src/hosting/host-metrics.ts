import { memoryUsage, resourceUsage, uptime } from 'node:process'
import type { HostEvent, HostStatus } from './host-deployment.ts'

/** Counts in the text form that Prometheus reads. A dozen numbers need no library in a process that is to stay small. */
export class HostMetrics {
  #responses = new Map<number, number>()
  #fetches = new Map<HostEvent['type'], number>()

  count(status: number): void {
    this.#responses.set(status, (this.#responses.get(status) ?? 0) + 1)
  }

  record(event: HostEvent): void {
    this.#fetches.set(event.type, (this.#fetches.get(event.type) ?? 0) + 1)
  }

  expose(status: HostStatus): string {
    const { rss, heapUsed, heapTotal, external, arrayBuffers } = memoryUsage()
    const { userCPUTime, systemCPUTime } = resourceUsage()
    const { live } = status
    const info =
      live === undefined ? [] : [{ labels: { id: live.id, version: live.label ?? live.id }, value: 1 }]
    return [
      metric(
        'quire_host_responses_total',
        'counter',
        'Responses by status.',
        labelled('status', this.#responses),
      ),
      metric(
        'quire_host_fetches_total',
        'counter',
        'Looks for a new bundle, by result.',
        labelled('result', this.#fetches),
      ),
      metric(
        'quire_host_fresh',
        'gauge',
        '1 when the newest fetch succeeded, 0 while an older copy is served.',
        [{ value: status.fresh ? 1 : 0 }],
      ),
      metric('quire_host_version_info', 'gauge', 'The version being served.', info),
      metric('quire_host_pages', 'gauge', 'Pages of the version being served.', [
        { value: live?.pageCount ?? 0 },
      ]),
      metric('process_resident_memory_bytes', 'gauge', 'Memory of the process.', [{ value: rss }]),
      metric('nodejs_heap_size_used_bytes', 'gauge', 'Heap in use.', [{ value: heapUsed }]),
      metric('nodejs_heap_size_total_bytes', 'gauge', 'Heap reserved.', [{ value: heapTotal }]),
      metric('nodejs_external_memory_bytes', 'gauge', 'Memory outside the heap.', [{ value: external }]),
      metric('nodejs_array_buffers_bytes', 'gauge', 'Memory of buffers.', [{ value: arrayBuffers }]),
      metric('process_cpu_seconds_total', 'counter', 'Processor time of the process.', [
        { value: (userCPUTime + systemCPUTime) / 1e6 },
      ]),
      metric('process_uptime_seconds', 'gauge', 'Since the process began.', [{ value: uptime() }]),
    ].join('')
  }
}

type Sample = { labels?: Record<string, string>; value: number }

function metric(name: string, type: 'counter' | 'gauge', help: string, samples: Sample[]): string {
  const lines = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels ?? {}).map(([key, text]) => `${key}="${escapeLabel(text)}"`)
    return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelled(label: string, counts: Map<number | string, number>): Sample[] {
  return [...counts].map(([key, value]) => ({ labels: { [label]: String(key) }, value }))
}

function escapeLabel(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
}
