import type { Database } from '../backends/index.ts'
import type { Plan } from './sites-api.ts'
import type { SitesTables } from './sites-migrations.ts'

export type Organization = { id: string; name: string; plan: Plan; createdAt: number }

export async function createOrganization(database: Database, organization: Organization): Promise<void> {
  const { id, name, plan, createdAt } = organization
  await database
    .tables<SitesTables>()
    .insertInto('organizations')
    .values({ id, name, plan, created_at: createdAt })
    .execute()
}

export async function listOrganizations(database: Database): Promise<Organization[]> {
  const rows = await database
    .tables<SitesTables>()
    .selectFrom('organizations')
    .selectAll()
    .orderBy('created_at')
    .execute()
  return rows.map(toOrganization)
}

export async function readOrganization(database: Database, id: string): Promise<Organization | undefined> {
  const row = await database
    .tables<SitesTables>()
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toOrganization(row)
}

export async function setPlan(database: Database, id: string, plan: Plan): Promise<boolean> {
  const result = await database
    .tables<SitesTables>()
    .updateTable('organizations')
    .set({ plan })
    .where('id', '=', id)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

function toOrganization(row: SitesTables['organizations']): Organization {
  return { id: row.id, name: row.name, plan: row.plan as Plan, createdAt: row.created_at }
}
