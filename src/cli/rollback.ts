import { readArguments, requireWord } from './command.ts'
import { callRemote, readRemote, remoteFlags } from './remote.ts'

const help = `quire rollback: show a site's earlier release again

  quire rollback --site <domain> [--release rel_…] [--url http://127.0.0.1:4000] [--key quire_…]

  --release   the release to show; the one before the live one when absent

Example:

  quire rollback --site acme
`

export const rollbackCommand = { name: 'rollback', summary: "show a site's earlier release again", help, run }

type Site = { url: string; liveRelease: { releaseId: string; number: number; pageCount: number } }

async function run(args: string[]): Promise<number> {
  const { values } = readArguments(args, {
    ...remoteFlags,
    site: { type: 'string' },
    release: { type: 'string' },
  })
  const domain = requireWord(values.site, 'which site: quire rollback --site acme')
  const site = await callRemote<Site>(
    readRemote(values),
    `/v1/sites/${encodeURIComponent(domain)}/rollback`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(values.release ? { releaseId: values.release } : {}),
    },
  )
  process.stdout.write(`${domain} shows release ${site.liveRelease.number} again: ${site.url}\n`)
  return 0
}
