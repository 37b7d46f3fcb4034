import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Database, linkExpiresAtMs, type ObjectStore } from '../backends/index.ts'
import { ApiError } from '../http/index.ts'
import { cancelJobsOf, enqueueJob } from '../jobs/index.ts'
import {
  adminSecurity,
  callerOf,
  errorResponses,
  findOwnSite,
  newId,
  type PublishedSites,
  pagePath,
  readOrganization,
  requireAdmin,
  type Site,
  typed,
} from '../sites/index.ts'
import { bundleSchema, exportSchema, exportStatuses, startExportSchema } from './exports-api.ts'
import {
  claimIdempotencyKey,
  createExport,
  type Export,
  exportView,
  failExport,
  listExports,
  type NewExport,
  readExport,
} from './exports-store.ts'
import { revokeBundle } from './revoke-bundle.ts'
import { exportJobKind } from './run-export.ts'
import { announceExport } from './send-webhook.ts'
import { streamProgress } from './stream-progress.ts'

export type ExportsDependencies = {
  database: Database
  objects: ObjectStore
  published: PublishedSites
  clock: () => number
  wake(): void
  linkSeconds: number
  /** A hosted host name (`acme.<this server>`) as the site's identifier; other names come back as they are. */
  siteName(domainOrHost: string): string
}

