import { parse } from 'yaml'
import { z } from 'zod'
import type { SiteSettings } from '../bundle/index.ts'
import { DeploymentError, isFeatureOn } from './deployment-api.ts'

const endpoint = z.strictObject({
  endpoint: z.string().refine(isEndpoint, 'an address that begins with https://, http:// or /'),
  key: z.string().optional(),
})
const model = z
  .strictObject({
    url: z.string().refine(isWebAddress, 'an address that begins with https:// or http://').optional(),
    name: z.string().min(1),
    key: z.string().optional(),
  })
  .refine(
    ({ url, name }) => url !== undefined || /^(openai|anthropic|google):./.test(name),
    'a url, or a name such as openai:NAME, anthropic:NAME or google:NAME',
  )

const ownAssistant = z.strictObject({
  model,
  addressDailyLimit: z.int().min(1).default(1000),
  tokensPerDay: z.int().min(1).optional(),
})

const schema = z.strictObject({
  deployment: z.enum(['client-hosted', 'air-gapped']).default('client-hosted'),
  staticExport: z.strictObject({
    enabled: z.boolean().default(true),
    bundleUrl: z.string().min(1).optional(),
    version: z.coerce.string().optional(),
    sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, '64 hexadecimal digits')
      .transform((text) => text.toLowerCase())
      .optional(),
    refresh: z
      .strictObject({
        server: z.string().refine(isWebAddress, 'an address that begins with https:// or http://'),
        adminKey: z.string().min(1),
        jobId: z.string().min(1).optional(),
        domain: z.string().min(1).optional(),
      })
      .refine(
        (refresh) => (refresh.jobId === undefined) !== (refresh.domain === undefined),
        'one of jobId and domain',
      )
      .optional(),
    signature: z
      .strictObject({
        key: z.string().min(1),
        url: z.string().min(1).optional(),
        minimumVersion: z.coerce.string().min(1).optional(),
      })
      .optional(),
    pollSeconds: z
      .number()
      .min(1)
      .max(7 * 24 * 3600)
      .optional(),
    keepVersions: z.int().min(1).max(100).default(3),
    insecureHttp: z.boolean().default(false),
    limits: z
      .strictObject({
        maxFiles: z.int().positive(),
        maxFileBytes: z.int().positive(),
        maxTotalBytes: z.int().positive(),
        maxArchiveBytes: z.int().positive(),
        maxRatio: z.number().positive(),
      })
      .partial()
      .default({}),
  }),
  features: z
    .strictObject({
      search: z.union([z.boolean(), endpoint]).optional(),
      assistant: z.union([z.boolean(), endpoint, ownAssistant]).optional(),
      analytics: z.union([z.literal(false), endpoint]).optional(),
      playground: z.boolean().optional(),
    })
    .default({}),
  server: z
    .strictObject({
      host: z.string().default('127.0.0.1'),
      port: z.int().min(0).max(65535).default(8080),
      basePath: z
        .string()
        .regex(/^(\/[A-Za-z0-9._~-]+)*\/?$/, 'a path such as /docs')
        .transform((path) => path.replace(/\/$/, ''))
        .default(''),
      trustedProxies: z.int().min(0).max(10).default(0),
      drainSeconds: z.number().min(0).max(600).default(10),
      customScripts: z.boolean().default(true),
    })
    .prefault({}),
  data: z.string().min(1).default('./.quire-host'),
})

export type HostSettings = z.output<typeof schema>
export type RefreshSettings = NonNullable<HostSettings['staticExport']['refresh']>

/** A setting that is wrong, told with its key, its value and what is allowed. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

/** Reads `host.yaml`. `${NAME}` in a value stands for that variable of the environment, so that keys need not be in the file. */
export function readHostSettings(
  text: string,
  environment: Record<string, string | undefined>,
): HostSettings {
  let written: unknown
  try {
    written = parse(text)
  } catch (error) {
    throw new SettingsError(`The file is not YAML: ${error instanceof Error ? error.message : error}`)
  }
  const filled = fillIn(written ?? {}, environment, '')
  const parsed = schema.safeParse(filled)
  if (!parsed.success) {
    throw new SettingsError(parsed.error.issues.flatMap((issue) => sentences(issue, filled)).join('\n'))
  }
  const { staticExport } = parsed.data
  if (staticExport.enabled && staticExport.bundleUrl === undefined && staticExport.refresh === undefined) {
    throw new SettingsError(
      'staticExport.bundleUrl is missing. Give a link, a file:// address or a path; or staticExport.refresh; or set staticExport.enabled to false.',
    )
  }
  siteSettingsOf(parsed.data) // What the deployment type forbids is told at once.
  return parsed.data
}

