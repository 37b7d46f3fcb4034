import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { frontmatter, samplePages, writeSampleProject } from './sample-project.ts'

const root = new URL('../', import.meta.url).pathname
const quire = join(root, 'quire')

type Run = { wallSeconds: number; cpuSeconds: number; peakMegabytes: number }

/**
 * Builds the same pages with Quire, with Hugo (where installed) and with Starlight (where asked for: it is fetched from the
 * registry), and prints times as ratios. A cold build starts from nothing but the program; of two runs of those that are
 * compared the quicker counts, because a machine is never quite at rest. Usage: node bench/build.ts [pages] [--starlight]
 */
async function main(): Promise<void> {
  const count = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 1000)
  const work = await mkdtemp(join(tmpdir(), 'quire-bench-'))
  try {
    const rows: [string, Run][] = []
    const project = join(work, 'project')
    await mkdir(project)
    await writeSampleProject(project, count)
    const environment = { XDG_CACHE_HOME: join(work, 'cache') }
    const output = join(work, 'bundle.tar.gz')
    const build = (...options: string[]) =>
      measure(quire, ['export', project, '-o', output, ...options], work, environment)
    await build('--no-cache') // Compiles the program itself, once for all builds to come.
    rows.push([`Quire, ${count} pages, cold`, best(await build('--no-cache'), await build('--no-cache'))])
    const digest = sha256(output)
    rows.push(['Quire, cold, filling its cache', await build()])
    rows.push(['Quire, nothing changed', best(await build(), await build())])
    if (sha256(output) !== digest) throw new Error('Two builds of the same content differ.')
    const edit = () => appendFile(join(project, 'section-0/page-0.mdx'), '\nOne more sentence.\n')
    await edit()
    const edited = await build()
    await edit()
    rows.push(['Quire, one page edited', best(edited, await build())])
    if (has('hugo')) {
      const site = join(work, 'hugo')
      await writeHugo(site, count)
      const hugo = async () => {
        await rm(join(site, 'public'), { recursive: true, force: true })
        return measure('hugo', ['--quiet', '--source', site], work)
      }
      rows.push([`Hugo, bare layout, ${count} pages`, best(await hugo(), await hugo())])
    } else console.log('Hugo is not installed; its row is left out.')
    if (process.argv.includes('--starlight')) {
      const site = join(work, 'starlight')
      await writeStarlight(site, count)
      rows.push([
        `Starlight, ${count} pages`,
        await measure('npx', ['astro', 'build'], site, { ASTRO_TELEMETRY_DISABLED: '1' }),
      ])
    }
    print(rows)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

function best(one: Run, other: Run): Run {
  return one.wallSeconds <= other.wallSeconds ? one : other
}

function print(rows: [string, Run][]): void {
  const [, first] = rows[0]!
  console.log(
    `\n${'build'.padEnd(34)}${'wall s'.padStart(9)}${'CPU s'.padStart(9)}${'peak MB'.padStart(10)}${'× Quire cold'.padStart(20)}`,
  )
  for (const [name, run] of rows) {
    const cells = [
      run.wallSeconds.toFixed(2),
      run.cpuSeconds.toFixed(2),
      run.peakMegabytes.toFixed(0),
      (run.wallSeconds / first.wallSeconds).toFixed(2),
    ]
    console.log(name.padEnd(34) + cells.map((cell, index) => cell.padStart([9, 9, 10, 20][index]!)).join(''))
  }
}

/** Runs a command to its end, and reads its times from the shell and its memory from the system meanwhile. */
async function measure(
  command: string,
  args: string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<Run> {
  const started = performance.now()
  const child = spawn('bash', ['-c', `TIMEFORMAT='%U %S'; time "$0" "$@"`, command, ...args], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  let peakMegabytes = 0
  const watch = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, peakBelow(child.pid ?? 0))
  }, 50)
  const [status] = (await once(child, 'close')) as [number]
  clearInterval(watch)
  const wallSeconds = (performance.now() - started) / 1000
  const [said, errors] = await output
  if (status !== 0) throw new Error(`${command} failed:\n${said.slice(-2000)}\n${errors.slice(-2000)}`)
  const [user = 0, system = 0] = errors.trim().split('\n').at(-1)!.split(' ').map(Number)
  return { wallSeconds, cpuSeconds: user + system, peakMegabytes }
}

/** The most memory that any process under this one has had so far; 0 where the system does not tell. */
function peakBelow(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return Math.max(
      0,
      ...children
        .split(' ')
        .filter((child) => child !== '')
        .map((child) => {
          const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1]
          return Math.max(Number(kilobytes ?? 0) / 1024, peakBelow(Number(child)))
        }),
    )
  } catch {
    return 0
  }
}

async function writeHugo(folder: string, count: number): Promise<void> {
  const files: Record<string, string> = {
    'config.toml': 'baseURL = "/"\ntitle = "Sample"\n[markup.highlight]\nnoClasses = false\n',
    'layouts/_default/single.html':
      '<!doctype html><html><head><title>{{ .Title }}</title></head><body><h1>{{ .Title }}</h1>{{ .Content }}</body></html>',
    'layouts/_default/list.html':
      '<!doctype html><html><body>{{ range .Pages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}</body></html>',
  }
  for (const [path, text] of Object.entries(files)) await write(join(folder, path), text)
  for (const page of samplePages(count))
    await write(join(folder, 'content', `${page.path}.md`), `${frontmatter(page)}\n${page.body}\n`)
}

async function writeStarlight(folder: string, count: number): Promise<void> {
  await write(join(folder, 'package.json'), JSON.stringify({ name: 'bench', private: true, type: 'module' }))
  await write(
    join(folder, 'astro.config.mjs'),
    "import { defineConfig } from 'astro/config'\nimport starlight from '@astrojs/starlight'\nexport default defineConfig({ integrations: [starlight({ title: 'Sample' })] })\n",
  )
  await write(
    join(folder, 'src/content.config.ts'),
    "import { defineCollection } from 'astro:content'\nimport { docsLoader } from '@astrojs/starlight/loaders'\nimport { docsSchema } from '@astrojs/starlight/schema'\nexport const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) }\n",
  )
  for (const page of samplePages(count))
    await write(join(folder, 'src/content/docs', `${page.path}.md`), `${frontmatter(page)}\n${page.body}\n`)
  execFileSync('npm', ['install', '--silent', 'astro', '@astrojs/starlight'], {
    cwd: folder,
    stdio: 'inherit',
  })
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

const has = (command: string) => spawnSync('which', [command]).status === 0
const sha256 = (file: string) => execFileSync('sha256sum', [file], { encoding: 'utf8' }).split(' ')[0]!

await main()
