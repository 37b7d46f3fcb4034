import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../http/index.ts'
import { answerMessage, type McpHeaders } from './answer-message.ts'
import type { McpSite } from './tools.ts'

export type McpDependencies = {
  /** The live release of the site that `/sites/{domain}/mcp` or, without a domain, the host name means; throws an ApiError. */
  openSite(request: FastifyRequest, domain: string | undefined): Promise<{ site: McpSite; origins: string[] }>
  /** Throws an ApiError 429 when a limit is used up; what it returns is sent as headers. */
  countRequest(ip: string): Promise<Record<string, string>>
}

const bodyLimit = 256 * 1024

/**
 * The Model Context Protocol over Streamable HTTP, for every site: one message in, one JSON answer out, no session. What is
 * published is public, so there is no key.
 */
export function mcpRoutes(app: FastifyInstance, dependencies: McpDependencies): void {
  const opened = new WeakMap<FastifyRequest, McpSite>()
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    const { domain } = request.params as { domain?: string }
    const { site, origins } = await dependencies.openSite(request, domain)
    admitOrigin(request, reply, origins)
    opened.set(request, site)
  }
  for (const url of ['/sites/:domain/mcp', '/mcp']) {
    app.post(url, { onRequest, bodyLimit, schema: { hide: true } }, async (request, reply) => {
      const site = opened.get(request)
      if (!site) throw new Error('The site was not opened.')
      reply.headers(await dependencies.countRequest(request.ip))
      const { status, body } = await answerMessage({
        message: request.body,
        site,
        headers: headersOf(request),
      })
      reply.code(status).header('cache-control', 'no-store')
      return body === undefined ? reply.send() : reply.type('application/json').send(JSON.stringify(body))
    })
    app.options(url, { onRequest, schema: { hide: true } }, (_request, reply) => reply.code(204).send())
  }
}

/** Whether a GET of `/mcp` is meant for this protocol, which has nothing to offer there, and not for a page of that name. */
export function isMcpGet(request: FastifyRequest, pages: { path: string }[]): boolean {
  const wantsStream = request.headers.accept?.includes('text/event-stream') ?? false
  return wantsStream || !pages.some(({ path }) => path === 'mcp' || path === 'mcp/index')
}

export const noMcpStream = () =>
  new ApiError(405, 'method_not_allowed', 'There is no stream to listen to here. POST each message.', {
    headers: { allow: 'POST' },
  })

/** Browsers tell where a page comes from: those of other sites stay out, so that no page can reach a server behind a wall. */
function admitOrigin(request: FastifyRequest, reply: FastifyReply, own: string[]): void {
  const { origin } = request.headers
  if (origin === undefined) return
  if (!own.includes(origin) && !isLoopback(origin)) {
    throw new ApiError(
      403,
      'origin_not_allowed',
      'Pages of this origin may not ask here. Connect from a program, or from a page of the site itself.',
    )
  }
  reply
    .header('access-control-allow-origin', origin)
    .header('access-control-allow-methods', 'POST, OPTIONS')
    .header(
      'access-control-allow-headers',
      'content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id',
    )
    .header('access-control-expose-headers', 'RateLimit, RateLimit-Policy, Retry-After, X-Request-Id')
    .header('access-control-max-age', '86400')
    .header('vary', 'Origin')
}

const isLoopback = (origin: string) =>
  ['localhost', '127.0.0.1', '[::1]'].includes(URL.parse(origin)?.hostname ?? '')

function headersOf({ headers }: FastifyRequest): McpHeaders {
  const one = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(', ') : value)
  return {
    protocolVersion: one(headers['mcp-protocol-version']),
    method: one(headers['mcp-method']),
    name: one(headers['mcp-name']),
  }
}
