import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { makeSigningKeys } from '../bundle/index.ts'
import { issueKey, keyView, listKeys, listSites, readKey, revokeKey } from '../sites/index.ts'
import { readArguments, requireWord, UsageError } from './command.ts'
import {
  chooseOrganization,
  installationFlags,
  installationHelp,
  table,
  withInstallation,
} from './installation.ts'

const help = `quire keys: make, list and revoke keys

  quire keys list
  quire keys create admin [--name "CI"] [--days 90]
  quire keys create assistant --site acme [--name "Docs widget"] [--days never] [--origins https://acme.com]
  quire keys revoke <key id>
  quire keys signing [--name docs-signing]

  --days           7, 30, 60, 90 or never; 90 by default
  --origins        origins that may use an assistant key, parted by commas; all by default
  --org            the organization, where there are several
${installationHelp}

A key is shown once, when it is made. signing makes a pair of files with which bundles are signed and verified:
<name>.pem stays where bundles are made, <name>.pub.pem goes where they are verified; it needs no server. Example:

  quire keys create admin --name "CI" --days 30
`

export const keysCommand = { name: 'keys', summary: 'make, list and revoke keys', help, run }

const lifetimes: Record<string, number | null> = { 7: 7, 30: 30, 60: 60, 90: 90, never: null }

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    ...installationFlags,
    name: { type: 'string' },
    days: { type: 'string' },
    site: { type: 'string' },
    origins: { type: 'string' },
  })
  const [action = 'list', word] = positionals
  if (action === 'signing') return makeSigningFiles(values.name ?? 'docs-signing')
  return withInstallation(values, async (database) => {
    const organization = await chooseOrganization(database, values.org)
    const sites = await listSites(database, organization.id)
    switch (action) {
      case 'list': {
        const rows = (await listKeys(database, organization.id)).map((key) => {
          const view = keyView(key, sites.find((site) => site.id === key.siteId)?.domain ?? null)
          const state = view.revokedAt
            ? 'revoked'
            : view.expiresAt
              ? `until ${view.expiresAt.slice(0, 10)}`
              : 'never expires'
          return [
            view.keyId,
            view.kind,
            view.domain ?? '',
            view.name,
            view.display,
            state,
            view.lastUsedAt ?? 'never used',
          ]
        })
        process.stdout.write(table([['ID', 'KIND', 'SITE', 'NAME', 'KEY', 'STATE', 'LAST USED'], ...rows]))
        return 0
      }
      case 'create': {
        if (word !== 'admin' && word !== 'assistant')
          throw new UsageError('Say which kind: quire keys create admin, or assistant.')
        const expiresInDays = lifetimes[values.days ?? '90']
        if (expiresInDays === undefined)
          throw new UsageError(`--days takes 7, 30, 60, 90 or never, not ${values.days}.`)
        const site =
          word === 'assistant'
            ? sites.find(({ domain }) => domain === requireWord(values.site, 'which site with --site'))
            : null
        if (site === undefined)
          throw new UsageError(
            `There is no site ${values.site}. There are: ${sites.map(({ domain }) => domain).join(', ')}.`,
          )
        const { secret } = await issueKey(
          database,
          {
            kind: word,
            organizationId: organization.id,
            siteId: site?.id ?? null,
            name: values.name ?? `${word} key`,
            expiresInDays,
            ...(values.origins ? { origins: values.origins.split(',').map((origin) => origin.trim()) } : {}),
          },
          Date.now(),
        )
        process.stdout.write(`${secret}\n`)
        return 0
      }
      case 'revoke': {
        const key = await readKey(database, organization.id, requireWord(word, 'which key, by its id'))
        if (!key) throw new UsageError(`There is no key ${word}. quire keys list shows those there are.`)
        await revokeKey(database, key.id, Date.now())
        process.stdout.write(`Revoked ${key.name} (${key.id}).\n`)
        return 0
      }
      default:
        throw new UsageError(`quire keys knows list, create, revoke and signing, not ${action}.`)
    }
  })
}

/** Never writes over a key: what was signed with it could not be signed again. */
async function makeSigningFiles(name: string): Promise<number> {
  const { privateKey, publicKey, keyId } = makeSigningKeys()
  const files: [string, string, number][] = [
    [`${name}.pem`, privateKey, 0o600],
    [`${name}.pub.pem`, publicKey, 0o644],
  ]
  for (const [file] of files) {
    if (existsSync(file)) throw new UsageError(`${file} is there already. Choose another --name.`)
  }
  for (const [file, text, mode] of files) await writeFile(file, text, { flag: 'wx', mode })
  process.stdout.write(`Wrote the key ${keyId}: ${files.map(([file]) => file).join(' (keep it) and ')}\n`)
  return 0
}
