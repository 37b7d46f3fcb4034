import { randomBytes, randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  serializerCompiler,
  validatorCompiler,
} from 'fastify-type-provider-zod'
import type { Logger } from 'pino'
import { assistantRoutes, defaultAssistantSettings, threadsRoutes } from '../assistant/index.ts'
import { objectRoutes, rewriteObjectUrl } from '../backends/index.ts'
import { exportsRoutes, webhooksRoutes } from '../exports/index.ts'
import {
  ApiError,
  addressUnit,
  countRequest,
  errorBody,
  installAcceptCheck,
  installCors,
  installErrorHandling,
  rateLimitHeaders,
} from '../http/index.ts'
import {
  authorizeAssistant,
  contentRoutes,
  feedbackRoutes,
  isBundleRevoked,
  keysRoutes,
  publishRoutes,
  readSite,
  type Site,
  type SitesDependencies,
  sitesRoutes,
} from '../sites/index.ts'
import { type Health, healthRoutes } from './health-routes.ts'
import type { Node } from './open-node.ts'
import { openApiRoutes, openApiSettings } from './openapi-routes.ts'
import { serveMcp } from './serve-mcp.ts'
import { serveSites, siteNameOf } from './serve-sites.ts'
import type { Settings } from './settings.ts'

export type AppDependencies = {
  node: Node
  settings: Settings
  publicUrl: () => string
  clock: () => number
  wake: () => void
  health: Health
  logger: Logger
}

/** The routes of one node over given backends. */
export async function buildApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { node, settings, publicUrl, clock, wake } = dependencies
  const app = createApp(dependencies)
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  installErrorHandling(app)
  installCors(app, isPublic)
  installAcceptCheck(app, isApi)
  await app.register(swagger, {
    openapi: openApiSettings(publicUrl()),
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  })
  healthRoutes(app, node, dependencies.health)

  const siteUrl = (site: Site) =>
    site.hosts[0] ? `https://${site.hosts[0]}` : `${publicUrl()}/sites/${site.domain}`
  const sites: SitesDependencies = {
    ...node,
    clock,
    siteUrl,
    wake,
    maxUploadBytes: settings.maxUploadMegabytes * 1024 * 1024,
  }
  sitesRoutes(app, sites)
  publishRoutes(app, sites)
  keysRoutes(app, sites)
  contentRoutes(app, sites)
  feedbackRoutes(app, sites)
  exportsRoutes(app, {
    ...node,
    clock,
    wake,
    linkSeconds: settings.linkSeconds,
    siteName: (domain) => siteNameOf(domain, publicUrl()),
  })
  webhooksRoutes(app, { database: node.database, clock })
  assistantRoutes(app, {
    authorize: async (request, domain) => {
      const { site, organizationId } = await authorizeAssistant({
        headers: request.headers,
        database: node.database,
        domain,
        now: clock(),
      })
      return { organizationId, siteId: site.id, domain: site.domain, siteUrl: siteUrl(site) }
    },
    openSite: async (siteId) => {
      const site = await readSite(node.database, siteId)
      const live = site && (await node.published.open(site))
      if (!live)
        throw new ApiError(
          404,
          'site_not_published',
          'This site has nothing published yet. Run quire publish first.',
        )
      return {
        index: live.index,
        site: live.siteIndex,
        readPage: live.readPage,
        instructions: live.instructions,
      }
    },
    countRequest: async ({ organizationId, ip }) =>
      rateLimitHeaders(
        await countRequest({
          database: node.database,
          limits: [
            {
              name: 'organization',
              subject: organizationId,
              limit: settings.organizationHourlyLimit,
              windowSeconds: 3600,
            },
            {
              name: 'address',
              subject: addressUnit(ip),
              limit: settings.addressDailyLimit,
              windowSeconds: 86_400,
            },
          ],
          now: clock(),
        }),
      ),
    database: node.database,
    model: node.model,
    clock,
    ids: (prefix) => `${prefix}${prefix === '' ? '' : '_'}${randomBytes(12).toString('hex')}`,
    settings: {
      ...defaultAssistantSettings,
      tokensPerDay: settings.tokensPerDay ?? null,
      sunsetAt: Date.parse(settings.sunset),
    },
  })
  threadsRoutes(app, { database: node.database, clock })
  objectRoutes(app, {
    store: node.objects,
    nowMs: clock,
    isRevoked: (key) => isBundleRevoked(node.database, key),
    refuse: ({ status, code, message, serverTime }) =>
      new ApiError(
        status,
        code,
        message,
        serverTime ? { details: [{ path: 'serverTime', message: serverTime }] } : {},
      ),
  })
  serveMcp(app, { ...node, clock, publicUrl, siteUrl, addressDailyLimit: settings.addressDailyLimit })
  serveSites(app, {
    ...node,
    clock,
    publicUrl,
    compressedFolder: join(resolve(settings.data), 'cache', 'compressed'),
  })
  openApiRoutes(app, { database: node.database, siteUrl })
  await app.ready()
  return app
}

function createApp({ settings, logger }: AppDependencies): FastifyInstance {
  const app = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    rewriteUrl: rewriteObjectUrl,
    bodyLimit: 1024 * 1024,
    trustProxy: (_address, hop) => hop < settings.trustedProxies,
    routerOptions: { maxParamLength: 500 },
    forceCloseConnections: 'idle',
    requestTimeout: 600_000,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    clientErrorHandler: (error, socket) => {
      const [status, code, sentence] = malformed[error.code] ?? malformed.default!
      const body = JSON.stringify(
        errorBody(new ApiError(status, code, sentence), { requestId: randomUUID(), instance: '/' }),
      )
      if (!socket.writable) return void socket.destroy()
      socket.end(
        `HTTP/1.1 ${status} Bad Request\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
    },
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    request.log.debug({ method: request.method, url: request.url }, 'request')
  })
  return app
}

const malformed: Record<string, [number, string, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers of the request are too large. Send fewer.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request took too long to arrive. Send it again.'],
  default: [400, 'invalid_request', 'This is no HTTP request that can be read.'],
}

const isPublic = (url: string) => /^(\/discovery)?\/v[12]\/(assistant|search|page)\//.test(url)
const isApi = (url: string) => /^(\/discovery)?\/v[12]\//.test(url)