/** Static export: start a job, watch it, take the bundle. */
export function exportsRoutes(app: FastifyInstance, dependencies: ExportsDependencies): void {
  const { database, objects, clock } = dependencies
  const admit = requireAdmin(dependencies)
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    await admit(request)
    await requireEnterprise(database, callerOf(request).organizationId)
  }
  const common = { tags: ['Static export'], security: adminSecurity }
  const params = z.object({
    jobId: z.string().describe('Identifier of the job, as returned when it was started.'),
  })
  const strictQuery = z.object({
    strict: z
      .enum(['true', 'false'])
      .default('false')
      .describe('true makes the job fail when a page cannot be rendered.'),
  })

  typed(app).post(
    '/v1/static-export/jobs',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Start static export job',
        headers: z.looseObject({
          'idempotency-key': z
            .string()
            .min(1)
            .max(255)
            .optional()
            .describe('A repeat within 24 hours returns the first job.'),
        }),
        querystring: strictQuery,
        body: startExportSchema,
        response: { 202: exportSchema, ...errorResponses(400, 401, 403, 404, 409, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request)
      const { body } = request
      const site = await findOwnSite(database, organizationId, dependencies.siteName(body.domain))
      const wanted: NewExport = {
        id: `se_${randomBytes(12).toString('hex')}`,
        organizationId,
        siteId: site.id,
        domain: site.domain,
        strict: request.query.strict === 'true',
        createdAt: clock(),
        ...(await chosenPages(site, body)),
      }
      const started = await startExport(wanted, request.headers['idempotency-key'])
      dependencies.wake()
      return reply
        .code(202)
        .header('location', `/v1/static-export/jobs/${started.id}`)
        .header('retry-after', '1')
        .send(exportView(started))
    },
  )

  typed(app).get(
    '/v1/static-export/jobs',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'List static export jobs, the newest first',
        querystring: z.object({
          limit: z.coerce.number().int().min(1).max(200).default(50),
          cursor: z.string().max(200).optional().describe('nextCursor of the page before.'),
          domain: z.string().min(1).max(253).optional().describe('Only the jobs of this site.'),
          status: z.enum(exportStatuses).optional().describe('Only the jobs in this state.'),
        }),
        response: {
          200: z.object({ jobs: z.array(exportSchema), nextCursor: z.string().nullable() }),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async (request) => {
      const { limit, cursor, domain, status } = request.query
      const { organizationId } = callerOf(request)
      const site =
        domain === undefined
          ? undefined
          : await findOwnSite(database, organizationId, dependencies.siteName(domain))
      const before = cursor === undefined ? undefined : readCursor(cursor)
      const jobs = await listExports(database, {
        organizationId,
        limit: limit + 1,
        ...(before ? { before } : {}),
        ...(site === undefined ? {} : { siteId: site.id }),
        ...(status === undefined ? {} : { status }),
      })
      const page = jobs.slice(0, limit)
      return {
        jobs: page.map(exportView),
        nextCursor: jobs.length > limit ? writeCursor(page.at(-1)!) : null,
      }
    },
  )

  typed(app).get(
    '/v1/static-export/jobs/:jobId',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Get static export job status',
        description: 'Accept: text/event-stream gives live progress as server-sent events.',
        params,
        response: { 200: exportSchema, 304: z.null(), ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const job = await ownExport(request, request.params.jobId)
      if (/text\/event-stream/.test(request.headers.accept ?? '')) {
        reply.hijack()
        await streamProgress({ response: reply.raw, first: job, read: () => readExport(database, job.id) })
        return reply
      }
      return sendExport(request, reply, job)
    },
  )

  typed(app).delete(
    '/v1/static-export/jobs/:jobId',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Cancel a static export job',
        params,
        response: { 200: exportSchema, ...errorResponses(401, 403, 404, 409) },
      },
    },
    async (request) => {
      const job = await ownExport(request, request.params.jobId)
      const canceled = await database.transaction(async (inside) => {
        const failed = await failExport(inside, {
          id: job.id,
          error: 'The export was canceled.',
          code: 'canceled',
          now: clock(),
        })
        if (failed) {
          await cancelJobsOf(inside, job.id)
          await announceExport(inside, (await readExport(inside, job.id))!, clock())
        }
        return failed
      })
      if (!canceled)
        throw new ApiError(409, 'job_final', `The job is ${job.status} already and cannot be canceled.`)
      return exportView((await readExport(database, job.id))!)
    },
  )

  typed(app).post(
    '/v1/static-export/jobs/:jobId/bundle',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Generate export bundle',
        description: 'Any number of times: the same bytes, a fresh link.',
        params,
        response: { 200: bundleSchema, ...errorResponses(401, 403, 404, 409, 410) },
      },
    },
    async (request, reply) => {
      const { archive, ...job } = withBundle(await ownExport(request, request.params.jobId))
      if (job.revokedAt !== null) {
        throw new ApiError(
          410,
          'bundle_revoked',
          `The bundle of this job was revoked on ${new Date(job.revokedAt).toISOString()}. Start another job.`,
        )
      }
      const link = { expiresInSeconds: dependencies.linkSeconds, nowMs: clock() }
      const bundleUrl = await objects.presignDownload(archive.key, { ...link, fileName: 'bundle.tar.gz' })
      return reply.header('cache-control', 'no-store').send({
        jobId: job.id,
        bundleUrl,
        sizeBytes: archive.sizeBytes,
        expiresAt: new Date(linkExpiresAtMs(link)).toISOString(),
        sha256: archive.sha256,
        version: job.version ?? archive.digest.slice(0, 12),
      })
    },
  )

  typed(app).delete(
    '/v1/static-export/jobs/:jobId/bundle',
    {
      onRequest,
      schema: {
        ...common,
        summary: 'Revoke an export bundle',
        description:
          'Every link to the bundle dies at once, and the job gives no more. Other exports of the same content give fresh links.',
        params,
        response: { 200: exportSchema, ...errorResponses(401, 403, 404, 409) },
      },
    },
    async (request) => {
      const job = withBundle(await ownExport(request, request.params.jobId))
      await revokeBundle({ database, objects, job, now: clock() })
      return exportView((await readExport(database, job.id))!)
    },
  )

  /** Which release, version and pages are meant; what does not exist is named. */
  const chosenPages = async (site: Site, body: z.infer<typeof startExportSchema>) => {
    const published = await dependencies.published.open(site)
    if (!published) {
      throw new ApiError(
        409,
        'site_not_published',
        `The site ${site.domain} has nothing published yet. Publish it, then export.`,
      )
    }
    const { versions, pages } = published.siteIndex
    const version = body.version ?? null
    if (version !== null && !versions.includes(version)) {
      const known = versions.length > 0 ? `It has ${versions.join(', ')}.` : 'It has no versions.'
      throw badField('version', `The site has no version ${JSON.stringify(version)}. ${known}`)
    }
    const paths = body.paths ? [...new Set(body.paths.map(pagePath))].sort() : null
    const known = new Set(pages.map((page) => page.path))
    const unknown = paths?.find((path) => !known.has(path))
    if (unknown !== undefined) throw badField('paths', `The site has no page ${JSON.stringify(unknown)}.`)
    return { releaseId: published.release.id, version, paths }
  }

  /** The row and its job are written together, or found again under the same idempotency key. */
  const startExport = (wanted: NewExport, idempotencyKey: string | undefined): Promise<Export> =>
    database.transaction(async (inside) => {
      if (idempotencyKey !== undefined) {
        const { organizationId, domain, version, paths, strict } = wanted
        const claim = await claimIdempotencyKey(inside, {
          organizationId,
          key: idempotencyKey,
          requestHash: digest({ domain, version, paths, strict }),
          exportId: wanted.id,
          now: clock(),
        })
        if (claim.type === 'repeat') return (await readExport(inside, claim.exportId))!
        if (claim.type === 'mismatch') {
          throw new ApiError(
            422,
            'idempotency_mismatch',
            'This Idempotency-Key was used for another request. Use a new key, or send the same body again.',
          )
        }
      }
      await createExport(inside, wanted)
      await enqueueJob(inside, {
        id: newId('job'),
        kind: exportJobKind,
        subject: wanted.id,
        organizationId: wanted.organizationId,
        now: wanted.createdAt,
      })
      return (await readExport(inside, wanted.id))!
    })

  const ownExport = async (request: FastifyRequest, jobId: string): Promise<Export> => {
    const job = await readExport(database, jobId)
    if (job?.organizationId === callerOf(request).organizationId) return job
    throw new ApiError(404, 'job_not_found', `There is no export job ${JSON.stringify(jobId.slice(0, 100))}.`)
  }
}

