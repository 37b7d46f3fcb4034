import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeSampleProject } from './sample-project.ts'

/**
 * What an answer costs: a started server, a model that sends 200 tokens in 4 seconds, and the readers, each a process of its
 * own. Readers come evenly, so that as many as asked for are being answered at any moment; then all in the same instant;
 * then some that leave, and some that stop reading while the model sends megabytes.
 *
 *   node bench/assistant.ts [how many at once] [v1 or v2]
 */
const count = Number(process.argv[2] ?? 1000)
const version = process.argv[3] ?? 'v1'
const modelFirstMs = 20
const answerSeconds = 4
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const wholeEnd = /\nd:\{"finishReason":"stop"[^\n]*\n$|\ndata: \[DONE\]\n\n$/
let asked = 0
const faults = new Map<string, number>()

type Usage = { rss: number; held: number; cpuMs: number }
type Answer = { firstByteMs: number; isWhole: boolean }

const home = await mkdtemp(join(tmpdir(), 'quire-bench-'))
const docs = join(home, 'docs')
await writeSampleProject(docs, 300)
const model = fork(join(import.meta.dirname, 'scripted-model.ts'))
const { port } = (await once(model, 'message'))[0] as { port: number }
const server = fork(
  join(import.meta.dirname, '../src/cli/main.ts'),
  [
    'start',
    ...['--data', join(home, 'data'), '--port', '0', '--docs', docs],
    ...['--model', 'scripted', '--model-url', `http://127.0.0.1:${port}/v1`],
    ...['--organization-hourly-limit', '1000000', '--address-daily-limit', '1000000'],
  ],
  {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: [
      '--expose-gc',
      `--import=${join(import.meta.dirname, 'tell-usage.ts')}`,
      ...(process.env.BENCH_NODE_FLAGS?.split(' ') ?? []),
    ],
  },
)

try {
  await measure(await started(server))
} finally {
  model.disconnect()
  server.kill('SIGTERM')
  if (server.exitCode === null) await once(server, 'exit')
  await rm(home, { recursive: true, force: true })
}

async function measure(site: Site): Promise<void> {
  const first = await evenly(site, Math.min(count, 200), 800) // What is compiled once is compiled.
  if (first.some(({ isWhole }) => !isWhole)) throw new Error('The server does not answer as it should.')
  console.log(`${count} at once, ${version}; load of the machine before: ${loadavg()[0]!.toFixed(1)}`)
  await tell('evenly', () => evenly(site, count, 3 * count), 3 * count)
  await tell('in one instant', () => Promise.all(Array.from({ length: count }, () => ask(site))), count)
  await leave(site, Math.min(count, 500))
  await stall(site, Math.min(count, 200))
}

/** As many at once as `together`, since an answer takes `answerSeconds`. */
async function evenly(site: Site, together: number, total: number): Promise<Answer[]> {
  const startedAt = performance.now()
  const answers: Promise<Answer>[] = []
  while (answers.length < total) {
    const due = ((performance.now() - startedAt) / 1000 / answerSeconds) * together
    while (answers.length < Math.min(due, total)) answers.push(ask(site))
    await pause(2)
  }
  return Promise.all(answers)
}

async function tell(how: string, work: () => Promise<Answer[]>, total: number): Promise<void> {
  const before = await usage()
  let peak = before.rss
  const watch = setInterval(async () => {
    peak = Math.max(peak, await residentBytes(server))
  }, 100)
  const startedAt = performance.now()
  const middle = pause(2500).then(usage) // When the answers are half written.
  const answers = await work()
  clearInterval(watch)
  const seconds = (performance.now() - startedAt) / 1000
  const during = await middle
  const { cpuMs } = await usage()
  const above = answers.map(({ firstByteMs }) => firstByteMs - modelFirstMs).sort((a, b) => a - b)
  const at = (share: number) => Math.round(above[Math.floor(above.length * share)] ?? Number.NaN)
  const open = Math.min(count, total)
  console.log(
    `${how}: ${answers.filter(({ isWhole }) => isWhole).length} of ${total} whole in ${seconds.toFixed(1)} s; first byte above the model's own ` +
      `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; ${((cpuMs - before.cpuMs) / total).toFixed(2)} ms of a core each; ` +
      `${Math.round((during.held - before.held) / 1024 / open)} KB held each ` +
      `(${Math.round((peak - before.rss) / 1024 / open)} KB of the process at its peak, garbage included)`,
  )
  for (const [message, times] of faults) console.log(`  ${times} × ${message}`)
  faults.clear()
}

async function leave(site: Site, readers: number): Promise<void> {
  const calls = await Promise.all(
    Array.from({ length: readers }, () => begin(site, 'How do I limit the cache of a session?')),
  )
  const { left } = await modelState()
  const startedAt = performance.now()
  for (const call of calls) call.destroy()
  let aborted = 0
  while (aborted < readers && performance.now() - startedAt < 10_000) {
    await pause(5)
    aborted = (await modelState()).left - left
  }
  console.log(
    `${readers} readers leave: ${aborted} calls of the model aborted within ${Math.round(performance.now() - startedAt)} ms`,
  )
}

async function stall(site: Site, readers: number): Promise<void> {
  const before = await usage()
  const calls = await Promise.all(
    Array.from({ length: readers }, () => begin(site, 'Tell me everything about it.')),
  )
  await pause(3000)
  const { rss, held } = await usage()
  console.log(
    `${readers} readers stop reading while the model has 4 MB for each: ${Math.round((held - before.held) / 1024 / readers)} KB held each, ` +
      `${Math.round((rss - before.rss) / 1024 / 1024)} MB of the process in all`,
  )
  for (const call of calls) call.destroy()
}

async function usage(): Promise<Usage> {
  server.send('usage')
  return (await once(server, 'message'))[0] as Usage
}

async function modelState(): Promise<{ open: number; left: number }> {
  model.send('state')
  return (await once(model, 'message'))[0] as { open: number; left: number }
}

async function residentBytes(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
}

type Site = { url: string; key: string }

function started(child: ChildProcess): Promise<Site> {
  let output = ''
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`The server did not start: ${output}`)))
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const url = /curl -N (\S+)\/v1\/(\S+)/.exec(output)
      const key = /Assistant key\s+(\S+)/.exec(output)
      if (url && key) resolve({ url: `${url[1]}/${version}/${url[2]}`, key: key[1]! })
    })
  })
}

