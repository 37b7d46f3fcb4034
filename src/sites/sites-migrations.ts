import type { Migration } from '../backends/index.ts'

export type SitesTables = {
  organizations: { id: string; name: string; plan: string; created_at: number }
  sites: {
    id: string
    organization_id: string
    domain: string
    name: string
    live_release_id: string | null
    /** 1 where the project's own scripts run in its pages. */
    custom_scripts: number
    created_at: number
  }
  site_hosts: { host: string; site_id: string; position: number }
  keys: {
    id: string
    kind: string
    organization_id: string
    site_id: string | null
    name: string
    hash: string
    prefix: string
    last_four: string
    origins: string
    created_at: number
    expires_at: number | null
    last_used_at: number | null
    revoked_at: number | null
  }
  releases: {
    id: string
    site_id: string
    number: number
    status: string
    attempt: number
    source_key: string
    bundle_key: string | null
    bundle_sha256: string | null
    bundle_bytes: number | null
    digest: string | null
    page_count: number
    problems: string
    failed_pages: string
    instructions: string | null
    error: string | null
    created_at: number
    finished_at: number | null
    left_at: number | null
  }
}

export const sitesMigrations: Migration[] = [
  {
    name: 'sites-001-organizations-sites-keys-releases',
    up: async (database) => {
      const { schema } = database.tables<SitesTables>()
      await schema
        .createTable('organizations')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('plan', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute()
      await schema
        .createTable('sites')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
        .addColumn('domain', 'text', (column) => column.notNull().unique())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('live_release_id', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute()
      await schema
        .createTable('site_hosts')
        .addColumn('host', 'text', (column) => column.primaryKey())
        .addColumn('site_id', 'text', (column) => column.notNull().references('sites.id'))
        .addColumn('position', 'integer', (column) => column.notNull())
        .execute()
      await schema
        .createTable('keys')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
        .addColumn('site_id', 'text', (column) => column.references('sites.id'))
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull().unique())
        .addColumn('prefix', 'text', (column) => column.notNull())
        .addColumn('last_four', 'text', (column) => column.notNull())
        .addColumn('origins', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint')
        .addColumn('last_used_at', 'bigint')
        .addColumn('revoked_at', 'bigint')
        .execute()
      await schema
        .createTable('releases')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('site_id', 'text', (column) => column.notNull().references('sites.id'))
        .addColumn('number', 'integer', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('attempt', 'integer', (column) => column.notNull())
        .addColumn('source_key', 'text', (column) => column.notNull())
        .addColumn('bundle_key', 'text')
        .addColumn('bundle_sha256', 'text')
        .addColumn('bundle_bytes', 'bigint')
        .addColumn('digest', 'text')
        .addColumn('page_count', 'integer', (column) => column.notNull())
        .addColumn('problems', 'text', (column) => column.notNull())
        .addColumn('failed_pages', 'text', (column) => column.notNull())
        .addColumn('instructions', 'text')
        .addColumn('error', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('finished_at', 'bigint')
        .addUniqueConstraint('releases_site_number', ['site_id', 'number'])
        .execute()
      await schema.createIndex('keys_by_organization').on('keys').column('organization_id').execute()
      await schema.createIndex('sites_by_organization').on('sites').column('organization_id').execute()
    },
  },
  {
    name: 'sites-002-when-a-release-was-left',
    up: async (database) => {
      await database
        .tables<SitesTables>()
        .schema.alterTable('releases')
        .addColumn('left_at', 'bigint')
        .execute()
    },
  },
  {
    name: 'sites-004-custom-scripts',
    up: async (database) => {
      await database
        .tables<SitesTables>()
        .schema.alterTable('sites')
        .addColumn('custom_scripts', 'integer', (column) => column.notNull().defaultTo(0))
        .execute()
    },
  },
]
