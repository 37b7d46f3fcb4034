import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { cacheFolder } from './cache-folder.ts'
import { type Command, UsageError } from './command.ts'

const version = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version

// The second start finds the program compiled: half the time and a quarter less memory. Where the folder cannot be written
// nothing is kept.
enableCompileCache(join(cacheFolder(), 'compiled'))

/** Each command is loaded only when it is called, so that `quire --help` is quick. */
const commands: Record<string, { summary: string; load(): Promise<Command> }> = {
  start: { summary: 'run the server', load: async () => (await import('./start.ts')).startCommand },
  publish: {
    summary: 'publish a docs folder to a site',
    load: async () => (await import('./publish.ts')).publishCommand,
  },
  rollback: {
    summary: "show a site's earlier release again",
    load: async () => (await import('./rollback.ts')).rollbackCommand,
  },
  dev: {
    summary: 'show a docs folder while you write it',
    load: async () => (await import('./dev.ts')).devCommand,
  },
  check: {
    summary: "report a docs folder's problems",
    load: async () => (await import('./check.ts')).checkCommand,
  },
  export: {
    summary: 'make a bundle of a docs folder, without a server',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  verify: {
    summary: 'test a bundle, offline',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  diff: {
    summary: 'what changed between two bundles',
    load: async () => (await import('./diff.ts')).diffCommand,
  },
  sign: { summary: 'sign a bundle', load: async () => (await import('./sign.ts')).signCommand },
  host: {
    summary: 'serve a bundle on a machine of your own',
    load: async () => (await import('./host.ts')).hostCommand,
  },
  mcp: {
    summary: 'let other programs search and read a bundle',
    load: async () => (await import('./mcp.ts')).mcpCommand,
  },
  eval: {
    summary: 'measure the search with your own questions',
    load: async () => (await import('./eval.ts')).evalCommand,
  },
  move: {
    summary: 'copy an installation to other backends',
    load: async () => (await import('./move.ts')).moveCommand,
  },
  orgs: { summary: 'make and list organizations', load: async () => (await import('./orgs.ts')).orgsCommand },
  sites: { summary: 'make and list sites', load: async () => (await import('./sites.ts')).sitesCommand },
  keys: { summary: 'make, list and revoke keys', load: async () => (await import('./keys.ts')).keysCommand },
}

async function main(args: string[]): Promise<number> {
  if (Number(process.versions.node.split('.')[0]) < 24) {
    throw new UsageError(
      `Quire needs Node 24, this is ${process.versions.node}: start it with ./quire, which finds the one that npm ci brought.`,
    )
  }
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(overview())
    return 0
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${version}\n`)
    return 0
  }
  const entry = commands[name]
  if (!entry) throw new UsageError(`There is no command ${name}. Run quire --help to see those there are.`)
  const command = await entry.load()
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(`${command.help.trimEnd()}\n`)
    return 0
  }
  return command.run(rest)
}

function overview(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`)
  return `Quire ${version}: a docs project in, a site, a search, an assistant and a bundle out.

  quire <command> [flags]

${rows.join('\n')}

Each command explains itself with --help. Example:

  quire start --docs ./my-docs
`
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const told = error instanceof Error && ['UsageError', 'SettingsError', 'CompileError'].includes(error.name)
  process.stderr.write(
    told ? `${(error as Error).message}\n` : `${error instanceof Error ? error.stack : error}\n`,
  )
  process.exitCode = 1
}
