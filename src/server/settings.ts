import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'

/** A number as a flag, an environment variable or a file writes it. */
const wholeNumber = (minimum: number, maximum: number) =>
  z.coerce
    .number({ error: `a whole number from ${minimum} to ${maximum}` })
    .int({ error: `a whole number from ${minimum} to ${maximum}` })
    .min(minimum, { error: `a whole number from ${minimum} to ${maximum}` })
    .max(maximum, { error: `a whole number from ${minimum} to ${maximum}` })
const address = z.url({ protocol: /^https?$/, error: 'an address such as https://docs.example.com' })

/**
 * Every setting of the server. Each can be a flag (`--public-url`), an environment variable (`QUIRE_PUBLIC_URL`) or a key
 * of the file that `--config` names (`publicUrl`); a flag wins over the environment, the environment over the file.
 */
export const settingsSchema = z.strictObject({
  data: z.string().min(1).default('./.quire').describe('the folder of everything that is kept'),
  host: z.string().min(1).default('127.0.0.1').describe('the address to listen on; 0.0.0.0 for all'),
  port: wholeNumber(0, 65_535).default(4000).describe('the port to listen on; 0 for a free one'),
  publicUrl: address.optional().describe('how this server is reached from outside; links begin with it'),
  role: z
    .enum(['all', 'api', 'worker'], { error: 'one of all, api, worker' })
    .default('all')
    .describe('what this node does: all, api or worker'),
  docs: z.string().min(1).optional().describe('a docs folder to publish at start and whenever it changes'),
  site: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, {
      error: 'lower-case letters, digits and inner hyphens',
    })
    .optional()
    .describe('the site that --docs is published to; docs by default'),
  databaseUrl: z
    .string()
    .regex(/^postgres(ql)?:\/\//, { error: 'an address such as postgres://user:password@host/database' })
    .optional()
    .describe('a PostgreSQL database; without it, SQLite in the data folder'),
  objects: z
    .string()
    .min(1)
    .optional()
    .describe('s3://bucket/prefix?endpoint=…; without it, a folder in the data folder'),
  model: z
    .string()
    .min(1)
    .optional()
    .describe('the language model, such as anthropic:claude-sonnet-4-5; none by default'),
  modelUrl: address.optional().describe('the address of an OpenAI-compatible server'),
  modelKey: z.string().min(1).optional().describe('the key for the model'),
  fallbackModel: z.string().min(1).optional().describe('asked when the first model cannot answer'),
  fallbackModelUrl: address.optional().describe('the address of the server of the second model'),
  fallbackModelKey: z.string().min(1).optional().describe('the key for the second model'),
  embeddingModel: z
    .string()
    .min(1)
    .optional()
    .describe('makes vectors for search, such as openai:text-embedding-3-small; none by default'),
  embeddingModelUrl: address.optional().describe('the address of its OpenAI-compatible server'),
  embeddingModelKey: z.string().min(1).optional().describe('the key for the embedding model'),
  embeddingDimensions: wholeNumber(16, 4096).optional().describe('how long its vectors are to be'),
  embeddingQuestionPrefix: z.string().optional().describe('stands before a question in its calls'),
  embeddingPassagePrefix: z.string().optional().describe('stands before a passage in its calls'),
  tokensPerDay: wholeNumber(1, 1e12)
    .optional()
    .describe('a hard cap of model tokens per organization and day'),
  linkSeconds: wholeNumber(60, 604_800).default(3600).describe('how long a download link lives'),
  organizationHourlyLimit: wholeNumber(1, 1e9)
    .default(10_000)
    .describe('assistant requests an hour per organization'),
  addressDailyLimit: wholeNumber(1, 1e9).default(10_000).describe('assistant requests a day per IP address'),
  trustedProxies: wholeNumber(0, 20)
    .default(0)
    .describe('how many proxies in front of this server are your own'),
  maxUploadMegabytes: wholeNumber(1, 100_000)
    .default(1024)
    .describe('the largest docs project that may be uploaded'),
  keepExportDays: wholeNumber(1, 36_500).default(30).describe('how many days a finished export is kept'),
  keepReleases: wholeNumber(1, 10_000)
    .default(20)
    .describe('how many releases of a site are kept for a rollback'),
  keepThreadDays: wholeNumber(1, 3650)
    .default(365)
    .describe('how many days what readers asked is kept after their last question'),
  jobs: wholeNumber(1, 64).default(2).describe('how many jobs this node works on at once'),
  drainSeconds: wholeNumber(0, 600)
    .default(20)
    .describe('how long running answers may take to end at a shutdown'),
  sunset: z.iso
    .date({ error: 'a date such as 2027-11-01' })
    .default('2027-11-01')
    .describe('the day on which v1 of the assistant may end'),
  logLevel: z
    .enum(['silent', 'error', 'warn', 'info', 'debug'], { error: 'one of silent, error, warn, info, debug' })
    .default('warn')
    .describe('silent, error, warn, info or debug'),
})

