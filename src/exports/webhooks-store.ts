import type { Database, Migration } from '../backends/index.ts'

/** An address of an organization that is told when its exports end. */
export type Webhook = { id: string; organizationId: string; url: string; secret: string; createdAt: number }

/** One message to one address. It carries its text from the start, so that each try sends the same. */
export type Delivery = {
  id: string
  webhookId: string
  body: string
  createdAt: number
  error: string | null
}

type WebhookTables = {
  webhooks: { id: string; organization_id: string; url: string; secret: string; created_at: number }
  webhook_deliveries: {
    id: string
    webhook_id: string
    body: string
    created_at: number
    delivered_at: number | null
    error: string | null
  }
}

export const webhookMigrations: Migration[] = [
  {
    name: 'exports-002-webhooks',
    up: async (database) => {
      const { schema } = database.tables<WebhookTables>()
      await schema
        .createTable('webhooks')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('organization_id', 'text', (column) => column.notNull())
        .addColumn('url', 'text', (column) => column.notNull())
        .addColumn('secret', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute()
      await schema
        .createTable('webhook_deliveries')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('webhook_id', 'text', (column) => column.notNull())
        .addColumn('body', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('delivered_at', 'bigint')
        .addColumn('error', 'text')
        .execute()
    },
  },
]

export async function createWebhook(database: Database, webhook: Webhook): Promise<void> {
  const { id, organizationId, url, secret, createdAt } = webhook
  await database
    .tables<WebhookTables>()
    .insertInto('webhooks')
    .values({ id, organization_id: organizationId, url, secret, created_at: createdAt })
    .execute()
}

export async function listWebhooks(database: Database, organizationId: string): Promise<Webhook[]> {
  const rows = await database
    .tables<WebhookTables>()
    .selectFrom('webhooks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toWebhook)
}

export async function deleteWebhook(
  database: Database,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const result = await database
    .tables<WebhookTables>()
    .deleteFrom('webhooks')
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}

export async function createDelivery(database: Database, delivery: Omit<Delivery, 'error'>): Promise<void> {
  const { id, webhookId, body, createdAt } = delivery
  await database
    .tables<WebhookTables>()
    .insertInto('webhook_deliveries')
    .values({ id, webhook_id: webhookId, body, created_at: createdAt, delivered_at: null, error: null })
    .execute()
}

/** What is still to be sent and where; undefined where it was sent, or the address was removed. */
export async function readDelivery(
  database: Database,
  id: string,
): Promise<(Delivery & { webhook: Webhook }) | undefined> {
  const row = await database
    .tables<WebhookTables>()
    .selectFrom('webhook_deliveries as delivery')
    .innerJoin('webhooks', 'webhooks.id', 'delivery.webhook_id')
    .selectAll('webhooks')
    .select([
      'delivery.id as delivery_id',
      'delivery.body',
      'delivery.created_at as sent_at',
      'delivery.error',
    ])
    .where('delivery.id', '=', id)
    .where('delivery.delivered_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const { delivery_id, body, sent_at, error } = row
  return { id: delivery_id, webhookId: row.id, body, createdAt: sent_at, error, webhook: toWebhook(row) }
}

export async function endDelivery(
  database: Database,
  end: { id: string; now: number; error: string | null },
): Promise<void> {
  await database
    .tables<WebhookTables>()
    .updateTable('webhook_deliveries')
    .set(end.error === null ? { delivered_at: end.now, error: null } : { error: end.error })
    .where('id', '=', end.id)
    .execute()
}

export async function forgetDeliveries(database: Database, before: number): Promise<void> {
  await database
    .tables<WebhookTables>()
    .deleteFrom('webhook_deliveries')
    .where('created_at', '<', before)
    .execute()
}

function toWebhook(row: WebhookTables['webhooks']): Webhook {
  return {
    id: row.id,
    organizationId: row.organization_id,
    url: row.url,
    secret: row.secret,
    createdAt: row.created_at,
  }
}
