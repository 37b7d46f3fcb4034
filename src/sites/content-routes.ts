import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../http/index.ts'
import { authorizeAssistant } from './authorize.ts'
import { type PublishedSite, pagePath } from './published-sites.ts'
import { assistantSecurity, errorResponses, type SitesDependencies, typed } from './routes-support.ts'

const searchResultSchema = z
  .object({
    content: z.string().describe('The passage that fits best.'),
    path: z.string(),
    metadata: z.looseObject({ title: z.string(), url: z.string(), score: z.number() }),
  })
  .meta({ id: 'SearchResult' })

/** Search and page content, for the same public keys as the assistant. */
export function contentRoutes(app: FastifyInstance, dependencies: SitesDependencies): void {
  const { database, clock } = dependencies
  openContentRoutes(app, async (request, domain) => {
    const { site } = await authorizeAssistant({ headers: request.headers, database, domain, now: clock() })
    const published = await dependencies.published.open(site)
    if (published) return { published, url: dependencies.siteUrl(site) }
    throw new ApiError(
      404,
      'site_not_published',
      `The site ${site.domain} has nothing published yet. Run quire publish first.`,
    )
  })
}

export type SiteContent = Pick<PublishedSite, 'index' | 'siteIndex' | 'readPage'>

/** The same endpoints over whatever says who may ask and what there is to find. */
export function openContentRoutes(
  app: FastifyInstance,
  openSite: (request: FastifyRequest, domain: string) => Promise<{ published: SiteContent; url: string }>,
): void {
  const common = { tags: ['Search'], security: assistantSecurity, params: z.object({ domain: z.string() }) }

  for (const base of ['/discovery', '']) {
    typed(app).post(
      `${base}/v1/search/:domain`,
      {
        schema: {
          ...common,
          hide: base === '',
          summary: "Search a site's pages",
          body: z.object({
            query: z.string().min(1).max(2_000),
            pageSize: z.number().int().min(1).max(50).default(10),
            scoreThreshold: z.number().min(0).max(1).optional(),
            filter: z
              .object({
                version: z.string().optional(),
                language: z.string().optional(),
                tag: z.string().optional(),
              })
              .nullish(),
          }),
          response: { 200: z.array(searchResultSchema), ...errorResponses(400, 401, 403, 404) },
        },
      },
      async (request) => {
        const { published, url } = await openSite(request, request.params.domain)
        const { query, pageSize, scoreThreshold, filter } = request.body
        const hits = await published.index.search({
          query,
          limit: pageSize,
          filter: withDefaults(published, filter ?? {}),
          ...(scoreThreshold === undefined ? {} : { scoreThreshold }),
        })
        return hits.map(({ path, content, ...metadata }) => ({
          content,
          path,
          metadata: { ...metadata, url: pageUrl(url, path, metadata.anchor) },
        }))
      },
    )

    typed(app).post(
      `${base}/v1/page/:domain`,
      {
        schema: {
          ...common,
          hide: base === '',
          summary: 'Read a page as Markdown',
          body: z.object({ path: z.string().min(1).max(1_000) }),
          response: {
            200: z.object({ path: z.string(), content: z.string() }),
            ...errorResponses(400, 401, 403, 404),
          },
        },
      },
      async (request) => {
        const { published } = await openSite(request, request.params.domain)
        const path = pagePath(request.body.path)
        const content = await published.readPage(path)
        if (content !== null) return { path, content }
        throw new ApiError(
          404,
          'page_not_found',
          `The site has no page ${JSON.stringify(path.slice(0, 200))}. Use a path that search gives.`,
        )
      },
    )
  }
}

/** Without a filter, the site's own version and language hold, so that versions and languages never mix. */
function withDefaults(
  published: SiteContent,
  filter: { version?: string | undefined; language?: string | undefined; tag?: string | undefined },
) {
  const version = filter.version ?? published.siteIndex.defaultVersion
  const language = filter.language ?? published.siteIndex.defaultLanguage
  return {
    ...(version === undefined ? {} : { version }),
    ...(language === undefined ? {} : { language }),
    ...(filter.tag === undefined ? {} : { tag: filter.tag }),
  }
}

/** The address of a page for a reader, extensionless, at its heading where there is one. */
export function pageUrl(siteUrl: string, path: string, anchor?: string): string {
  return `${siteUrl}/${path === 'index' ? '' : path}${anchor ? `#${anchor}` : ''}`
}