/** A job that has come to its bundle. */
function withBundle(job: Export): Export & { archive: NonNullable<Export['archive']> } {
  const { archive } = job
  if (job.status === 'completed' && archive) return { ...job, archive }
  if (job.status === 'failed') {
    throw new ApiError(409, 'job_failed', `The job failed and has no bundle: ${job.error} Start another one.`)
  }
  throw new ApiError(
    409,
    'job_not_completed',
    `The job is ${job.status}. Ask for the bundle once it is completed.`,
    { headers: { 'retry-after': '1' } },
  )
}

async function requireEnterprise(database: Database, organizationId: string): Promise<void> {
  const organization = await readOrganization(database, organizationId)
  if (organization?.plan === 'enterprise') return
  throw new ApiError(
    403,
    'plan_required',
    `Static export needs the plan enterprise; this organization is on ${organization?.plan ?? 'none'}. Ask whoever runs this server.`,
  )
}

function sendExport(request: FastifyRequest, reply: FastifyReply, job: Export) {
  const view = exportView(job)
  const etag = `"${digest(view).slice(0, 32)}"`
  void reply.header('etag', etag).header('cache-control', 'no-cache')
  if (job.status === 'queued' || job.status === 'running') void reply.header('retry-after', '1')
  const known = (request.headers['if-none-match'] ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
  if (known.includes(etag) || known.includes('*')) return reply.code(304).send(null)
  return reply.send(view)
}

function badField(path: string, message: string): ApiError {
  return new ApiError(400, 'invalid_request', message, { details: [{ path, message }] })
}

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

const writeCursor = (job: Export) => Buffer.from(`${job.createdAt} ${job.id}`).toString('base64url')

function readCursor(cursor: string): { createdAt: number; id: string } {
  const match = /^(\d{1,16}) (se_[0-9a-f]+)$/.exec(Buffer.from(cursor, 'base64url').toString())
  if (!match) throw badField('cursor', 'This cursor is none of ours. Use nextCursor of the page before.')
  return { createdAt: Number(match[1]), id: match[2]! }
}
