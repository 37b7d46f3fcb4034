import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { type Database, type LanguageModel, migrate, openDatabase } from '../backends/index.ts'
import type { SiteIndex } from '../bundle/bundle-api.ts'
import { ApiError, installCors, installErrorHandling } from '../http/index.ts'
import type { IndexedPage } from '../search/search-api.ts'
import { indexOf } from '../search/testing.ts'
import { type AssistantDependencies, assistantRoutes } from './assistant-routes.ts'
import { type AssistantSettings, defaultAssistantSettings } from './assistant-settings.ts'
import { assistantMigrations, storeExchanges } from './assistant-store.ts'
import type { AnswerSite } from './passages.ts'

const page = (
  path: string,
  title: string,
  sections: [anchor: string, heading: string, text: string, code?: string][],
  more: Partial<IndexedPage> = {},
): IndexedPage => ({
  path,
  title,
  description: '',
  sections: sections.map(([anchor, heading, text, code]) => ({
    ...(anchor === '' ? {} : { anchor }),
    heading,
    text,
    code: code === undefined ? [] : [{ language: 'bash', text: code }],
  })),
  ...more,
})

/** The documentation of a small kiln controller, which no model has read anywhere. */
export const kilnPages: IndexedPage[] = [
  page('index', 'Kiln', [['', '', 'Kiln is a controller for ceramic kilns. It fires pots on a schedule.']]),
  page('guide/install', 'Install Kiln', [
    ['', '', 'Kiln runs on any small computer with a serial port.'],
    [
      'with-npm',
      'With npm',
      'Install the command line with npm. It needs Node 20 or newer.',
      'npm install --global kiln-control',
    ],
    ['from-source', 'From source', 'Clone the repository and run the build script.', 'make firmware'],
  ]),
  page('guide/schedules', 'Firing schedules', [
    ['', '', 'A firing schedule is a list of ramps and holds. Each ramp has a rate in degrees per hour.'],
    [
      'bisque',
      'Bisque firing',
      'A bisque firing climbs slowly to 1000 degrees so that water can leave the clay.',
      'kiln fire --schedule bisque',
    ],
    ['glaze', 'Glaze firing', 'A glaze firing climbs to 1240 degrees and holds for ten minutes.'],
  ]),
  page('reference/errors', 'Error codes', [
    [
      'err-4012',
      'ERR_4012',
      'The thermocouple is disconnected. Check the yellow plug, then restart. See https://parts.example.com/plug for spares.',
    ],
  ]),
]

export const kilnSite: SiteIndex = {
  name: 'Kiln',
  description: '',
  home: 'index',
  versions: [],
  languages: [],
  redirects: [],
  pages: kilnPages.map(({ path, title }) => ({ path, title, description: '', searchable: true })),
}

export async function kilnAnswerSite(more: Partial<AnswerSite> = {}): Promise<AnswerSite> {
  return {
    index: await indexOf(kilnPages),
    site: kilnSite,
    siteUrl: 'https://kiln.example',
    readPage: async (path) => {
      const found = kilnPages.find((one) => one.path === path)
      if (!found) return null
      const parts = found.sections.map(({ heading, text, code }) =>
        [
          heading && `## ${heading}`,
          text,
          ...code.map((block) => `\`\`\`${block.language}\n${block.text}\n\`\`\``),
        ].join('\n\n'),
      )
      return `# ${found.title}\n\n${parts.join('\n\n')}`
    },
    instructions: null,
    ...more,
  }
}

