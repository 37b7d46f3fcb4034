import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ApiError, addressUnit, countRequest } from '../http/index.ts'
import { findOwnSite, unknownSite } from './authorize.ts'
import { readFeedback, recordFeedback } from './feedback-store.ts'
import { pagePath } from './published-sites.ts'
import {
  adminSecurity,
  callerOf,
  errorResponses,
  requireAdmin,
  type SitesDependencies,
  typed,
} from './routes-support.ts'
import { findSite } from './sites-store.ts'

const dayMs = 86_400_000

/** Where the pages of a site send what readers say of them. */
export const feedbackEndpoint = (domain: string) => `/v1/feedback/${domain}`

/** Whether a page helped: said by readers without a key, read by the organization. */
export function feedbackRoutes(app: FastifyInstance, dependencies: SitesDependencies): void {
  const { database, clock } = dependencies
  const params = z.object({ domain: z.string() })

  typed(app).post(
    '/v1/feedback/:domain',
    {
      schema: {
        tags: ['Sites'],
        summary: 'Say whether a page helped',
        description: 'Sent by the pages themselves; needs no key. At most 200 a day per address.',
        params,
        body: z.object({ path: z.string().min(1).max(1_000), value: z.enum(['up', 'down']) }),
        response: { 204: z.null(), ...errorResponses(400, 404, 429) },
      },
    },
    async (request, reply) => {
      const site = await findSite(database, request.params.domain)
      const live = site && (await dependencies.published.open(site))
      if (!site || !live) throw unknownSite(request.params.domain)
      const path = pagePath(request.body.path)
      if (!live.siteIndex.pages.some((page) => page.path === path)) {
        throw new ApiError(404, 'page_not_found', 'The site has no such page.')
      }
      const limit = { name: 'feedback', subject: addressUnit(request.ip), limit: 200, windowSeconds: 86_400 }
      await countRequest({ database, limits: [limit], now: clock() })
      await recordFeedback(database, { siteId: site.id, path, value: request.body.value, now: clock() })
      return reply.code(204).send(null)
    },
  )

  typed(app).get(
    '/v1/sites/:domain/feedback',
    {
      onRequest: requireAdmin(dependencies),
      schema: {
        tags: ['Sites'],
        security: adminSecurity,
        summary: 'Read what readers said of the pages',
        params,
        querystring: z.object({ days: z.coerce.number().int().min(1).max(3_650).default(30) }),
        response: {
          200: z.object({
            pages: z.array(z.object({ path: z.string(), up: z.number().int(), down: z.number().int() })),
          }),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async (request) => {
      const site = await findOwnSite(database, callerOf(request).organizationId, request.params.domain)
      return { pages: await readFeedback(database, site.id, clock() - request.query.days * dayMs) }
    },
  )
}
