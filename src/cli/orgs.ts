import { createOrganization, listOrganizations, newId, setPlan } from '../sites/index.ts'
import { type Plan, planSchema, plans } from '../sites/sites-api.ts'
import { readArguments, requireWord, UsageError } from './command.ts'
import {
  chooseOrganization,
  installationFlags,
  installationHelp,
  table,
  withInstallation,
} from './installation.ts'

const help = `quire orgs: make and list organizations

  quire orgs list
  quire orgs create <name> [--plan enterprise]
  quire orgs plan <name or id> <plan>

  --plan           ${plans.join(', ')}; only enterprise may export
${installationHelp}

Example:

  quire orgs create "Acme" --plan enterprise
`

export const orgsCommand = { name: 'orgs', summary: 'make and list organizations', help, run }

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { ...installationFlags, plan: { type: 'string' } })
  const [action = 'list', name, word] = positionals
  return withInstallation(values, async (database) => {
    switch (action) {
      case 'list': {
        const rows = (await listOrganizations(database)).map(({ id, name, plan }) => [id, name, plan])
        process.stdout.write(table([['ID', 'NAME', 'PLAN'], ...rows]))
        return 0
      }
      case 'create': {
        const id = newId('org')
        const plan = readPlan(values.plan ?? 'enterprise')
        await createOrganization(database, {
          id,
          name: requireWord(name, 'its name'),
          plan,
          createdAt: Date.now(),
        })
        process.stdout.write(`${id}\n`)
        return 0
      }
      case 'plan': {
        const organization = await chooseOrganization(database, requireWord(name, 'which organization'))
        const plan = readPlan(requireWord(word, `which plan: ${plans.join(', ')}`))
        await setPlan(database, organization.id, plan)
        process.stdout.write(`${organization.name} is on the plan ${plan}.\n`)
        return 0
      }
      default:
        throw new UsageError(`quire orgs knows list, create and plan, not ${action}.`)
    }
  })
}

function readPlan(text: string): Plan {
  const plan = planSchema.safeParse(text)
  if (plan.success) return plan.data
  throw new UsageError(`${text} is no plan. There are ${plans.join(', ')}.`)
}
