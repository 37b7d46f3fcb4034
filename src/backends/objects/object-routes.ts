import type { FastifyInstance } from 'fastify'
import { objectPath } from './download-link.ts'
import type { ObjectStore } from './object-store.ts'
import { linkInvalid, openSignedDownload } from './signed-download.ts'

/** Serves the links of a store whose links point at this server; adds nothing where another serves them. */
export function objectRoutes(app: FastifyInstance, settings: ObjectRoutesSettings): void {
  const { store } = settings
  if (store.linkKeys === null) return
  app.route({
    method: app.supportedMethods,
    url: `${objectPath}*`,
    schema: { hide: true },
    onRequest: async (request) => {
      if (request.method !== 'GET') throw settings.refuse(linkInvalid) // Before a body is read.
    },
    async handler(request, reply) {
      const download = await openSignedDownload({
        store,
        method: request.method,
        target: request.originalUrl,
        headers: request.headers,
        nowMs: settings.nowMs(),
        isRevoked: settings.isRevoked ?? (async () => false),
      })
      if (download.type === 'refused') {
        reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
        throw settings.refuse(download)
      }
      return reply
        .code(download.status)
        .headers(download.headers)
        .send(download.stream ?? '')
    },
  })
}

export interface ObjectRoutesSettings {
  store: ObjectStore
  nowMs(): number
  /** Makes the server's own kind of error out of a refusal; `serverTime` is there where the link expired. */
  refuse(refusal: { status: number; code: string; message: string; serverTime?: string }): Error
  isRevoked?(key: string): Promise<boolean>
}
