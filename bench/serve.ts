import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { archiveBundle, writeManifest } from '../src/bundle/index.ts'

/**
 * The self-hosted server beside nginx: the same files, the same core, the same load. Prints requests a second and processor
 * time a request, which stays true on a machine that others use too, and the memory after every page was read.
 * Needs Debian's nginx and wrk; two cores, one for the server, one for the load.
 *
 *   node bench/serve.ts [pages]
 */
const pages = Number(process.argv[2] ?? 10_000)
const seconds = Number(process.env.BENCH_SECONDS ?? 5)

const lexicon =
  'server request answer folder index search page bundle export release version token secret header stream client cache number string object array method field value default option'.split(
    ' ',
  )

for (const tool of ['nginx', 'wrk', 'taskset']) {
  try {
    execFileSync('which', [tool])
  } catch {
    console.log(`skipped: ${tool} is not installed`)
    process.exit(0)
  }
}

const home = await mkdtemp(join(tmpdir(), 'quire-bench-'))
const running: ChildProcess[] = []

async function main(): Promise<void> {
  const site = join(home, 'site')
  await writeSite(site)
  await pipeline(archiveBundle({ folder: site }), createWriteStream(join(home, 'bundle.tar.gz')))
  const nginx = await startNginx(site)
  const quire = await startQuire()
  const script = await writeLoad()
  console.log(`${pages} pages of 24 KB; ${seconds} s each; one core for the server, one for the load`)
  const ratios: number[] = []
  for (const server of [nginx, quire]) await readEverything(server.port)
  for (const [what, headers] of [
    ['one page, plain', {}],
    ['one page, gzip', { 'Accept-Encoding': 'gzip' }],
    ['all pages, plain', {}],
    ['all pages, gzip', { 'Accept-Encoding': 'gzip' }],
    ['unchanged (304)', {}],
  ] as const) {
    const results = { nginx: new Result(), quire: new Result() }
    // In turns, so that a noisy machine is noisy for both.
    for (let round = 0; round < 3; round++) {
      results.nginx.add(await load(nginx, script, what, headers))
      results.quire.add(await load(quire, script, what, headers))
    }
    const ratio = results.nginx.cpuMicroseconds / results.quire.cpuMicroseconds
    ratios.push(ratio)
    console.log(
      `${what.padEnd(18)} nginx ${results.nginx}   quire ${results.quire}   ratio by processor time ${ratio.toFixed(2)}`,
    )
  }
  const memory = await residentMegabytes(quire.child)
  const worst = Math.min(...ratios)
  console.log(
    `memory after all of it: ${memory.toFixed(0)} MB; ready ${quire.readyMs.toFixed(0)} ms after a start with a copy at hand`,
  )
  console.log(`lowest ratio ${worst.toFixed(2)} (bar 0.50), memory ${memory.toFixed(0)} MB (bar 150)`)
}

type Server = { port: number; child: ChildProcess }
type Load = { perSecond: number; requests: number; cpuSeconds: number }

class Result {
  #perSecond = 0
  #requests = 0
  #cpuSeconds = 0

  add(load: Load): void {
    this.#perSecond = Math.max(this.#perSecond, load.perSecond)
    this.#requests += load.requests
    this.#cpuSeconds += load.cpuSeconds
  }

  get cpuMicroseconds(): number {
    return (this.#cpuSeconds * 1e6) / this.#requests
  }

  toString(): string {
    return `${this.#perSecond.toFixed(0).padStart(6)}/s ${this.cpuMicroseconds.toFixed(0).padStart(4)} µs`
  }
}

async function load(
  server: Server,
  script: string,
  what: string,
  headers: Record<string, string>,
): Promise<Load> {
  const address = `http://127.0.0.1:${server.port}/page-7.html`
  const etag =
    (await fetch(address, { headers: { 'Accept-Encoding': 'identity' } })).headers.get('etag') ?? ''
  const sent = what.startsWith('unchanged') ? { ...headers, 'If-None-Match': etag } : headers
  const flags = Object.entries(sent).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  if (what.startsWith('all')) flags.push('-s', script)
  const before = await cpuSeconds(server.child)
  const output = execFileSync(
    'taskset',
    ['-c', '1', 'wrk', '-t1', '-c32', `-d${seconds}s`, ...flags, address],
    {
      encoding: 'utf8',
    },
  )
  if (/Non-2xx/.test(output)) throw new Error(output)
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    requests: Number(/(\d+) requests in/.exec(output)?.[1]),
    cpuSeconds: (await cpuSeconds(server.child)) - before,
  }
}

