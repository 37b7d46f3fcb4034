import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import Fastify, { type FastifyBaseLogger, type FastifyRequest } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import {
  assistantMigrations,
  assistantRoutes,
  defaultAssistantSettings,
  forgetOldThreads,
} from '../assistant/index.ts'
import { type LanguageModel, migrate, openDatabase, openLanguageModel } from '../backends/index.ts'
import { searchFolder } from '../bundle/index.ts'
import { answeredHere, type HostDeployment, type HostSettings, ownSiteName } from '../hosting/index.ts'
import {
  ApiError,
  addressUnit,
  countRequest,
  forgetOldWindows,
  installErrorHandling,
  rateLimitHeaders,
  rateLimitMigrations,
} from '../http/index.ts'
import { mcpRoutes, noMcpStream } from '../mcp/index.ts'
import { openIndex } from '../search/index.ts'
import { openContentRoutes, pagePath, type SiteContent } from '../sites/index.ts'

export type HostAnswers = {
  /** Answers a request whose path comes without the base path; over when the answer is. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>
  close(): Promise<void>
}

type Log = (level: 'warn' | 'error', message: string, details?: Record<string, unknown>) => void

/**
 * Search, the assistant and the tools of the Model Context Protocol, answered by the self-hosted process from the bundle
 * that is live. Whoever may read the pages may ask: there is no key, and browsers let no page of another origin in.
 */
export async function openHostAnswers(input: {
  settings: HostSettings
  deployment: HostDeployment
  now: () => number
  log: Log
}): Promise<HostAnswers> {
  const { settings, now } = input
  const here = answeredHere(settings)
  const app = Fastify({
    loggerInstance: quietLogger(input.log),
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: (_address, hop) => hop < settings.server.trustedProxies,
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  installErrorHandling(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
  })

  const openLive = liveContent(input.deployment)
  const urlOf = (request: FastifyRequest) =>
    `${request.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}${settings.server.basePath}`
  const checkName = (name: string) => {
    if (name !== ownSiteName)
      throw new ApiError(404, 'site_not_found', `There is one site here, and its name is ${ownSiteName}.`)
  }
  if (here.search) {
    openContentRoutes(app, async (request, domain) => {
      checkName(domain)
      return { published: await openLive(), url: urlOf(request) }
    })
  }
  const database = here.assistant ? await openDatabase(join(settings.data, 'assistant.sqlite')) : undefined
  if (database !== undefined) {
    await migrate(database, [...rateLimitMigrations, ...assistantMigrations], now())
    await forgetOldThreads({ database, olderThan: now() - threadDays * dayMs })
    await forgetOldWindows({ database, now: now() })
    const { addressDailyLimit, tokensPerDay, model } = assistantSettings(settings)
    assistantRoutes(app, {
      authorize: async (request, domain) => {
        checkName(domain)
        return { organizationId: ownSiteName, siteId: ownSiteName, domain, siteUrl: urlOf(request) }
      },
      openSite: async () => {
        const { index, siteIndex, readPage } = await openLive()
        return { index, site: siteIndex, readPage, instructions: null }
      },
      countRequest: async ({ ip }) => {
        const limit = { limit: addressDailyLimit, windowSeconds: 86_400 }
        const limits = [{ name: 'address', subject: addressUnit(ip), ...limit }]
        return rateLimitHeaders(await countRequest({ database, limits, now: now() }))
      },
      database,
      model: await openModel(model),
      clock: now,
      ids: (prefix) => `${prefix}${prefix === '' ? '' : '_'}${randomBytes(12).toString('hex')}`,
      settings: { ...defaultAssistantSettings, tokensPerDay: tokensPerDay ?? null },
    })
  }
  if (here.search) {
    mcpRoutes(app, {
      openSite: async (request, domain) => {
        if (domain !== undefined) checkName(domain)
        const origins = [`http://${request.host}`, `https://${request.host}`]
        return { site: { ...(await openLive()), siteUrl: urlOf(request) }, origins }
      },
      // Search over HTTP has no limit here either, and only the assistant brings a database to count in.
      countRequest: async () => ({}),
    })
    app.get('/mcp', async () => {
      throw noMcpStream()
    })
  }
  await app.ready()
  return {
    handle: async (request, response, path) => {
      const ended = once(response, 'close')
      const query = request.url?.indexOf('?') ?? -1
      request.url = query === -1 ? path : `${path}${request.url?.slice(query)}`
      app.routing(request, response)
      await ended
    },
    close: async () => {
      await app.close()
      await database?.close()
    },
  }
}

/** The index of what is live, opened once for each version. */
function liveContent(deployment: HostDeployment): () => Promise<SiteContent> {
  let opened: { id: string; content: Promise<SiteContent> } | undefined
  return async () => {
    const { live } = deployment
    if (live?.server.siteIndex === undefined) {
      throw new ApiError(404, 'site_not_published', 'This bundle does not list its pages. Export it again.')
    }
    const { folder, siteIndex, find } = live.server
    if (opened?.id !== live.version.id) {
      const open = async (): Promise<SiteContent> => ({
        index: await openIndex({
          read: (path) => readFile(join(folder, searchFolder, path)),
          cacheBytes: indexCacheBytes,
        }),
        siteIndex,
        readPage: async (path) => {
          const file = `${pagePath(path)}.md`
          return find(file) === undefined ? null : readFile(join(folder, file), 'utf8').catch(() => null)
        },
      })
      opened = { id: live.version.id, content: open() }
    }
    const { content } = opened
    content.catch(() => {
      opened = undefined // What could not be read now may be readable at the next question.
    })
    return content
  }
}

function assistantSettings({ features: { assistant } }: HostSettings) {
  const given = typeof assistant === 'object' && 'model' in assistant ? assistant : undefined
  return {
    model: given?.model,
    addressDailyLimit: given?.addressDailyLimit ?? defaultAddressDailyLimit,
    tokensPerDay: given?.tokensPerDay,
  }
}

/** Without a model the assistant quotes the passages it finds. */
async function openModel(
  model: { url?: string | undefined; name: string; key?: string | undefined } | undefined,
): Promise<LanguageModel | null> {
  return model === undefined
    ? null
    : openLanguageModel({ model: model.name, url: model.url, apiKey: model.key })
}

/** The process writes its own lines; of the framework's only what went wrong is wanted. */
function quietLogger(log: Log): FastifyBaseLogger {
  const nothing = () => {}
  const write = (level: 'warn' | 'error') => (first: unknown, second?: unknown) => {
    const cause = typeof first === 'object' && first !== null && 'err' in first ? first.err : undefined
    const message = typeof first === 'string' ? first : String(second ?? 'A request failed.')
    log(level, message, cause instanceof Error ? { error: cause.message } : {})
  }
  const logger: FastifyBaseLogger = {
    level: 'warn',
    trace: nothing,
    debug: nothing,
    info: nothing,
    silent: nothing,
    warn: write('warn'),
    error: write('error'),
    fatal: write('error'),
    child: () => logger,
  }
  return logger
}

const dayMs = 86_400_000
const threadDays = 30
const defaultAddressDailyLimit = 1000
const indexCacheBytes = 32 * 1024 * 1024
