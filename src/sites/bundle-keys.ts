import type { Database, Migration } from '../backends/index.ts'

type BundleKeyTables = {
  revoked_bundles: { key: string; digest: string; revoked_at: number }
  releases: { bundle_key: string | null }
}

export const bundleKeyMigrations: Migration[] = [
  {
    name: 'sites-003-revoked-bundles',
    up: async (database) => {
      const { schema } = database.tables<BundleKeyTables>()
      await schema
        .createTable('revoked_bundles')
        .addColumn('key', 'text', (column) => column.primaryKey())
        .addColumn('digest', 'text', (column) => column.notNull())
        .addColumn('revoked_at', 'bigint', (column) => column.notNull())
        .execute()
      await schema.createIndex('revoked_bundles_by_digest').on('revoked_bundles').column('digest').execute()
    },
  },
]

/**
 * Where the archive of a bundle is kept. The key follows from its content, and is another one after each revocation, so
 * that no link from before ever comes to life again.
 */
export async function bundleKey(database: Database, digest: string): Promise<string> {
  const revoked = await database
    .tables<BundleKeyTables>()
    .selectFrom('revoked_bundles')
    .select('key')
    .where('digest', '=', digest)
    .execute()
  return revoked.length === 0
    ? `bundles/${digest}/bundle.tar.gz`
    : `bundles/${digest}/${revoked.length}/bundle.tar.gz`
}

/** From now on no link to this key works, on whichever node it is asked for. */
export async function revokeBundleKey(
  database: Database,
  bundle: { key: string; digest: string; now: number },
): Promise<void> {
  await database
    .tables<BundleKeyTables>()
    .insertInto('revoked_bundles')
    .values({ key: bundle.key, digest: bundle.digest, revoked_at: bundle.now })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
}

export async function isBundleRevoked(database: Database, key: string): Promise<boolean> {
  const row = await database
    .tables<BundleKeyTables>()
    .selectFrom('revoked_bundles')
    .select('key')
    .where('key', '=', key)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether a release still needs the archive under this key. */
export async function releasesNeedKey(database: Database, key: string): Promise<boolean> {
  const row = await database
    .tables<BundleKeyTables>()
    .selectFrom('releases')
    .select('bundle_key')
    .where('bundle_key', '=', key)
    .executeTakeFirst()
  return row !== undefined
}

export async function moveReleasesToKey(database: Database, from: string, to: string): Promise<void> {
  await database
    .tables<BundleKeyTables>()
    .updateTable('releases')
    .set({ bundle_key: to })
    .where('bundle_key', '=', from)
    .execute()
}
