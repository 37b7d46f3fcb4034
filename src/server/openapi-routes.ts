import type { FastifyInstance, FastifyReply } from 'fastify'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Database } from '../backends/index.ts'
import { plainPage } from '../hosting/index.ts'
import { listOrganizations, listSites, type Site } from '../sites/index.ts'
import { describeApi } from './describe-api.ts'
import { finishDescription } from './finish-description.ts'

/** What the interface description says of itself. */
export function openApiSettings(
  publicUrl: string,
): Omit<Partial<OpenAPIV3_1.Document>, 'paths'> & { openapi: '3.1.0' } {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quire',
      version: '1.0.0',
      description:
        'Ask a documentation site, search it, publish it, and export it as a self-contained bundle. Every error has one shape.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: 'Assistant', description: 'Streamed answers from the content of a site.' },
      { name: 'Search', description: 'Search and page content, for the same keys.' },
      {
        name: 'Static export',
        description: 'Pre-render a site and download it as one bundle. Needs the plan enterprise.',
      },
      { name: 'Sites', description: 'Sites, publishing, releases.' },
      { name: 'Keys', description: 'Admin keys and assistant keys.' },
    ],
    components: {
      securitySchemes: {
        assistantKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'Assistant key, quire_dsc_…: public, safe in client-side code, for one site.',
        },
        adminKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'Admin key, quire_…: a server-side secret; never in client-side code.',
        },
      },
    },
  }
}

/** The interface description, a page that shows it, and a first page for whoever opens the server's address. */
export function openApiRoutes(
  app: FastifyInstance,
  input: { database: Database; siteUrl(site: Site): string },
): void {
  const schema = { hide: true }
  let document: OpenAPIV3_1.Document | undefined
  const description = () => {
    document ??= finishDescription(app.swagger() as OpenAPIV3_1.Document)
    return document
  }
  app.get('/openapi.json', { schema }, async (_request, reply) =>
    reply.header('access-control-allow-origin', '*').send(description()),
  )
  app.get('/openapi', { schema }, async (_request, reply) => sendPage(reply, describeApi(description())))
  app.get('/', { schema }, async (_request, reply) => {
    const organizations = await listOrganizations(input.database)
    const sites = (await Promise.all(organizations.map(({ id }) => listSites(input.database, id)))).flat()
    const only = sites.length === 1 ? sites[0] : undefined
    if (only?.liveReleaseId)
      return reply.redirect(
        input.siteUrl(only).endsWith(`/sites/${only.domain}`)
          ? `/sites/${only.domain}/`
          : input.siteUrl(only),
      )
    return sendPage(
      reply,
      plainPage({
        title: 'Quire',
        text: 'This is a Quire server. Its interface is described at /openapi; each site has an address of its own.',
      }),
    )
  })
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    )
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .send(html)
}
