import { execFileSync, spawnSync } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { frontmatter, samplePages, writeSampleProject } from './sample-project.ts'

const root = new URL('../', import.meta.url).pathname
const quire = join(root, 'quire')

type Run = { wallSeconds: number; cpuSeconds: number; peakMegabytes: number }

/**
 * Builds the same pages with Quire, with Hugo (where installed) and with Starlight (where asked for: it is fetched from the
 * registry), and prints times as ratios. Usage: node bench/build.ts [pages] [--starlight]
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
    const build = () => measure(quire, ['export', project, '-o', output], work, environment)
    rows.push([`Quire, ${count} pages, cold`, build()])
    const digest = sha256(output)
    rows.push(['Quire, nothing changed', build()])
    if (sha256(output) !== digest) throw new Error('Two builds of the same content differ.')
    await appendFile(join(project, 'section-0/page-0.mdx'), '\nOne more sentence.\n')
    rows.push(['Quire, one page edited', build()])
    if (has('hugo')) {
      const site = join(work, 'hugo')
      await writeHugo(site, count)
      rows.push([`Hugo, bare layout, ${count} pages`, measure('hugo', ['--quiet', '--source', site], work)])
    } else console.log('Hugo is not installed; its row is left out.')
    if (process.argv.includes('--starlight')) {
      const site = join(work, 'starlight')
      await writeStarlight(site, count)
      rows.push([
        `Starlight, ${count} pages`,
        measure('npx', ['astro', 'build'], site, { ASTRO_TELEMETRY_DISABLED: '1' }),
      ])
    }
    print(rows)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

function print(rows: [string, Run][]): void {
  const [, first] = rows[0]!
  console.log(
    `\n${'build'.padEnd(34)}${'wall s'.padStart(9)}${'CPU s'.padStart(9)}${'peak MB'.padStart(10)}${'× Quire cold (CPU)'.padStart(20)}`,
  )
  for (const [name, run] of rows) {
    const cells = [
      run.wallSeconds.toFixed(2),
      run.cpuSeconds.toFixed(2),
      run.peakMegabytes.toFixed(0),
      (run.cpuSeconds / first.cpuSeconds).toFixed(2),
    ]
    console.log(name.padEnd(34) + cells.map((cell, index) => cell.padStart([9, 9, 10, 20][index]!)).join(''))
  }
}

function measure(
  command: string,
  args: string[],
  cwd: string,
  environment: Record<string, string> = {},
): Run {
  const started = performance.now()
  const result = spawnSync(
    '/usr/bin/env',
    ['bash', '-c', `TIMEFORMAT='%U %S'; time "$0" "$@"`, command, ...args],
    {
      cwd,
      env: { ...process.env, ...environment },
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    },
  )
  if (result.status !== 0)
    throw new Error(`${command} failed:\n${result.stdout.slice(-2000)}\n${result.stderr.slice(-2000)}`)
  const [user = 0, system = 0] = result.stderr.trim().split('\n').at(-1)!.split(' ').map(Number)
  return {
    wallSeconds: (performance.now() - started) / 1000,
    cpuSeconds: user + system,
    peakMegabytes: peakOfChildren(),
  }
}

/** The largest child so far, in megabytes; enough to see an order of magnitude. */
function peakOfChildren(): number {
  return process.resourceUsage().maxRSS / 1024
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
