import { join, resolve } from 'node:path'
import { folderSpecCache, specFetcher } from '../compiler/index.ts'
import { previewFolder } from '../server/index.ts'
import { cacheFolder } from './cache-folder.ts'
import { readArguments, requireWord, UsageError } from './command.ts'
import { describeProblems } from './describe-problems.ts'

const help = `quire dev: show a docs folder while you write it

  quire dev <folder> [--port 3000] [--host 127.0.0.1]

Each save is built and open pages follow. Problems stand in the terminal and in the page they belong to. Example:

  quire dev ./my-docs
`

export const devCommand = { name: 'dev', summary: 'show a docs folder while you write it', help, run }

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { port: { type: 'string' }, host: { type: 'string' } })
  const folder = resolve(requireWord(positionals[0], 'which folder: quire dev ./my-docs'))
  const port = Number(values.port ?? 3000)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('--port takes a whole number from 0 to 65535.')
  const preview = await previewFolder({
    folder,
    host: values.host ?? '127.0.0.1',
    port,
    cache: join(cacheFolder(), 'pages'),
    fetchSpec: specFetcher({ cache: folderSpecCache(join(cacheFolder(), 'specs')) }),
    onBuild: ({ pageCount, problems, failed, ms }) => {
      process.stdout.write(describeProblems(problems, { color: process.stdout.isTTY, most: 20 }))
      const word = failed ? 'Not built; the pages shown are the ones before' : `Built ${pageCount} pages`
      process.stdout.write(`${word} (${Math.round(ms)} ms)\n`)
    },
  })
  process.stdout.write(`Previewing ${folder} at ${preview.url}\n`)
  await new Promise<void>((stop) => {
    process.once('SIGINT', () => stop())
    process.once('SIGTERM', () => stop())
  })
  await preview.stop()
  return 0
}
