import { createWriteStream } from 'node:fs'
import { mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ArchiveWriter } from '../bundle/index.ts'
import { compileSite, folderSpecCache, specFetcher } from '../compiler/index.ts'
import { cacheFolder } from './cache-folder.ts'
import { readArguments, requireWord, UsageError } from './command.ts'
import { describeProblems } from './describe-problems.ts'
import { writeSignature } from './sign.ts'

const help = `quire export: make a bundle of a docs folder, without a server

  quire export <folder> [-o bundle.tar.gz] [--no-cache] [--strict] [--sign private.pem [--release 2026-11-01]]

  -o           the archive to write; bundle.tar.gz by default
  --no-cache   render every page anew
  --strict     exit code 1 where a page could not be rendered
  --sign       write bundle.tar.gz.sig with this private key; see quire keys signing
  --release    the version to sign it as, for quire verify --minimum-version

The bundle works on any static host, at any path, and from a plain folder. Example:

  quire export ./my-docs -o bundle.tar.gz
`

export const exportCommand = {
  name: 'export',
  summary: 'make a bundle of a docs folder, without a server',
  help,
  run,
}

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    output: { type: 'string', short: 'o' },
    'no-cache': { type: 'boolean' },
    strict: { type: 'boolean' },
    sign: { type: 'string' },
    release: { type: 'string' },
  })
  if (values.release !== undefined && values.sign === undefined)
    throw new UsageError('--release is part of a signature: give the private key with --sign.')
  const source = resolve(requireWord(positionals[0], 'which folder: quire export ./my-docs -o bundle.tar.gz'))
  const output = resolve(values.output ?? 'bundle.tar.gz')
  const work = await mkdtemp(join(tmpdir(), 'quire-export-'))
  const cache = cacheFolder()
  const started = performance.now()
  const members = values['no-cache'] ? join(work, 'members') : join(cache, 'members')
  const archive = new ArchiveWriter({ members, scratch: join(work, 'scratch') })
  try {
    const progress = progressLine()
    const result = await compileSite({
      source,
      into: archive,
      onProgress: progress.show,
      fetchSpec: specFetcher({ cache: folderSpecCache(join(cache, 'specs')) }),
      ...(values['no-cache'] ? {} : { cache: join(cache, 'pages') }),
    })
    progress.end()
    const part = `${output}.${process.pid}.part`
    await pipeline(archive.archive(), createWriteStream(part))
    await rename(part, output) // Readers see the whole archive or none of it.
    process.stdout.write(describeProblems(result.problems, { color: process.stdout.isTTY, most: 20 }))
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const megabytes = ((await stat(output)).size / 1e6).toFixed(1)
    process.stdout.write(`Wrote ${output}: ${result.pageCount} pages, ${megabytes} MB, ${seconds} s\n`)
    if (values.sign !== undefined) {
      await writeSignature({
        path: output,
        manifest: archive.manifest,
        key: values.sign,
        version: values.release,
      })
    }
    return values.strict && result.failedPages.length > 0 ? 1 : 0
  } finally {
    archive.close()
    await rm(work, { recursive: true, force: true })
  }
}

/** A bar that moves in a terminal; a line at each tenth elsewhere. */
function progressLine(): { show(progress: { pagesDone: number; pagesTotal: number }): void; end(): void } {
  let tenth = 0
  const terminal = process.stderr.isTTY
  return {
    show: ({ pagesDone, pagesTotal }) => {
      const done = pagesDone / Math.max(1, pagesTotal)
      if (terminal) {
        const filled = Math.round(done * 30)
        process.stderr.write(
          `\r[${'█'.repeat(filled)}${' '.repeat(30 - filled)}] ${pagesDone} of ${pagesTotal} pages`,
        )
      } else if (Math.floor(done * 10) > tenth) {
        tenth = Math.floor(done * 10)
        process.stderr.write(`${pagesDone} of ${pagesTotal} pages\n`)
      }
    },
    end: () => {
      if (terminal) process.stderr.write('\r\u001b[K')
    },
  }
}
