import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { packFolder } from '../bundle/index.ts'
import type { FailedPage, Problem } from '../compiler/index.ts'
import { readArguments, requireWord, UsageError } from './command.ts'
import { describeProblems } from './describe-problems.ts'
import { callRemote, readRemote, remoteFlags } from './remote.ts'

const help = `quire publish: publish a docs folder to a site of a running server

  quire publish <folder> --site <domain> [--url http://127.0.0.1:4000] [--key quire_…] [--json]

  --site   the site's identifier
  --url    the server; also QUIRE_URL
  --key    an admin key; also QUIRE_ADMIN_KEY, which keeps it out of the list of processes
  --json   the verdict as JSON

The folder holds docs.json and the pages. The server compiles it and shows the new release in one step; where it cannot
be compiled, the site stays as it is and the exit code is 1. Example:

  quire publish ./my-docs --site acme
`

export const publishCommand = { name: 'publish', summary: 'publish a docs folder to a site', help, run }

type Verdict = {
  releaseId: string
  number: number
  pageCount: number
  problems: Problem[]
  failedPages: FailedPage[]
}

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    ...remoteFlags,
    site: { type: 'string' },
    json: { type: 'boolean' },
  })
  const folder = resolve(requireWord(positionals[0], 'which folder: quire publish ./my-docs --site acme'))
  const site = requireWord(values.site, 'which site: quire publish ./my-docs --site acme')
  await requireProject(folder)
  const body = Readable.toWeb(packFolder({ folder })) as ReadableStream<Uint8Array>
  const verdict = await callRemote<Verdict>(
    readRemote(values),
    `/v1/sites/${encodeURIComponent(site)}/content`,
    {
      method: 'PUT',
      headers: { 'content-type': 'application/gzip' },
      body,
      duplex: 'half',
    },
  )
  if (values.json) {
    process.stdout.write(`${JSON.stringify(verdict, null, 2)}\n`)
    return 0
  }
  process.stdout.write(describeProblems(verdict.problems, { color: process.stdout.isTTY }))
  process.stdout.write(`Published ${site}: release ${verdict.number}, ${verdict.pageCount} pages\n`)
  return 0
}

async function requireProject(folder: string): Promise<void> {
  const found = await Promise.any(['docs.json', 'mint.json'].map((file) => access(join(folder, file)))).then(
    () => true,
    () => false,
  )
  if (!found)
    throw new UsageError(`${folder} is no docs project: it has no docs.json. Name the folder that holds it.`)
}