/** What the pages are told, and which features this process answers itself. */
export function siteSettingsOf(settings: HostSettings): SiteSettings {
  const { deployment, features, server } = settings
  const asked = (value: unknown) => (value === undefined ? undefined : value !== false)
  const isOn = (feature: 'search' | 'assistant' | 'analytics' | 'playground') => {
    try {
      return isFeatureOn(feature, deployment, asked(features[feature]))
    } catch (error) {
      if (error instanceof DeploymentError) throw new SettingsError(error.message)
      throw error
    }
  }
  const answeredAt = (value: unknown, own: string) =>
    isEndpointSetting(value)
      ? { endpoint: value.endpoint, ...(value.key === undefined ? {} : { key: value.key }) }
      : { endpoint: `${server.basePath}${own}` }
  return {
    deployment,
    search: isOn('search')
      ? { type: 'server', ...answeredAt(features.search, ownSearchPath) }
      : { type: 'bundle' },
    assistant: isOn('assistant')
      ? { type: 'server', ...answeredAt(features.assistant, ownAssistantPath) }
      : { type: 'off' },
    analytics: isOn('analytics')
      ? { type: 'server', ...answeredAt(features.analytics, '') }
      : { type: 'off' },
    playground: isOn('playground') ? { type: 'on' } : { type: 'off' },
  }
}

/** Which features this process answers itself, from the bundle that is live. */
export function answeredHere({ features }: HostSettings): {
  search: boolean
  assistant: boolean
} {
  const isHere = (value: unknown) => value !== undefined && value !== false && !isEndpointSetting(value)
  return { search: isHere(features.search), assistant: isHere(features.assistant) }
}

export function isEndpointSetting(value: unknown): value is { endpoint: string; key?: string } {
  return typeof value === 'object' && value !== null && 'endpoint' in value
}

/** The self-hosted deployment has one site, so that its own endpoints need no name of their own. */
export const ownSiteName = 'site'
export const ownSearchPath = `/discovery/v1/search/${ownSiteName}`
export const ownAssistantPath = `/discovery/v2/assistant/${ownSiteName}/message`

function fillIn(value: unknown, environment: Record<string, string | undefined>, key: string): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const found = environment[name]
      if (found === undefined) throw new SettingsError(`${key} names the variable ${name}, which is not set.`)
      return found
    })
  }
  if (Array.isArray(value)) return value.map((item, index) => fillIn(item, environment, `${key}.${index}`))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        fillIn(inner, environment, key === '' ? name : `${key}.${name}`),
      ]),
    )
  }
  return value
}

function sentences(issue: z.core.$ZodIssue, root: unknown): string[] {
  const key = issue.path.join('.') || 'the file'
  const value = valueAt(root, issue.path)
  const shown = /key/i.test(key) ? '(not shown)' : JSON.stringify(value)
  if (issue.code === 'unrecognized_keys') {
    const prefix = issue.path.length === 0 ? '' : `${key}.`
    return issue.keys.map(
      (name) => `${prefix}${name} is not a setting. Allowed here: ${allowedKeys(issue.path)}.`,
    )
  }
  if (value === undefined) return [`${key} is missing. Allowed: ${allowed(issue)}.`]
  return [`${key} is ${shown}. Allowed: ${allowed(issue)}.`]
}

function allowed(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return issue.values.map(String).join(', ')
    case 'invalid_type':
      return `a ${issue.expected === 'int' ? 'whole number' : issue.expected}`
    case 'too_small':
      return issue.origin === 'string' ? 'a text that is not empty' : `${issue.minimum} or more`
    case 'too_big':
      return `${issue.maximum} or less`
    case 'invalid_union':
      return [
        ...new Set(
          issue.errors
            .flat()
            .map((inner) =>
              inner.path.length === 0 ? allowed(inner) : `an object with ${inner.path.join('.')}`,
            ),
        ),
      ].join(', or ')
    case 'unrecognized_keys':
      return `no key ${issue.keys.join(', ')}`
    default:
      return issue.message
  }
}

function allowedKeys(path: PropertyKey[]): string {
  const shapes: Record<string, object> = {
    '': schema.shape,
    staticExport: schema.shape.staticExport.shape,
    'staticExport.signature': schema.shape.staticExport.shape.signature.unwrap().shape,
    features: schema.shape.features.unwrap().shape,
    server: schema.shape.server.unwrap().shape,
  }
  const shape = shapes[path.join('.')]
  return shape === undefined ? 'see quire host --help' : Object.keys(shape).join(', ')
}

function valueAt(root: unknown, path: PropertyKey[]): unknown {
  let value = root
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, part)
  }
  return value
}

function isEndpoint(text: string): boolean {
  return text.startsWith('/') ? !text.startsWith('//') : isWebAddress(text)
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['https:', 'http:'].includes(new URL(text).protocol)
}
