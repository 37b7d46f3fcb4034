import { pipeline, Readable, Transform } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../http/index.ts'
import { findOwnSite } from './authorize.ts'
import { acceptSource, waitForRelease } from './publish.ts'
import { type Release, readRelease, releaseView } from './releases-store.ts'
import {
  adminSecurity,
  callerOf,
  errorResponses,
  requireAdmin,
  type SitesDependencies,
  typed,
} from './routes-support.ts'
import { releaseSchema } from './sites-api.ts'
import { readSite } from './sites-store.ts'

const archiveTypes = [
  'application/gzip',
  'application/x-gzip',
  'application/x-tar',
  'application/x-gtar',
  'application/octet-stream',
]

/** Publishing: a docs folder as tar.gz goes in, a verdict comes out. */
export function publishRoutes(app: FastifyInstance, dependencies: SitesDependencies): void {
  const { database, objects, clock } = dependencies
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(archiveTypes, (_request, payload, done) => done(null, payload)) // Streamed, never held whole.

    typed(scope).put(
      '/v1/sites/:domain/content',
      {
        onRequest: requireAdmin(dependencies),
        schema: {
          tags: ['Sites'],
          security: adminSecurity,
          summary: 'Publish a docs project',
          description:
            'The body is a tar.gz of a folder with docs.json. Answers with a verdict once the project is compiled; the site then shows the new release. A project that cannot be compiled leaves the live release as it is.',
          consumes: archiveTypes,
          params: z.object({ domain: z.string() }),
          querystring: z.object({
            wait: z
              .enum(['true', 'false'])
              .default('true')
              .describe('false answers 202 at once; poll Location for the verdict.'),
          }),
          response: {
            200: releaseSchema,
            202: releaseSchema,
            ...errorResponses(400, 401, 403, 404, 413, 415, 422),
          },
        },
      },
      async (request, reply) => {
        const site = await findOwnSite(database, callerOf(request).organizationId, request.params.domain)
        if (!(request.body instanceof Readable)) throw emptyBody()
        const left = new AbortController()
        request.raw.once('close', () => {
          if (!request.raw.complete)
            left.abort(new ApiError(400, 'invalid_request', 'The upload ended early. Send it again.'))
        })
        const archive = limited(request.body, dependencies.maxUploadBytes)
        const releaseId = await acceptSource({
          database,
          objects,
          site,
          archive,
          now: clock(),
          signal: left.signal,
        })
        dependencies.wake()
        void reply.header('location', `/v1/sites/${site.domain}/releases/${releaseId}`)
        if (request.query.wait === 'false') {
          return reply.code(202).send(releaseView((await readRelease(database, releaseId))!, false))
        }
        const gone = new AbortController()
        reply.raw.once('close', () => gone.abort())
        const release = await waitForRelease(database, releaseId, gone.signal)
        if (release.status === 'failed') throw compileFailed(release)
        const current = await readSite(database, site.id)
        return releaseView(release, current?.liveReleaseId === release.id)
      },
    )
  })
}

/** The one error shape, with every problem at its place. */
function compileFailed(release: Release): ApiError {
  return new ApiError(422, 'compile_failed', release.error ?? 'The project could not be compiled.', {
    details: release.problems.map(({ file, line, column, message, hint }) => ({
      path: `${file}:${line}:${column}`,
      message: hint ? `${message} ${hint}` : message,
    })),
  })
}

function emptyBody(): ApiError {
  return new ApiError(
    400,
    'invalid_request',
    'Send the docs folder as a tar.gz body (Content-Type: application/gzip).',
  )
}

function limited(body: Readable, maxBytes: number): Readable {
  let bytes = 0
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes <= maxBytes) done(null, chunk)
      else
        done(
          new ApiError(
            413,
            'body_too_large',
            `The upload is over ${maxBytes} bytes. Leave large files out of the docs folder.`,
          ),
        )
    },
  })
  return pipeline(body, meter, () => {}) // An error reaches whoever reads the meter.
}
