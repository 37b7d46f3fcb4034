import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ApiError, countRequest } from '../http/index.ts'
import { findOwnSite } from './authorize.ts'
import { issueKey, rotateKey } from './issue-key.ts'
import { type Key, keyView, listKeys, readKey, revokeKey } from './keys-store.ts'
import {
  adminSecurity,
  callerOf,
  errorResponses,
  requireAdmin,
  type SitesDependencies,
  typed,
} from './routes-support.ts'
import { expiryDaysSchema, keySchema, newKeySchema } from './sites-api.ts'
import { listSites } from './sites-store.ts'

/** Keys: make, list, rotate, revoke. A key's secret is in one answer only. */
export function keysRoutes(app: FastifyInstance, dependencies: SitesDependencies): void {
  const { database, clock } = dependencies
  const onRequest = requireAdmin(dependencies)
  const common = { tags: ['Keys'], security: adminSecurity }
  const keyParams = z.object({ keyId: z.string() })

  typed(app).get(
    '/v1/keys',
    {
      onRequest,
      schema: {
        ...common,
        summary: "List the organization's keys",
        response: { 200: z.object({ keys: z.array(keySchema) }), ...errorResponses(401, 403) },
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request)
      const domains = await domainsById(organizationId)
      const keys = await listKeys(database, organizationId)
      return { keys: keys.map((key) => keyView(key, domains.get(key.siteId ?? '') ?? null)) }
    },
  )

  typed(app).post(
    '/v1/keys',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Make a key',
        description: 'At most 10 new keys an hour per organization.',
        body: z.discriminatedUnion('kind', [
          z.object({
            kind: z.literal('admin'),
            name: z.string().min(1).max(100),
            expiresInDays: expiryDaysSchema,
          }),
          z.object({
            kind: z.literal('assistant'),
            name: z.string().min(1).max(100),
            domain: z.string().describe('The site the key is for.'),
            origins: z.array(z.string().max(300)).min(1).max(50).default(['*']),
            expiresInDays: expiryDaysSchema,
          }),
        ]),
        response: { 201: newKeySchema, ...errorResponses(400, 401, 403, 404, 429) },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const { body } = request
      const site = body.kind === 'assistant' ? await findOwnSite(database, organizationId, body.domain) : null
      await countNewKey(organizationId)
      const wanted = {
        kind: body.kind,
        organizationId,
        siteId: site?.id ?? null,
        name: body.name,
        expiresInDays: body.expiresInDays,
        ...(body.kind === 'assistant' ? { origins: body.origins } : {}),
      }
      const { key, secret } = await issueKey(database, wanted, clock())
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...keyView(key, site?.domain ?? null), key: secret })
    },
  )

  typed(app).post(
    '/v1/keys/:keyId/rotate',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Rotate a key',
        description: 'Makes a new key like the old one, which works on for the overlap.',
        params: keyParams,
        body: z.object({ overlapSeconds: z.number().int().min(0).max(2_592_000).default(86_400) }).nullish(),
        response: { 201: newKeySchema, ...errorResponses(400, 401, 403, 404, 409, 429) },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const old = await ownKey(organizationId, request.params.keyId)
      if (old.revokedAt !== null)
        throw new ApiError(409, 'key_revoked', 'A revoked key cannot be rotated. Make a new one.')
      await countNewKey(organizationId)
      const overlapSeconds = request.body?.overlapSeconds ?? 86_400
      const { key, secret } = await rotateKey(database, old, { overlapSeconds, now: clock() })
      const domains = await domainsById(organizationId)
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...keyView(key, domains.get(key.siteId ?? '') ?? null), key: secret })
    },
  )

  typed(app).delete(
    '/v1/keys/:keyId',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Revoke a key at once',
        params: keyParams,
        response: { 204: z.null(), ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const key = await ownKey(callerOf(request).organizationId, request.params.keyId)
      await revokeKey(database, key.id, clock())
      return reply.code(204).send(null)
    },
  )

  const ownKey = async (organizationId: string, keyId: string): Promise<Key> => {
    const key = await readKey(database, organizationId, keyId)
    if (key) return key
    throw new ApiError(
      404,
      'key_not_found',
      `There is no key ${JSON.stringify(keyId.slice(0, 100))}. GET /v1/keys lists yours.`,
    )
  }

  const domainsById = async (organizationId: string) =>
    new Map((await listSites(database, organizationId)).map((site) => [site.id, site.domain]))

  const countNewKey = (organizationId: string) =>
    countRequest({
      database,
      limits: [{ name: 'new-keys', subject: organizationId, limit: 10, windowSeconds: 3600 }],
      now: clock(),
    })
}
