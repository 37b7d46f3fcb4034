import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { askV1, startTestAssistant } from '../src/assistant/testing.ts'
import { modelFrom } from '../src/backends/testing.ts'

/**
 * What an answer costs: many at once with a model that sends 200 tokens in 4 seconds, then readers that leave. The readers
 * are a process of their own, so that time and memory are the server's.
 *
 *   node --expose-gc bench/assistant.ts [how many at once]
 */
let tokenMs = 0
const count = Number(process.argv[2] ?? 1000)
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

if (process.send === undefined) await serve()
else await read()

async function serve(): Promise<void> {
  const endings: (() => unknown)[] = []
  const model = modelFrom(() =>
    Array.from({ length: 200 }, (_, token) => [{ wait: () => pause(tokenMs) }, `token${token} `]).flat(),
  )
  const assistant = await startTestAssistant(
    { after: (work) => void endings.push(work as () => unknown) },
    { model },
  )
  const warmUp = async () => (await assistant.post(1, askV1('How do I install Kiln?'))).text()
  for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 20 }, warmUp))
  tokenMs = 20
  const readers = fork(import.meta.filename, [String(count), assistant.v1, assistant.key])
  const next = async () => (await once(readers, 'message'))[0]

  await next() // The readers are there.
  global.gc?.()
  const before = process.memoryUsage().rss
  const heapBefore = process.memoryUsage().heapUsed + process.memoryUsage().external
  const cpu = process.cpuUsage()
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 100)
  readers.send('ask')
  const held = pause(2500).then(() => {
    global.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external - heapBefore
  })
  const { firstBytes, whole, seconds } = (await next()) as {
    firstBytes: number[]
    whole: number
    seconds: number
  }
  clearInterval(watch)
  const { user, system } = process.cpuUsage(cpu)
  const above = firstBytes.map((ms) => ms - tokenMs).sort((a, b) => a - b)
  const at = (share: number) => Math.round(above[Math.floor(above.length * share)] ?? Number.NaN)
  console.log(
    `${count} answers at once: ${whole} whole in ${seconds.toFixed(1)} s; first byte above the model's own p50 ${at(0.5)} ms, ` +
      `p99 ${at(0.99)} ms; each holds ${Math.round((await held) / 1024 / count)} KB ` +
      `(${Math.round((peak - before) / 1024 / count)} KB of the process with its garbage) and takes ` +
      `${((user + system) / 1000 / count).toFixed(1)} ms of one core`,
  )

  const known = model.requests.length
  readers.send('begin')
  await next()
  const signals = model.requests.slice(known).map((one) => one.signal)
  const started = performance.now()
  readers.send('leave')
  while (signals.some((signal) => !signal.aborted)) await pause(5)
  console.log(
    `${signals.length} readers leave: as many calls aborted within ${Math.round(performance.now() - started)} ms`,
  )
  readers.disconnect()
  for (const end of endings.reverse()) await end()
}

async function read(): Promise<void> {
  const [, , , url = '', key = ''] = process.argv
  const say = (message: object | string) => process.send?.(message)
  let leavings: (() => void)[] = []
  process.on('message', async (message) => {
    if (message === 'ask') {
      const started = performance.now()
      const answers = await Promise.all(Array.from({ length: count }, () => ask(url, key)))
      say({
        firstBytes: answers.map(({ firstByteMs }) => firstByteMs),
        whole: answers.filter(({ body }) => /^d:\{"finishReason":"stop"/m.test(body)).length,
        seconds: (performance.now() - started) / 1000,
      })
    } else if (message === 'begin') {
      leavings = await Promise.all(Array.from({ length: Math.min(count, 500) }, () => begin(url, key)))
      say('begun')
    } else for (const leave of leavings) leave()
  })
  say('ready')
}

function ask(url: string, key: string): Promise<{ firstByteMs: number; body: string }> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    open(url, key, (response) => {
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

function begin(url: string, key: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const call = open(url, key, (response) => {
      response.on('error', () => {})
      response.once('data', () => resolve(() => void call.destroy()))
    })
    call.on('error', reject)
  })
}

function open(url: string, key: string, onResponse: (response: IncomingMessage) => void) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const call = request(url, { method: 'POST', agent: false, headers }, onResponse)
  call.end(JSON.stringify(askV1('How do I install Kiln?')))
  return call
}
