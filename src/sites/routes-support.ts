import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Database, ObjectStore } from '../backends/index.ts'
import { errorSchema } from '../http/errors-api.ts'
import { authorizeAdmin, type Caller } from './authorize.ts'
import type { PublishedSites } from './published-sites.ts'
import type { Site } from './sites-store.ts'

export type SitesDependencies = {
  database: Database
  objects: ObjectStore
  published: PublishedSites
  clock: () => number
  /** The site's address for readers, without a slash at its end. */
  siteUrl(site: Site): string
  /** Tells the workers of this node that there is something to do. */
  wake(): void
  maxUploadBytes: number
}

/** The app with zod's types, which every route here uses. */
export const typed = (app: FastifyInstance) => app.withTypeProvider<ZodTypeProvider>()

export const adminSecurity = [{ adminKey: [] }]
export const assistantSecurity = [{ assistantKey: [] }]

/** The errors a route may answer with, all of one shape. */
export function errorResponses<Status extends number>(
  ...statuses: Status[]
): Record<Status, typeof errorSchema> {
  return Object.fromEntries(statuses.map((status) => [status, errorSchema])) as Record<
    Status,
    typeof errorSchema
  >
}

const callers = new WeakMap<FastifyRequest, Caller>()

/** A hook that admits admin keys before the body is read. */
export function requireAdmin(dependencies: { database: Database; clock: () => number }) {
  return async (request: FastifyRequest): Promise<void> => {
    const { database, clock } = dependencies
    callers.set(request, await authorizeAdmin({ headers: request.headers, database, now: clock() }))
  }
}

/** Who `requireAdmin` admitted. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request)
  if (!caller) throw new Error('This route lacks requireAdmin.')
  return caller
}
