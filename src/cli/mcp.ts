import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SiteIndex, searchFolder, siteIndexFile, unpackBundle } from '../bundle/index.ts'
import { type McpSite, serveStdio } from '../mcp/index.ts'
import { openIndex } from '../search/index.ts'
import { readArguments, requireWord, UsageError } from './command.ts'
import { tellingFaults } from './open-bundle.ts'

const help = `quire mcp: let other programs search and read a bundle

  quire mcp <bundle.tar.gz or folder> [--url https://docs.example.com]

Speaks the Model Context Protocol over its standard input and output, with the tools search and read_page. Nothing is
fetched: it works without a network. A program that knows the protocol starts the command itself; its settings say:

  { "mcpServers": { "docs": { "command": "quire", "args": ["mcp", "/srv/docs/bundle.tar.gz"] } } }

  --url   where readers find the pages; results then carry links
`

export const mcpCommand = { name: 'mcp', summary: 'let other programs search and read a bundle', help, run }

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { url: { type: 'string' } })
  const path = requireWord(positionals[0], 'which bundle: quire mcp bundle.tar.gz')
  if (values.url !== undefined && !/^https?:$/.test(URL.parse(values.url)?.protocol ?? '')) {
    throw new UsageError('--url takes an address such as https://docs.example.com.')
  }
  const opened = await openFolder(path)
  try {
    await serveStdio({
      site: await openSite(opened.folder, values.url ?? null),
      input: process.stdin,
      output: process.stdout,
      log: (error) => process.stderr.write(`${error instanceof Error ? error.message : error}\n`),
    })
  } finally {
    await opened.close()
  }
  return 0
}

/** A folder as it is; an archive verified and unpacked for as long as the command runs. */
async function openFolder(path: string): Promise<{ folder: string; close(): Promise<void> }> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new UsageError(`There is no file or folder ${path}.`)
  if (found.isDirectory()) return { folder: path, close: async () => {} }
  const scratch = await mkdtemp(join(tmpdir(), 'quire-mcp-'))
  const close = () => rm(scratch, { recursive: true, force: true })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void close().finally(() => process.exit(0)))
  }
  try {
    const folder = join(scratch, 'bundle')
    await tellingFaults(path, () => unpackBundle({ archive: createReadStream(path), into: folder }))
    return { folder, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openSite(folder: string, siteUrl: string | null): Promise<McpSite> {
  const text = await readFile(join(folder, siteIndexFile), 'utf8').catch(() => {
    throw new UsageError(`${folder} is no bundle: it has no ${siteIndexFile}. Make one with quire export.`)
  })
  const siteIndex = JSON.parse(text) as SiteIndex
  return {
    siteIndex,
    siteUrl,
    index: await openIndex({ read: (path) => readFile(join(folder, searchFolder, path)) }),
    readPage: (path) => readFile(join(folder, `${path}.md`), 'utf8').catch(() => null),
  }
}
