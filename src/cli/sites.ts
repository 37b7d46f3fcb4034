import {
  createSite,
  listSites,
  newId,
  readRelease,
  type Site,
  setCustomScripts,
  setHosts,
} from '../sites/index.ts'
import { domainSchema, hostNameSchema } from '../sites/sites-api.ts'
import { readArguments, requireWord, UsageError } from './command.ts'
import {
  chooseOrganization,
  installationFlags,
  installationHelp,
  table,
  withInstallation,
} from './installation.ts'

const help = `quire sites: make and list sites

  quire sites list
  quire sites create <domain> [--host docs.acme.com,help.acme.com]
  quire sites hosts <domain> <host names, parted by commas>
  quire sites scripts <domain> on|off

  --org            the organization, where there are several
${installationHelp}

Example:

  quire sites create acme --host docs.acme.com
`

export const sitesCommand = { name: 'sites', summary: 'make and list sites', help, run }

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { ...installationFlags, host: { type: 'string' } })
  const [action = 'list', word, hostWords] = positionals
  return withInstallation(values, async (database) => {
    const organization = await chooseOrganization(database, values.org)
    const sites = await listSites(database, organization.id)
    switch (action) {
      case 'list': {
        const rows = await Promise.all(
          sites.map(async (site) => {
            const live = site.liveReleaseId ? await readRelease(database, site.liveReleaseId) : undefined
            return [
              site.domain,
              live ? `release ${live.number}, ${live.pageCount} pages` : 'nothing published',
              site.hosts.join(', '),
            ]
          }),
        )
        process.stdout.write(table([['SITE', 'LIVE', 'HOSTS'], ...rows]))
        return 0
      }
      case 'create': {
        const domain = domainSchema.safeParse(requireWord(word, 'its identifier: quire sites create acme'))
        if (!domain.success)
          throw new UsageError(`${word} is no identifier: ${domain.error.issues[0]?.message}.`)
        const site = await createSite(database, {
          id: newId('site'),
          organizationId: organization.id,
          domain: domain.data,
          name: domain.data,
          hosts: readHosts(values.host),
          createdAt: Date.now(),
        })
        if (!site)
          throw new UsageError(
            `The identifier ${domain.data} or one of the host names belongs to a site already.`,
          )
        process.stdout.write(
          `Made ${site.domain}. Publish to it with: quire publish ./my-docs --site ${site.domain}\n`,
        )
        return 0
      }
      case 'hosts': {
        const site = findOwn(sites, word)
        const hosts = readHosts(hostWords)
        if (!(await setHosts(database, site.id, hosts)))
          throw new UsageError('One of the host names belongs to another site.')
        process.stdout.write(`${site.domain} answers at ${hosts.join(', ') || 'no host name of its own'}.\n`)
        return 0
      }
      case 'scripts': {
        const site = findOwn(sites, word)
        if (hostWords !== 'on' && hostWords !== 'off')
          throw new UsageError('Say on or off: quire sites scripts acme on')
        if (hostWords === 'on' && site.hosts.length === 0) {
          throw new UsageError(
            `${site.domain} needs a host name of its own first: quire sites hosts ${site.domain} docs.acme.com`,
          )
        }
        await setCustomScripts(database, site.id, hostWords === 'on')
        process.stdout.write(`The project's own scripts are ${hostWords} with the next publication.\n`)
        return 0
      }
      default:
        throw new UsageError(`quire sites knows list, create, hosts and scripts, not ${action}.`)
    }
  })
}

function findOwn(sites: Site[], domain: string | undefined): Site {
  const site = sites.find((one) => one.domain === requireWord(domain, 'which site'))
  if (site) return site
  throw new UsageError(`There is no site ${domain}. There are: ${sites.map((one) => one.domain).join(', ')}.`)
}

function readHosts(words: string | undefined): string[] {
  const hosts = (words ?? '')
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter(Boolean)
  for (const host of hosts) {
    if (!hostNameSchema.safeParse(host).success)
      throw new UsageError(`${host} is no host name. Write it like docs.acme.com.`)
  }
  return hosts
}