export type TestAssistant = {
  /** Such as `http://127.0.0.1:4000/discovery/v1/assistant/kiln/message`. */
  v1: string
  v2: string
  origin: string
  key: string
  database: Database
  post(
    version: 1 | 2,
    body: unknown,
    init?: { headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Response>
}

/** A server with only the message endpoints, over the kiln's documentation, on a port of its own. */
export async function startTestAssistant(
  context: Pick<TestContext, 'after'>,
  input: {
    model?: LanguageModel | null
    settings?: Partial<AssistantSettings>
    site?: Partial<AnswerSite>
    countRequest?: AssistantDependencies['countRequest']
    clock?: () => number
    /** That of another assistant, as several nodes share one. */
    database?: Database
  } = {},
): Promise<TestAssistant> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-assistant-'))
  const database = input.database ?? (await openDatabase(join(folder, 'quire.sqlite')))
  await migrate(database, assistantMigrations, 0)
  const site = await kilnAnswerSite(input.site)
  const key = 'test-key'
  const app = Fastify({ forceCloseConnections: true })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  installErrorHandling(app)
  installCors(app, () => true)
  let issued = 0
  assistantRoutes(app, {
    authorize: async (request, domain) => {
      if (request.headers.authorization !== `Bearer ${key}`) {
        throw new ApiError(401, 'invalid_key', 'The key is not valid.')
      }
      if (domain !== 'kiln') throw new ApiError(404, 'not_found', 'There is no such site.')
      return { organizationId: 'org', siteId: 'site', domain, siteUrl: site.siteUrl }
    },
    openSite: async () => site,
    countRequest: input.countRequest ?? (async () => undefined),
    database,
    model: input.model ?? null,
    clock: input.clock ?? Date.now,
    ids: (prefix) => {
      issued += 1
      return `${prefix}_${issued}`
    },
    settings: { ...defaultAssistantSettings, ...input.settings },
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  context.after(async () => {
    await app.close()
    if (!input.database) await database.close()
    await rm(folder, { recursive: true, force: true })
  })
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const urls = {
    v1: `${origin}/discovery/v1/assistant/kiln/message`,
    v2: `${origin}/discovery/v2/assistant/kiln/message`,
  }
  return {
    ...urls,
    origin,
    key,
    database,
    post: (version, body, init = {}) =>
      fetch(version === 1 ? urls.v1 : urls.v2, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...(init.signal ? { signal: init.signal } : {}),
      }),
  }
}

export const askV1 = (text: string, more: Record<string, unknown> = {}) => ({
  fp: 'anonymous',
  messages: [{ id: 'm1', role: 'user', content: text, parts: [{ type: 'text', text }] }],
  ...more,
})

export const askV2 = (text: string, more: Record<string, unknown> = {}) => ({
  id: 'chat-0123456789abcdef',
  fp: 'anonymous',
  trigger: 'submit-message',
  messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }],
  ...more,
})

export type V1Line = { code: string; value: unknown }

export const readV1 = (body: string): V1Line[] =>
  body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ code: line[0]!, value: JSON.parse(line.slice(2)) }))

export const textV1 = (body: string): string =>
  readV1(body)
    .filter((line) => line.code === '0')
    .map((line) => line.value)
    .join('')

export const readV2 = (body: string): Record<string, unknown>[] =>
  body
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)) as Record<string, unknown>)

export const textV2 = (body: string): string =>
  readV2(body)
    .filter((chunk) => chunk.type === 'text-delta')
    .map((chunk) => chunk.delta)
    .join('')

/** A question and its answer as they are stored. */
export const exchange = ({
  threadId,
  fp = 'reader',
  siteId = 'site',
  askedAt = 86_400_000,
}: {
  threadId: string
  fp?: string
  siteId?: string
  askedAt?: number
}) => ({
  siteId,
  organizationId: 'org',
  fp,
  threadId,
  questionId: `${threadId}-q${askedAt}`,
  question: `How hot is ${threadId}?`,
  answerId: `${threadId}-a${askedAt}`,
  answer: 'Very.',
  status: 'complete' as const,
  outcome: 'answered' as const,
  sources: [{ id: 'source-1', url: 'https://kiln.example/', title: 'Kiln', path: 'index' }],
  usage: { inputTokens: 10, outputTokens: 5 },
  reservedTokens: 0,
  firstByteMs: 3,
  durationMs: 9,
  model: 'scripted',
  apiVersion: 2 as const,
  currentPath: '/guide',
  chat: null,
  askedAt,
  answeredAt: askedAt + 9,
})

export const storeExchange = ({
  database,
  ...stored
}: Parameters<typeof storeExchanges>[1][number] & { database: Database }) =>
  storeExchanges(database, [stored])
