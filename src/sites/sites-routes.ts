import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../http/index.ts'
import { findOwnSite } from './authorize.ts'
import { newId } from './new-id.ts'
import { activateRelease, listReleases, type Release, readRelease, releaseView } from './releases-store.ts'
import {
  adminSecurity,
  callerOf,
  errorResponses,
  requireAdmin,
  type SitesDependencies,
  typed,
} from './routes-support.ts'
import {
  domainSchema,
  hostNameSchema,
  releaseSchema,
  releaseSummarySchema,
  type SiteView,
  siteSchema,
} from './sites-api.ts'
import { createSite, listSites, type Site, setCustomScripts, setHosts } from './sites-store.ts'

/** Sites and their releases: make, list, roll back. */
export function sitesRoutes(app: FastifyInstance, dependencies: SitesDependencies): void {
  const { database, clock } = dependencies
  const onRequest = requireAdmin(dependencies)
  const common = { tags: ['Sites'], security: adminSecurity }
  const siteParams = z.object({
    domain: z.string().describe("The site's identifier or one of its host names."),
  })
  const view = (site: Site) => viewSite(dependencies, site)

  typed(app).get(
    '/v1/sites',
    {
      onRequest,
      schema: {
        ...common,
        summary: "List the organization's sites",
        response: { 200: z.object({ sites: z.array(siteSchema) }), ...errorResponses(401, 403) },
      },
    },
    async (request) => {
      const sites = await listSites(database, callerOf(request).organizationId)
      return { sites: await Promise.all(sites.map(view)) }
    },
  )

  typed(app).post(
    '/v1/sites',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Make a site',
        body: z.object({
          domain: domainSchema,
          name: z.string().min(1).max(200).optional(),
          hosts: z
            .array(hostNameSchema)
            .max(20)
            .default([])
            .describe('Host names at which the site answers.'),
        }),
        response: { 201: siteSchema, ...errorResponses(400, 401, 403, 409) },
      },
    },
    async (request, reply) => {
      const { domain, name, hosts } = request.body
      const site = await createSite(database, {
        id: newId('site'),
        organizationId: callerOf(request).organizationId,
        domain,
        name: name ?? domain,
        hosts,
        createdAt: clock(),
      })
      if (!site) throw taken([domain, ...hosts])
      return reply
        .code(201)
        .header('location', `/v1/sites/${domain}`)
        .send(await view(site))
    },
  )

  typed(app).get(
    '/v1/sites/:domain',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Read a site',
        params: siteParams,
        response: { 200: siteSchema, ...errorResponses(401, 403, 404) },
      },
    },
    async (request) =>
      view(await findOwnSite(database, callerOf(request).organizationId, request.params.domain)),
  )

  typed(app).put(
    '/v1/sites/:domain/hosts',
    {
      onRequest,
      schema: {
        ...common,
        summary: "Set a site's host names",
        params: siteParams,
        body: z.object({ hosts: z.array(hostNameSchema).max(20) }),
        response: { 200: siteSchema, ...errorResponses(400, 401, 403, 404, 409) },
      },
    },
    async (request) => {
      const site = await findOwnSite(database, callerOf(request).organizationId, request.params.domain)
      if (!(await setHosts(database, site.id, request.body.hosts))) throw taken(request.body.hosts)
      return view({ ...site, hosts: request.body.hosts })
    },
  )

  typed(app).put(
    '/v1/sites/:domain/scripts',
    {
      onRequest,
      schema: {
        ...common,
        summary: "Let a project's own scripts run, or not",
        description:
          'Off by default. Takes effect with the next publication. A site with scripts of its own is served at its own host names only, so that they never run beside another site.',
        params: siteParams,
        body: z.object({ customScripts: z.boolean() }),
        response: { 200: siteSchema, ...errorResponses(400, 401, 403, 404, 409) },
      },
    },
    async (request) => {
      const site = await findOwnSite(database, callerOf(request).organizationId, request.params.domain)
      const { customScripts } = request.body
      if (customScripts && site.hosts.length === 0) {
        throw new ApiError(
          409,
          'host_required',
          'A site whose own scripts run needs a host name of its own. Set one first.',
        )
      }
      await setCustomScripts(database, site.id, customScripts)
      return view({ ...site, customScripts })
    },
  )

  typed(app).get(
    '/v1/sites/:domain/releases',
    {
      onRequest,
      schema: {
        ...common,
        summary: "List a site's releases, the newest first",
        params: siteParams,
        querystring: z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
        response: {
          200: z.object({ releases: z.array(releaseSummarySchema) }),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async (request) => {
      const site = await findOwnSite(database, callerOf(request).organizationId, request.params.domain)
      const releases = await listReleases(database, site.id, request.query.limit)
      return { releases: releases.map((release) => summary(release, site)) }
    },
  )

  typed(app).get(
    '/v1/sites/:domain/releases/:releaseId',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Read a release and its problems',
        params: siteParams.extend({ releaseId: z.string() }),
        response: { 200: releaseSchema, ...errorResponses(401, 403, 404) },
      },
    },
    async (request) => {
      const site = await findOwnSite(database, callerOf(request).organizationId, request.params.domain)
      const release = await readOwnRelease(site, request.params.releaseId)
      return releaseView(release, release.id === site.liveReleaseId)
    },
  )

  typed(app).post(
    '/v1/sites/:domain/rollback',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Make an earlier release live, in one step',
        params: siteParams,
        body: z
          .object({
            releaseId: z
              .string()
              .optional()
              .describe('The release to show; the one before the live one when absent.'),
          })
          .nullish(),
        response: { 200: siteSchema, ...errorResponses(400, 401, 403, 404, 409) },
      },
    },
    async (request) => {
      const site = await findOwnSite(database, callerOf(request).organizationId, request.params.domain)
      const wanted = request.body?.releaseId
      const release = wanted ? await readOwnRelease(site, wanted) : await releaseBefore(site)
      if (release.status !== 'ready') {
        throw new ApiError(
          409,
          'release_not_ready',
          `Release ${release.id} is ${release.status} and cannot be shown. Choose one that is ready.`,
        )
      }
      await activateRelease(database, site.id, release.id, clock())
      return view({ ...site, liveReleaseId: release.id })
    },
  )

  const readOwnRelease = async (site: Site, releaseId: string): Promise<Release> => {
    const release = await readRelease(database, releaseId)
    if (release?.siteId === site.id) return release
    throw new ApiError(
      404,
      'release_not_found',
      `This site has no release ${JSON.stringify(releaseId.slice(0, 100))}.`,
    )
  }

  const releaseBefore = async (site: Site): Promise<Release> => {
    const releases = await listReleases(database, site.id, 200)
    const live = releases.find((release) => release.id === site.liveReleaseId)
    const before = releases.find(
      (release) => release.status === 'ready' && live && release.number < live.number,
    )
    if (before) return before
    throw new ApiError(409, 'no_earlier_release', 'There is no earlier release to go back to.')
  }
}

export async function viewSite(dependencies: SitesDependencies, site: Site): Promise<SiteView> {
  const live =
    site.liveReleaseId === null ? undefined : await readRelease(dependencies.database, site.liveReleaseId)
  return {
    domain: site.domain,
    name: site.name,
    hosts: site.hosts,
    url: dependencies.siteUrl(site),
    customScripts: site.customScripts,
    liveRelease: live
      ? {
          releaseId: live.id,
          number: live.number,
          pageCount: live.pageCount,
          digest: live.bundle?.digest ?? null,
        }
      : null,
    createdAt: new Date(site.createdAt).toISOString(),
  }
}

function summary(release: Release, site: Site) {
  const { problems, failedPages: _, ...rest } = releaseView(release, release.id === site.liveReleaseId)
  return { ...rest, problemCount: problems.length }
}

function taken(names: string[]): ApiError {
  return new ApiError(
    409,
    'site_exists',
    `One of ${names.join(', ')} belongs to a site already. Choose another.`,
  )
}