/** Each page once, plain and compressed: what is done once for all is done, and the code is warm. */
async function readEverything(port: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  let next = 0
  const read = (path: string, encoding: string) =>
    new Promise<void>((resolve, reject) => {
      const options = { port, host: '127.0.0.1', path, agent, headers: { 'Accept-Encoding': encoding } }
      get(options, (response) => response.resume().on('end', resolve)).on('error', reject)
    })
  const work = async () => {
    for (let page = next++; page < pages; page = next++) {
      await read(`/page-${page}.html`, 'identity')
      await read(`/page-${page}.html`, 'gzip')
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  agent.destroy()
}

/** Of the process and its children, all threads. */
async function cpuSeconds(child: ChildProcess): Promise<number> {
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').catch(() => '')
  let ticks = 0
  for (const pid of [String(child.pid), ...children.trim().split(' ')]) {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(') ')[1]?.split(' ')
    ticks += Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0)
  }
  return ticks / 100
}

async function writeSite(site: string): Promise<void> {
  await mkdir(site, { recursive: true })
  for (let page = 0; page < pages; page++) {
    const words = Array.from(
      { length: 3000 },
      (_, index) => lexicon[(page * 31 + index * index) % lexicon.length],
    )
    const body = `<!doctype html><html><head><title>Page ${page}</title></head><body><p>${words.join(' ')}</p></body></html>`
    await writeFile(join(site, `page-${page}.html`), body)
  }
  await writeFile(join(site, 'index.html'), '<p>Home</p>')
  await writeManifest({ folder: site, name: 'Bench', renderer: 'bench', pageCount: pages + 1 })
}

async function startNginx(site: string): Promise<Server> {
  const port = await freePort()
  // nginx has its compressed files ready beside the plain ones, as we have ours.
  execFileSync('sh', ['-c', `find ${site} -name '*.html' -print0 | xargs -0 -n 500 gzip -k -6`])
  const config = join(home, 'nginx.conf')
  await writeFile(
    config,
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; worker_processes 1; error_log ${home}/nginx.log; pid ${home}/nginx.pid;
events { worker_connections 512; }
http { include /etc/nginx/mime.types; access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
  client_body_temp_path ${home}/n1; proxy_temp_path ${home}/n2; fastcgi_temp_path ${home}/n3; uwsgi_temp_path ${home}/n4; scgi_temp_path ${home}/n5;
  server { listen 127.0.0.1:${port}; root ${site}; gzip_static on; add_header X-Content-Type-Options nosniff; } }`,
  )
  const child = spawn('taskset', ['-c', '0', 'nginx', '-c', config], { stdio: 'ignore' })
  running.push(child)
  await untilAnswered(port)
  return { port, child }
}

async function startQuire(): Promise<Server & { readyMs: number }> {
  await writeFile(join(home, 'host.yaml'), 'staticExport: { bundleUrl: ./bundle.tar.gz }\ndata: ./data\n')
  const first = await startHostProcess()
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${first.port}/readyz`).then((answer) => answer.text())
    if (ready.includes('fetched bundle')) break
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  first.child.kill('SIGTERM')
  await once(first.child, 'exit')
  return startHostProcess() // The second start is the one that operators see most: a copy is at hand.
}

async function startHostProcess(): Promise<Server & { readyMs: number }> {
  const main = join(import.meta.dirname, '../src/cli/main.ts')
  const port = await freePort()
  const startedAt = performance.now()
  const child = spawn(
    'taskset',
    ['-c', '0', process.execPath, main, 'host', '--config', join(home, 'host.yaml'), '--port', String(port)],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  running.push(child)
  await untilAnswered(port)
  return { port, child, readyMs: performance.now() - startedAt }
}

async function writeLoad(): Promise<string> {
  const file = join(home, 'load.lua')
  await writeFile(
    file,
    `local count = 0
function request()
  count = (count + 7919) % ${pages}
  return wrk.format('GET', '/page-' .. count .. '.html')
end
`,
  )
  return file
}

async function residentMegabytes(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

async function untilAnswered(port: number): Promise<void> {
  for (let tries = 0; tries < 3000; tries++) {
    if (
      await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    )
      return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`nothing answers at port ${port}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

try {
  await main()
} finally {
  for (const child of running) child.kill('SIGTERM') // A killed nginx would leave its worker behind.
  await Promise.all(
    running.map((child) =>
      child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined,
    ),
  )
  await rm(home, { recursive: true, force: true })
}
