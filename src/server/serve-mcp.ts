import type { FastifyInstance } from 'fastify'
import type { Database } from '../backends/index.ts'
import { ApiError, addressUnit, countRequest, rateLimitHeaders } from '../http/index.ts'
import { type McpSite, mcpRoutes } from '../mcp/index.ts'
import { findSite, type Site } from '../sites/index.ts'
import { siteOfHost } from './serve-sites.ts'

export type ServeMcpDependencies = {
  database: Database
  /** The site's live release, or null before its first publication. */
  published: { open(site: Site): Promise<Omit<McpSite, 'siteUrl'> | null> }
  clock: () => number
  publicUrl: () => string
  siteUrl(site: Site): string
  addressDailyLimit: number
}

/** Lets other programs search and read each site: at `/sites/{domain}/mcp`, and at `/mcp` of the site's host names. */
export function serveMcp(app: FastifyInstance, dependencies: ServeMcpDependencies): void {
  const { database, published, clock, publicUrl } = dependencies
  mcpRoutes(app, {
    openSite: async (request, domain) => {
      const site =
        domain === undefined
          ? await siteOfHost(database, request.host, publicUrl())
          : await findSite(database, domain)
      const live = site && (await published.open(site))
      if (!live || (domain !== undefined && site.domain !== domain)) {
        throw new ApiError(404, 'site_not_found', 'No site is published at this address.')
      }
      const hosts = [
        new URL(publicUrl()).host,
        ...site.hosts,
        ...(domain === undefined ? [request.host] : []),
      ]
      return {
        site: { ...live, siteUrl: dependencies.siteUrl(site) },
        origins: hosts.flatMap((host) => [`https://${host}`, `http://${host}`]),
      }
    },
    countRequest: async (ip) => {
      const limit = { limit: dependencies.addressDailyLimit, windowSeconds: 86_400 }
      const limits = [{ name: 'mcp', subject: addressUnit(ip), ...limit }]
      return rateLimitHeaders(await countRequest({ database, limits, now: clock() }))
    },
  })
}