/** Asks, and reads to the end. */
function ask(site: Site): Promise<Answer> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const cut = (error: Error) => {
      faults.set(error.message, (faults.get(error.message) ?? 0) + 1)
      resolve({ firstByteMs: performance.now() - startedAt, isWhole: false })
    }
    const call = open(site, 'How do I set the timeout of a worker and retry a request?', (response) => {
      let firstByteMs = 0
      let last = ''
      response.setEncoding('latin1').on('data', (text: string) => {
        firstByteMs ||= performance.now() - startedAt
        last = last.slice(-300) + text
      })
      response.on('error', cut)
      response.on('end', () => resolve({ firstByteMs, isWhole: wholeEnd.test(last) }))
    })
    call.on('error', cut)
  })
}

/** Asks, and reads only the first bytes. */
function begin(site: Site, question: string): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const call = open(site, question, (response) => {
      response.on('error', () => {})
      response.once('data', () => {
        response.pause()
        resolve(call)
      })
    })
    call.on('error', reject)
  })
}

function open(site: Site, text: string, onResponse: (response: IncomingMessage) => void): ClientRequest {
  asked += 1
  const body = {
    id: `chat-0123456789abcdef-${asked}`,
    fp: 'anonymous',
    messages: [{ id: 'm1', role: 'user', content: text, parts: [{ type: 'text', text }] }],
  }
  const headers = { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' }
  const call = request(site.url, { method: 'POST', agent: false, headers }, onResponse)
  call.end(JSON.stringify(body))
  return call
}
