import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const exposed =
  'X-Thread-Id, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Sunset, Link, X-Vercel-AI-Data-Stream, X-Vercel-AI-UI-Message-Stream'

/** Lets pages of other origins call the addresses that `isPublic` accepts, errors included, and answers their preflights. */
export function installCors(app: FastifyInstance, isPublic: (path: string) => boolean): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!isPublic(request.url)) return
    allowOrigin(request, reply)
    if (request.method !== 'OPTIONS') return
    await reply
      .code(204)
      .header('access-control-allow-methods', 'GET, POST, OPTIONS')
      .header(
        'access-control-allow-headers',
        request.headers['access-control-request-headers'] ?? 'authorization, content-type',
      )
      .header('access-control-max-age', '86400')
      .send()
  })
}

function allowOrigin(request: FastifyRequest, reply: FastifyReply): void {
  reply
    .header('access-control-allow-origin', request.headers.origin ?? '*')
    .header('access-control-expose-headers', exposed)
    .header('vary', 'Origin')
}