export type Settings = z.infer<typeof settingsSchema>

export type SettingName = keyof Settings

/** A setting that is wrong: named, with what is allowed. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

export const flagOf = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
export const variableOf = (name: string) =>
  `QUIRE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`

/** Reads flags, environment and file into settings, or throws a SettingsError that names every one that is wrong. */
export function readSettings(input: {
  flags: Record<string, string | undefined>
  environment: Record<string, string | undefined>
}): Settings {
  const file = input.flags.config ?? input.environment.QUIRE_CONFIG
  const fromFile = file === undefined ? {} : readFile(resolve(file))
  const chosen: Record<string, unknown> = { ...fromFile }
  const places = new Map<string, string>(Object.keys(fromFile).map((name) => [name, `${name} in ${file}`]))
  for (const name of Object.keys(settingsSchema.shape)) {
    const variable = input.environment[variableOf(name)]
    if (variable !== undefined && variable !== '') {
      chosen[name] = variable
      places.set(name, variableOf(name))
    }
    const flag = input.flags[name]
    if (flag !== undefined) {
      chosen[name] = flag
      places.set(name, flagOf(name))
    }
  }
  const parsed = settingsSchema.safeParse(chosen)
  if (parsed.success) return checkTogether(parsed.data)
  throw new SettingsError(
    parsed.error.issues.flatMap((issue) => describeIssue(issue, chosen, places)).join('\n'),
  )
}

function checkTogether(settings: Settings): Settings {
  if (settings.modelUrl && !settings.model) {
    throw new SettingsError('QUIRE_MODEL_URL is set, but no model: name one with --model (QUIRE_MODEL).')
  }
  if (settings.embeddingModelUrl && !settings.embeddingModel) {
    throw new SettingsError(
      'QUIRE_EMBEDDING_MODEL_URL is set, but no model: name one with --embedding-model (QUIRE_EMBEDDING_MODEL).',
    )
  }
  if (settings.embeddingModel && !settings.embeddingModelUrl && !/^openai:./.test(settings.embeddingModel)) {
    throw new SettingsError(
      '--embedding-model takes openai:NAME, or any name together with --embedding-model-url (QUIRE_EMBEDDING_MODEL_URL).',
    )
  }
  if (settings.role !== 'all' && !settings.databaseUrl) {
    throw new SettingsError(
      `--role ${settings.role} needs a database that several nodes share: set QUIRE_DATABASE_URL, or use --role all.`,
    )
  }
  if (settings.databaseUrl && !settings.objects) {
    throw new SettingsError(
      'With QUIRE_DATABASE_URL, objects must be shared as well: set QUIRE_OBJECTS to s3://bucket, or to a folder that all nodes share.',
    )
  }
  return settings
}

function describeIssue(
  issue: z.core.$ZodIssue,
  chosen: Record<string, unknown>,
  places: Map<string, string>,
): string[] {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(settingsSchema.shape).join(', ')
    return issue.keys.map((key) => `${places.get(key) ?? key} is no setting. There are: ${known}.`)
  }
  const name = String(issue.path[0])
  const secret = /key|url/i.test(name) ? 'what was given' : JSON.stringify(chosen[name])
  return [`${places.get(name) ?? name}: ${secret} does not fit; it takes ${issue.message}.`]
}

function readFile(file: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new SettingsError(`The settings file ${file} cannot be read. Check the path given to --config.`)
  }
  let value: unknown
  try {
    value = parseYaml(text)
  } catch (error) {
    throw new SettingsError(
      `The settings file ${file} is not valid YAML: ${error instanceof Error ? error.message : error}`,
    )
  }
  if (value === null || value === undefined) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return { ...value }
  throw new SettingsError(`The settings file ${file} must hold settings as key: value lines.`)
}

/** The settings as lines of help. */
export function describeSettings(): string {
  const rows = Object.entries(settingsSchema.shape).map(([name, schema]) => [
    `  ${flagOf(name)}`,
    schema.description ?? '',
  ])
  const width = Math.max(...rows.map(([flag]) => flag!.length)) + 2
  return rows.map(([flag, text]) => `${flag!.padEnd(width)}${text}`).join('\n')
}
