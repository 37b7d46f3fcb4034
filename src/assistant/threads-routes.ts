import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Database } from '../backends/index.ts'
import { ApiError } from '../http/index.ts'
import { adminSecurity, callerOf, errorResponses, findOwnSite, requireAdmin, typed } from '../sites/index.ts'
import { threadSchema, threadSummarySchema } from './threads-api.ts'
import { eraseThreads, listThreads, readWholeThread } from './threads-store.ts'

/** What readers asked and how they were answered, for the site's organization. */
export function threadsRoutes(
  app: FastifyInstance,
  dependencies: { database: Database; clock: () => number },
): void {
  const { database } = dependencies
  const onRequest = requireAdmin(dependencies)
  const common = { tags: ['Assistant'], security: adminSecurity }
  const params = z.object({ domain: z.string().describe("The site's identifier or one of its host names.") })

  typed(app).get(
    '/v1/sites/:domain/threads',
    {
      onRequest,
      schema: {
        ...common,
        summary: "List a site's threads",
        description: 'The thread that was written to last comes first.',
        params,
        querystring: z.object({
          limit: z.coerce.number().int().min(1).max(200).default(50),
          before: z.iso
            .datetime({ offset: true })
            .optional()
            .describe('Only threads last written to before this time: updatedAt of the last one you have.'),
        }),
        response: {
          200: z.object({ threads: z.array(threadSummarySchema) }),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async (request) => {
      const site = await findOwnSite(database, callerOf(request).organizationId, request.params.domain)
      const { before, limit } = request.query
      return {
        threads: await listThreads({
          database,
          siteId: site.id,
          before: before === undefined ? null : Date.parse(before),
          limit,
        }),
      }
    },
  )

  typed(app).get(
    '/v1/sites/:domain/threads/:threadId',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Read a thread',
        params: params.extend({ threadId: z.string() }),
        response: { 200: threadSchema, ...errorResponses(401, 403, 404) },
      },
    },
    async (request) => {
      const { domain, threadId } = request.params
      const site = await findOwnSite(database, callerOf(request).organizationId, domain)
      const thread = /^[\w-]{1,100}$/.test(threadId)
        ? await readWholeThread({ database, siteId: site.id, threadId })
        : null
      if (thread) return thread
      throw new ApiError(
        404,
        'thread_not_found',
        'This site has no such thread. GET the list of its threads.',
      )
    },
  )

  typed(app).delete(
    '/v1/sites/:domain/threads',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Erase what a reader has said',
        description: 'Deletes all threads of one fingerprint, with their messages.',
        params,
        querystring: z.object({ fp: z.string().min(1).describe('The fingerprint to erase.') }),
        response: {
          200: z.object({ erasedThreads: z.number().int() }),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async (request) => {
      const site = await findOwnSite(database, callerOf(request).organizationId, request.params.domain)
      const fp = request.query.fp.replaceAll('\0', '')
      return { erasedThreads: await eraseThreads({ database, siteId: site.id, fp }) }
    },
  )
}
