import { type IncomingMessage, request } from 'node:http'
import { modelFrom } from '../src/backends/testing.ts'
import { askV1, startTestAssistant } from '../src/assistant/testing.ts'

/**
 * What an answer costs: many at once with a model that sends 200 tokens in 4 seconds, then readers that leave.
 *
 *   node --expose-gc bench/assistant.ts [how many at once]
 */
const count = Number(process.argv[2] ?? 1000)
const endings: (() => unknown)[] = []
const at = (sorted: number[], share: number) =>
  Math.round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN)
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const model = modelFrom(() =>
  Array.from({ length: 200 }, (_, token) => [{ wait: () => pause(20) }, `token${token} `]).flat(),
)
const assistant = await startTestAssistant(
  { after: (work) => void endings.push(work as () => unknown) },
  { model },
)
await (await assistant.post(1, askV1('How do I install Kiln?'))).text()

await manyAtOnce()
await readersThatLeave(Math.min(count, 500))
for (const end of endings.reverse()) await end()

async function manyAtOnce(): Promise<void> {
  global.gc?.()
  const before = process.memoryUsage().rss
  const firstBytes: number[] = []
  let whole = 0
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 100)
  const started = performance.now()
  await Promise.all(
    Array.from({ length: count }, async () => {
      const { firstByteMs, body } = await ask()
      firstBytes.push(firstByteMs)
      if (/^d:\{"finishReason":"stop"/m.test(body)) whole += 1
    }),
  )
  clearInterval(watch)
  const sorted = firstBytes.toSorted((a, b) => a - b)
  console.log(
    `${count} answers at once: ${whole} whole, first byte p50 ${at(sorted, 0.5)} ms, p99 ${at(sorted, 0.99)} ms, ` +
      `all in ${((performance.now() - started) / 1000).toFixed(1)} s, ` +
      `${Math.round((peak - before) / 1024 / count)} KB each (client included)`,
  )
}

async function readersThatLeave(readers: number): Promise<void> {
  const before = model.requests.length
  const leavings = await Promise.all(Array.from({ length: readers }, () => beginAndHold()))
  const signals = model.requests.slice(before).map((one) => one.signal)
  const started = performance.now()
  for (const leave of leavings) leave()
  while (signals.some((signal) => !signal.aborted)) await pause(5)
  console.log(
    `${readers} readers leave: ${signals.length} calls aborted in ${Math.round(performance.now() - started)} ms`,
  )
}

function ask(): Promise<{ firstByteMs: number; body: string }> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    open((response) => {
      let firstByteMs = 0
      let body = ''
      response.on('data', (piece: Buffer) => {
        firstByteMs ||= performance.now() - started
        body += piece
      })
      response.on('end', () => resolve({ firstByteMs, body }))
    }).on('error', reject)
  })
}

function beginAndHold(): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const call = open((response) => {
      response.on('error', () => {})
      response.once('data', () => resolve(() => void call.destroy()))
    })
    call.on('error', reject)
  })
}

function open(onResponse: (response: IncomingMessage) => void) {
  const call = request(
    assistant.v1,
    {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${assistant.key}`, 'content-type': 'application/json' },
    },
    onResponse,
  )
  call.end(JSON.stringify(askV1('How do I install Kiln?')))
  return call
}
