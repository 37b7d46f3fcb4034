import { createHmac, randomBytes } from 'node:crypto'
import type { Database } from '../backends/index.ts'
import { enqueueJob, type JobHandler } from '../jobs/index.ts'
import { newId } from '../sites/index.ts'
import { type Export, exportView } from './exports-store.ts'
import { createDelivery, endDelivery, listWebhooks, readDelivery } from './webhooks-store.ts'

export const webhookJobKind = 'webhook'

export type SendRequest = (
  address: string,
  request: { headers: Record<string, string>; body: string },
) => Promise<{ status: number }>

/** Queues a message to each address of the organization; call it in the transaction that ends the export. */
export async function announceExport(database: Database, job: Export, now: number): Promise<void> {
  const type = job.status === 'completed' ? 'export.completed' : 'export.failed'
  for (const webhook of await listWebhooks(database, job.organizationId)) {
    const id = `evt_${randomBytes(12).toString('hex')}`
    const body = JSON.stringify({ id, type, createdAt: new Date(now).toISOString(), job: exportView(job) })
    await createDelivery(database, { id, webhookId: webhook.id, body, createdAt: now })
    const { organizationId } = job
    await enqueueJob(database, { id: newId('job'), kind: webhookJobKind, subject: id, organizationId, now })
  }
}

const minuteMs = 60_000

/** Sends a message until it is taken: eight times within some four hours. */
export function webhookHandler(input: {
  database: Database
  send: SendRequest
  clock: () => number
}): JobHandler {
  const { database, send, clock } = input
  return {
    retry: { attempts: 8, pauseMs: (failures) => Math.min(5_000 * 4 ** failures, 90 * minuteMs) },
    run: async (job) => {
      const delivery = await readDelivery(database, job.subject)
      if (!delivery) return
      const headers = {
        'content-type': 'application/json',
        'x-quire-event': delivery.id,
        'x-quire-signature': signWebhook({
          body: delivery.body,
          secret: delivery.webhook.secret,
          now: clock(),
        }),
      }
      const { status } = await send(delivery.webhook.url, { headers, body: delivery.body })
      if (status < 200 || status > 299) throw new Error(`The address answered with status ${status}.`)
      await endDelivery(database, { id: delivery.id, now: clock(), error: null })
    },
    giveUp: async (job, error) => {
      const sentence = error instanceof Error ? error.message : String(error)
      await endDelivery(database, { id: job.subject, now: clock(), error: sentence })
    },
  }
}

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 over `<seconds>.<body>`, so that an old message cannot be sent again later. */
export function signWebhook(input: { body: string; secret: string; now: number }): string {
  const seconds = Math.floor(input.now / 1000)
  const digest = createHmac('sha256', input.secret).update(`${seconds}.${input.body}`).digest('hex')
  return `t=${seconds},v1=${digest}`
}
