import { z } from 'zod'
import { failedPageSchema } from '../sites/sites-api.ts'

export const exportStatuses = ['queued', 'running', 'completed', 'failed'] as const

export const startExportSchema = z
  .object({
    domain: z
      .string()
      .min(1)
      .max(253)
      .describe(
        "The domain to export: the site's identifier, its hosted host name or one of its own host names.",
      ),
    version: z
      .string()
      .min(1)
      .max(200)
      .nullish()
      .describe('Only the pages of this version of the documentation.'),
    paths: z.array(z.string().min(1).max(1_000)).min(1).max(10_000).nullish().describe('Only these pages.'),
  })
  .meta({ id: 'StartExport' })

export const exportSchema = z
  .object({
    jobId: z.string().describe('Identifier of the job; used in later paths.'),
    status: z.enum(exportStatuses),
    progress: z.number().int().min(0).max(100).describe('Per cent done; never goes down.'),
    pageCount: z.number().int().describe('Pages rendered so far.'),
    pagesTotal: z.number().int().nullable().describe('Pages to render, once that is known.'),
    domain: z.string(),
    version: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
    error: z.string().nullable().describe('Why the job failed; null otherwise.'),
    code: z.string().nullable().describe('A stable name of the failure, such as canceled.'),
    failedPages: z
      .array(failedPageSchema)
      .describe('Pages that could not be rendered, each with its place in the source.'),
    warnings: z.array(z.string()),
    bundleRevokedAt: z.string().nullable().describe('When its bundle was taken back; null otherwise.'),
  })
  .meta({ id: 'ExportJob' })
export type ExportView = z.infer<typeof exportSchema>

export const bundleSchema = z
  .object({
    jobId: z.string(),
    bundleUrl: z.string().describe('Presigned link to the archive; download it before it expires.'),
    sizeBytes: z.number().int(),
    expiresAt: z.string(),
    sha256: z.string(),
    version: z.string().describe("The exported version, or the beginning of the bundle's name by content."),
  })
  .meta({ id: 'ExportBundle' })
