import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Database } from '../backends/index.ts'
import { ApiError } from '../http/index.ts'
import { adminSecurity, callerOf, errorResponses, requireAdmin, typed } from '../sites/index.ts'
import { createWebhook, deleteWebhook, listWebhooks, type Webhook } from './webhooks-store.ts'

const webhookSchema = z
  .object({ webhookId: z.string(), url: z.string(), createdAt: z.string() })
  .meta({ id: 'Webhook' })
const newWebhookSchema = webhookSchema
  .extend({ secret: z.string().describe('Signs each message; shown this once.') })
  .meta({ id: 'NewWebhook' })

const most = 10

/** Addresses that are told when an export ends. */
export function webhooksRoutes(
  app: FastifyInstance,
  dependencies: { database: Database; clock: () => number },
): void {
  const { database, clock } = dependencies
  const onRequest = requireAdmin(dependencies)
  const common = { tags: ['Static export'], security: adminSecurity }

  typed(app).get(
    '/v1/webhooks',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'List the addresses that are told when an export ends',
        response: { 200: z.object({ webhooks: z.array(webhookSchema) }), ...errorResponses(401, 403) },
      },
    },
    async (request) => ({
      webhooks: (await listWebhooks(database, callerOf(request).organizationId)).map(view),
    }),
  )

  typed(app).post(
    '/v1/webhooks',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Add an address that is told when an export ends',
        description:
          'Messages are signed: X-Quire-Signature is `t=<seconds>,v1=<hex>`, the HMAC-SHA256 of `<seconds>.<body>` with the secret. A message that is not answered with a 2xx is sent again, eight times in all. Only public addresses are reached.',
        body: z.object({ url: z.url({ protocol: /^https?$/ }).max(2_000) }),
        response: { 201: newWebhookSchema, ...errorResponses(400, 401, 403, 409) },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      if ((await listWebhooks(database, organizationId)).length >= most) {
        throw new ApiError(409, 'too_many_webhooks', `There are ${most} addresses already. Remove one first.`)
      }
      const secret = `whsec_${randomBytes(24).toString('base64url')}`
      const id = `wh_${randomBytes(12).toString('hex')}`
      const webhook = { id, organizationId, url: request.body.url, secret, createdAt: clock() }
      await createWebhook(database, webhook)
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...view(webhook), secret })
    },
  )

  typed(app).delete(
    '/v1/webhooks/:webhookId',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Remove such an address',
        params: z.object({ webhookId: z.string() }),
        response: { 204: z.null(), ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { webhookId } = request.params
      if (await deleteWebhook(database, callerOf(request).organizationId, webhookId))
        return reply.code(204).send(null)
      throw new ApiError(
        404,
        'webhook_not_found',
        `There is no webhook ${JSON.stringify(webhookId.slice(0, 100))}.`,
      )
    },
  )
}

function view(webhook: Webhook) {
  return { webhookId: webhook.id, url: webhook.url, createdAt: new Date(webhook.createdAt).toISOString() }
}
