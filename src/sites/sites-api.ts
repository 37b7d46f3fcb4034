import { z } from 'zod'
import type { FailedPage, Problem } from '../compiler/compiler-api.ts'

export const plans = ['free', 'pro', 'enterprise'] as const
export const planSchema = z.enum(plans)
export type Plan = z.infer<typeof planSchema>

/** A site's identifier: the part of its address that names it. */
export const domainSchema = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'use 1 to 63 lower-case letters, digits and inner hyphens')
  .describe("The site's identifier, such as acme.")

export const hostNameSchema = z
  .string()
  .max(253)
  .regex(
    /^(?=.{1,253}$)([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/,
    'use a host name such as docs.acme.com',
  )

export const problemSchema = z
  .object({
    severity: z.enum(['error', 'warning']),
    code: z.string(),
    file: z.string(),
    line: z.number().int(),
    column: z.number().int(),
    message: z.string(),
    hint: z.string(),
  })
  .meta({ id: 'Problem' }) satisfies z.ZodType<Problem>

export const failedPageSchema = z
  .object({
    path: z.string(),
    file: z.string(),
    line: z.number().int(),
    column: z.number().int(),
    message: z.string(),
    hint: z.string(),
  })
  .meta({ id: 'FailedPage' }) satisfies z.ZodType<FailedPage>

export const releaseStatuses = ['queued', 'compiling', 'ready', 'failed'] as const

export const releaseSchema = z
  .object({
    releaseId: z.string(),
    number: z.number().int().describe('Counts the releases of the site from 1.'),
    status: z.enum(releaseStatuses),
    live: z.boolean().describe('True for the release that readers see.'),
    pageCount: z.number().int(),
    problems: z.array(problemSchema).describe("The author's mistakes, each at its file, line and column."),
    failedPages: z.array(failedPageSchema),
    error: z.string().nullable().describe('Why a failed release failed.'),
    digest: z.string().nullable().describe("The bundle's name by content."),
    createdAt: z.string(),
    finishedAt: z.string().nullable(),
  })
  .meta({ id: 'Release' })
export type ReleaseView = z.infer<typeof releaseSchema>

export const releaseSummarySchema = releaseSchema
  .omit({ problems: true, failedPages: true })
  .extend({ problemCount: z.number().int() })
  .meta({ id: 'ReleaseSummary' })

export const siteSchema = z
  .object({
    domain: z.string(),
    name: z.string(),
    hosts: z.array(z.string()),
    url: z.string().describe("The site's address."),
    customScripts: z.boolean().describe("Whether the project's own scripts run in its pages."),
    liveRelease: z
      .object({
        releaseId: z.string(),
        number: z.number().int(),
        pageCount: z.number().int(),
        digest: z.string().nullable(),
      })
      .nullable(),
    createdAt: z.string(),
  })
  .meta({ id: 'Site' })
export type SiteView = z.infer<typeof siteSchema>

export const keySchema = z
  .object({
    keyId: z.string(),
    kind: z.enum(['admin', 'assistant']),
    name: z.string(),
    domain: z.string().nullable().describe('The site of an assistant key.'),
    display: z.string().describe('What may be shown of the key: its beginning and its last four characters.'),
    origins: z.array(z.string()).describe('Origins that may use an assistant key; `*` stands for all.'),
    createdAt: z.string(),
    expiresAt: z.string().nullable(),
    lastUsedAt: z.string().nullable(),
    revokedAt: z.string().nullable(),
  })
  .meta({ id: 'Key' })
export type KeyView = z.infer<typeof keySchema>

export const newKeySchema = keySchema
  .extend({ key: z.string().describe('Shown this once.') })
  .meta({ id: 'NewKey' })

export const expiryDaysSchema = z
  .union([z.literal(7), z.literal(30), z.literal(60), z.literal(90), z.null()])
  .default(90)
  .describe('Days until the key expires: 7, 30, 60 or 90, or null for never.')
