import { fileURLToPath } from 'node:url'
import {
  describeSettings,
  flagOf,
  type RunningServer,
  readSettings,
  settingsSchema,
  startServer,
} from '../server/index.ts'
import { readArguments } from './command.ts'
import { describeProblems } from './describe-problems.ts'

const help = `quire start: run the server

  quire start [flags]

Example: preview a docs folder, and publish it again at each change

  quire start --docs ./my-docs

Every setting is a flag, an environment variable (--public-url is QUIRE_PUBLIC_URL) or a key of a YAML file named by
--config (publicUrl). A flag wins over the environment, the environment over the file.

${describeSettings()}
`

export const startCommand = { name: 'start', summary: 'run the server', help, run }

async function run(args: string[]): Promise<number> {
  const names = Object.keys(settingsSchema.shape)
  const options = Object.fromEntries(
    ['config', ...names].map((name) => [flagOf(name).slice(2), { type: 'string' as const }]),
  )
  const { values } = readArguments(args, options)
  const flags = Object.fromEntries(
    ['config', ...names].map((name) => [name, values[flagOf(name).slice(2)] as string | undefined]),
  )
  const settings = readSettings({ flags, environment: process.env })
  const server = await startServer({
    settings,
    environment: process.env,
    exampleDocs: fileURLToPath(new URL('../../docs', import.meta.url)),
    onPublished: (site, release) => process.stdout.write(describeRelease(site.domain, release)),
  })
  const stopped = stopOnSignal(server)
  try {
    for (const release of await server.published)
      process.stdout.write(describeRelease(settings.site ?? 'docs', release))
  } catch (error) {
    await server.stop()
    throw error
  }
  process.stdout.write(server.first ? welcome(server, server.first) : `Quire is ready at ${server.url}\n`)
  await stopped
  return 0
}

function stopOnSignal(server: RunningServer): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopping = false
    const stop = () => {
      if (stopping) return
      stopping = true
      server.stop().then(resolve, reject)
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}

type Release = Awaited<RunningServer['published']>[number]

function describeRelease(domain: string, release: Release): string {
  const problems = describeProblems(release.problems, { color: process.stdout.isTTY, most: 10 })
  if (release.status === 'failed')
    return `${problems}Publishing ${domain} failed: ${release.error} The live release is unchanged.\n`
  return `${problems}Published ${domain}: release ${release.number}, ${release.pageCount} pages\n`
}

function welcome(server: RunningServer, first: NonNullable<RunningServer['first']>): string {
  const { url } = server
  const { domain } = first.site
  return `
Quire is ready.

  Site           ${url}/sites/${domain}/
  API            ${url}/openapi
  Admin key      ${first.adminKey}   (secret: for your servers)
  Assistant key  ${first.assistantKey}   (public: safe in a page)

These keys are shown this once. Three lines to paste:

  curl -N ${url}/discovery/v1/assistant/${domain}/message -H "Authorization: Bearer ${first.assistantKey}" -H "Content-Type: application/json" -d '{"fp":"anonymous","messages":[{"id":"1","role":"user","content":"How do I publish a site?","parts":[{"type":"text","text":"How do I publish a site?"}]}]}'

  curl -X POST ${url}/v1/static-export/jobs -H "Authorization: Bearer ${first.adminKey}" -H "Content-Type: application/json" -d '{"domain":"${domain}"}'

  ./quire publish ./my-docs --site ${domain} --url ${url} --key ${first.adminKey}

`
}
