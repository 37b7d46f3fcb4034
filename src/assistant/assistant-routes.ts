import { createHash } from 'node:crypto'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { type Database, type LanguageModel, ModelError } from '../backends/index.ts'
import { ApiError } from '../http/index.ts'
import { errorResponses } from '../sites/index.ts'
import { answerQuestion } from './answer-question.ts'
import { AnswerStreams, keptMs } from './answer-streams.ts'
import { type AssistantInfo, assistantInfoSchema } from './assistant-api.ts'
import type { AssistantSettings } from './assistant-settings.ts'
import { readThread, reserveTokens } from './assistant-store.ts'
import { encodeV1, headersV1, keepAliveV1 } from './encode-v1.ts'
import { encodeV2, headersV2, keepAliveV2 } from './encode-v2.ts'
import { readEndedAnswer } from './ended-answers-store.ts'
import { ExchangeWriter } from './exchange-writer.ts'
import type { AnswerSite } from './passages.ts'
import {
  type AssistantQuestion,
  bodyV1Schema,
  bodyV2Schema,
  readRequestV1,
  readRequestV2,
  type Turn,
} from './read-request.ts'
import { replayAnswer } from './replay-answer.ts'
import { type RunningAnswer, runAnswer } from './run-answer.ts'
import { sendStream } from './send-stream.ts'
import { SharedAnswer } from './shared-answer.ts'
import { supportAddress } from './site-address.ts'
import { type Feedback, feedbackSchema } from './threads-api.ts'
import { storeFeedback } from './threads-store.ts'

export type AuthorizedSite = { organizationId: string; siteId: string; domain: string; siteUrl: string }

export type AssistantDependencies = {
  /** Who asks, by the request's key; throws an ApiError. */
  authorize(request: FastifyRequest, domain: string): Promise<AuthorizedSite>
  /** The site's live release. */
  openSite(siteId: string): Promise<Omit<AnswerSite, 'siteUrl'>>
  /** Throws an ApiError 429 when a limit is used up; what it returns is sent as headers. */
  countRequest(who: { organizationId: string; ip: string }): Promise<Record<string, string> | undefined>
  database: Database
  model: LanguageModel | null
  clock: () => number
  /** A new identifier with this prefix. */
  ids: (prefix: string) => string
  settings: AssistantSettings
}

/** The message endpoints, v1 and v2, at `/discovery/…` and at the root. */
export function assistantRoutes(app: FastifyInstance, dependencies: AssistantDependencies): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  const assistant = new Assistant(dependencies)
  app.addHook('onSend', async (request, reply) => {
    const domain = /^(?:\/discovery)?\/v1\/assistant\/([^/?]+)\/message(?:[?]|$)/.exec(request.url)?.[1]
    if (domain) reply.headers(deprecationHeaders(domain, dependencies.settings))
  })
  const params = z.object({
    domain: z
      .string()
      .describe("The site's domain identifier: the subdomain part of the site's hosted address."),
  })
  for (const base of ['/discovery', '']) {
    const hide = base === '' // The same endpoints; the description names those under /discovery.
    const shared = {
      bodyLimit: dependencies.settings.bodyLimitBytes,
      onRequest: (request: FastifyRequest) => assistant.authorize(request),
    }
    routes.post(
      `${base}/v1/assistant/:domain/message`,
      {
        ...shared,
        schema: {
          summary: 'Create assistant message (v1, deprecated)',
          description:
            'A streamed answer from the documentation of a site, in the data stream protocol of AI SDK 4. The thread is in the header X-Thread-Id and in the finish event.',
          tags: ['Assistant'],
          deprecated: true,
          hide,
          security: [{ assistantKey: [] }],
          params,
          body: bodyV1Schema,
          response: { 200: streamOf('text/plain', 'The data stream of AI SDK 4.'), ...refusals },
        },
      },
      (request, reply) => assistant.answer(1, readRequestV1(request.body), reply),
    )
    routes.post(
      `${base}/v2/assistant/:domain/message`,
      {
        ...shared,
        schema: {
          summary: 'Create assistant message (v2)',
          description:
            'A streamed answer from the documentation of a site, as the UI message stream of AI SDK 5, 6 and 7. The thread is in the header X-Thread-Id and in the metadata of the message.',
          tags: ['Assistant'],
          hide,
          security: [{ assistantKey: [] }],
          params,
          body: bodyV2Schema,
          response: {
            200: streamOf('text/event-stream', 'The UI message stream of AI SDK 5, 6 and 7.'),
            ...refusals,
          },
        },
      },
      (request, reply) => assistant.answer(2, readRequestV2(request.body), reply),
    )
    routes.post(
      `${base}/v1/assistant/:domain/feedback`,
      {
        ...shared,
        schema: {
          summary: 'Say whether an answer helped',
          tags: ['Assistant'],
          hide,
          security: [{ assistantKey: [] }],
          params,
          body: feedbackSchema,
          response: { 204: z.null(), ...errorResponses(400, 401, 403, 404) },
        },
      },
      async (request, reply) => {
        await assistant.takeFeedback(request.body, request)
        await reply.code(204).send(null)
      },
    )
    routes.get(
      `${base}/v1/assistant/:domain`,
      {
        ...shared,
        schema: {
          summary: 'What a chat about a site may begin with',
          tags: ['Assistant'],
          hide,
          security: [{ assistantKey: [] }],
          params,
          response: { 200: assistantInfoSchema, ...errorResponses(401, 403, 404) },
        },
      },
      (request) => assistant.describe(request),
    )
    routes.get(
      `${base}/v2/assistant/:domain/message/:chatId/stream`,
      {
        ...shared,
        schema: {
          summary: 'Resume an assistant stream (v2)',
          description:
            'The stream of a chat again from its beginning, live where this node still writes it, and for five minutes after its end on every node; 204 where there is none to resume.',
          tags: ['Assistant'],
          hide,
          security: [{ assistantKey: [] }],
          params: params.extend({ chatId: z.string().describe("The client's name of the chat.") }),
          response: {
            200: streamOf('text/event-stream', 'The stream from its beginning.'),
            204: z.null().describe('Nothing to resume.'),
            ...errorResponses(401, 403, 404),
          },
        },
      },
      (request, reply) => assistant.resume(request.params.chatId, reply),
    )
  }
}

const refusals = errorResponses(400, 401, 403, 404, 413, 415, 429, 502, 503, 504)

const streamOf = (mediaType: string, description: string) => ({
  description,
  content: { [mediaType]: { schema: z.string() } },
})

class Assistant {
  readonly #given: AssistantDependencies
  readonly #callers = new WeakMap<FastifyRequest, AuthorizedSite>()
  readonly #streams: AnswerStreams
  readonly #writer: ExchangeWriter
  /** The model's last call failed before its first word, so the next is waited for. */
  #modelIsFailing = false

  constructor(dependencies: AssistantDependencies) {
    this.#given = dependencies
    this.#streams = new AnswerStreams(dependencies.clock)
    this.#writer = new ExchangeWriter(dependencies)
  }

  /** Before the body is read: who may not ask sends nothing. */
  async authorize(request: FastifyRequest): Promise<void> {
    const { domain } = request.params as { domain: string }
    this.#callers.set(request, await this.#given.authorize(request, domain))
  }

  async answer(version: 1 | 2, asked: AssistantQuestion, reply: FastifyReply): Promise<void> {
    const caller = this.#caller(reply.request)
    const { database, model, clock, ids, settings } = this.#given
    checkConversation(asked)
    const limits = await this.#given.countRequest({
      organizationId: caller.organizationId,
      ip: reply.request.ip,
    })
    const reservedTokens = model ? await this.#reserve(caller) : 0
    const site = { ...(await this.#given.openSite(caller.siteId)), siteUrl: caller.siteUrl }
    const thread = asked.threadId
      ? await readThread({ database, threadId: asked.threadId, siteId: caller.siteId, fp: asked.fp })
      : null
    const threadId = thread?.id ?? ids('thread')
    const messageId = asked.continuesMessageId ?? ids('msg')
    const leaving = new AbortController()
    const askedAt = clock()

    const mayResume = version === 2 && this.#streams.mayResume(asked.chatId)
    const chat = mayResume ? chatKey(caller, asked.chatId!, reply.request) : null
    const leftEarly = () => leaving.abort()
    const answer = new SharedAnswer({
      threadId,
      keep: mayResume,
      abandonAfterMs: mayResume ? settings.abandonAfterMs : 0,
      onAbandon: leftEarly,
    })
    const running = runAnswer({
      events: answerQuestion({
        ...asked,
        history: mergeTurns(thread?.turns ?? [], asked),
        site,
        model,
        limits: settings,
        newId: ids,
        signal: leaving.signal,
      }),
      encoder: (version === 1 ? encodeV1 : encodeV2)({ threadId, messageId }),
      answer,
      clock,
      store: (record) =>
        this.#writer.store({
          siteId: caller.siteId,
          organizationId: caller.organizationId,
          fp: asked.fp,
          threadId,
          questionId: ids('msg'),
          question: asked.question,
          answerId: asked.continuesMessageId ? ids('msg') : messageId,
          answer: record.text,
          status: record.status,
          outcome: record.outcome,
          sources: record.sources,
          usage: record.usage,
          reservedTokens,
          firstByteMs: record.firstByteMs,
          durationMs: record.durationMs,
          model: model?.name ?? null,
          apiVersion: version,
          currentPath: asked.currentPath,
          chat,
          askedAt,
          answeredAt: clock(),
        }),
      failureMessage: brokenOff,
      onFirstText: () => {
        this.#modelIsFailing = false
      },
      onFailure: (error, { hasText }) => {
        if (error instanceof ModelError && !hasText) this.#modelIsFailing = true
        if (!leaving.signal.aborted) reply.log.error({ err: error }, 'the answer failed on its way')
      },
    })
    reply.raw.once('close', leftEarly)
    await this.#begin(running, reply.log)
    reply.raw.off('close', leftEarly)

    if (chat !== null) this.#streams.add(chat, answer)
    if (limits) reply.headers(limits)
    if (version === 1) reply.headers(deprecationHeaders(caller.domain, settings))
    await this.#send(version, answer, reply)
  }

  async describe(request: FastifyRequest): Promise<AssistantInfo> {
    const { siteId, siteUrl } = this.#caller(request)
    const { site } = await this.#given.openSite(siteId)
    return {
      starterQuestions: site.assistant?.starterQuestions ?? [],
      supportUrl: supportAddress({ site, siteUrl }),
    }
  }

  async takeFeedback(feedback: Feedback, request: FastifyRequest): Promise<void> {
    const { siteId } = this.#caller(request)
    const { database } = this.#given
    const isPossible =
      /^[\w-]{1,100}$/.test(feedback.threadId) && !`${feedback.fp}${feedback.messageId}`.includes('\0')
    if (isPossible && (await storeFeedback({ database, siteId, feedback }))) return
    throw new ApiError(
      404,
      'thread_not_found',
      'There is no such answer. Send the threadId and fp that it came with.',
    )
  }

  /** A running answer is known to its own node alone; one that ended can be read again on every node. */
  async resume(chatId: string, reply: FastifyReply): Promise<void> {
    const caller = this.#caller(reply.request)
    const chat = chatKey(caller, chatId, reply.request)
    const answer =
      this.#streams.get(chat) ??
      (this.#streams.mayResume(chatId) ? await this.#findEnded(caller, chat) : null)
    if (!answer) {
      await reply.code(204).send(null)
      return
    }
    await this.#send(2, answer, reply)
  }

  async #findEnded({ siteId }: AuthorizedSite, chat: string): Promise<SharedAnswer | null> {
    const { database, clock } = this.#given
    const ended = await readEndedAnswer({ database, siteId, chat, since: clock() - keptMs })
    return ended && replayAnswer(ended)
  }

  async #send(version: 1 | 2, answer: SharedAnswer, reply: FastifyReply): Promise<void> {
    await sendStream({
      reply,
      headers: { ...(version === 1 ? headersV1 : headersV2), 'x-thread-id': answer.threadId },
      answer,
      keepAlive: version === 1 ? keepAliveV1 : keepAliveV2,
      keepAliveMs: this.#given.settings.keepAliveMs,
      stallTimeoutMs: this.#given.settings.stallTimeoutMs,
    })
  }

  #caller(request: FastifyRequest): AuthorizedSite {
    const caller = this.#callers.get(request)
    if (!caller) throw new Error('The request was not authorized.')
    return caller
  }

  async #reserve(caller: AuthorizedSite): Promise<number> {
    const { database, clock, settings } = this.#given
    if (settings.tokensPerDay === null) return 0
    const tokens = settings.tokensReserved
    const isReserved = await reserveTokens({
      database,
      organizationId: caller.organizationId,
      now: clock(),
      tokens,
      limit: settings.tokensPerDay,
    })
    if (isReserved) return tokens
    throw new ApiError(
      429,
      'token_limit_reached',
      "The assistant has used up this organization's tokens for today. It answers again after midnight UTC; search and pages go on.",
      { headers: { 'retry-after': String(86_400 - (Math.floor(clock() / 1000) % 86_400)) } },
    )
  }

  async #begin(running: RunningAnswer, log: FastifyBaseLogger): Promise<void> {
    const { settings } = this.#given
    try {
      await running.begin(this.#modelIsFailing ? settings.holdFailingMs : settings.holdFirstByteMs)
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      this.#modelIsFailing = true
      log.warn({ err: error }, 'the language model failed before its first word')
      throw modelUnavailable(error)
    }
  }
}

/** After the first byte a failure is an event of the protocol, never a silent end. */
const brokenOff = 'The assistant could not finish this answer. Please ask again.'

function modelUnavailable(error: ModelError): ApiError {
  const sentence =
    'The assistant cannot reach its language model at the moment. Please ask again in a minute.'
  const headers = { 'retry-after': '30' }
  switch (error.fault) {
    case 'unreachable':
      return new ApiError(503, 'model_unavailable', sentence, { headers })
    case 'timeout':
      return new ApiError(504, 'model_timeout', sentence, { headers })
    case 'refused':
    case 'failed':
      return new ApiError(502, 'model_unavailable', sentence, { headers })
  }
}

function checkConversation(asked: AssistantQuestion): void {
  if (asked.question !== '' || asked.hasUserMessage) return
  throw new ApiError(
    400,
    'invalid_request',
    'The conversation has no message of role user. Add the question.',
    {
      details: [{ path: 'messages', message: 'needs a message of role user' }],
    },
  )
}

/** What the request does not repeat comes from the store, and stands before what it does. */
function mergeTurns(stored: Turn[], asked: AssistantQuestion): Turn[] {
  const earlier = asked.again ? withoutLast(stored, asked.question) : stored
  const repeated = new Set(asked.history.map(turnKey))
  return [...earlier.filter((turn) => !repeated.has(turnKey(turn))), ...asked.history]
}

function withoutLast(turns: Turn[], question: string): Turn[] {
  const last = turns.findLastIndex((turn) => turn.role === 'user' && turn.text.trim() === question)
  return last === -1 ? turns : turns.slice(0, last)
}

const turnKey = (turn: Turn) => `${turn.role}:${turn.text.trim()}`

/** A chat is resumed by who began it: its name alone may be guessed. Nothing of it can be read from the key. */
const chatKey = (caller: AuthorizedSite, chatId: string, request: FastifyRequest): string => {
  const { headers, ip } = request
  const parts = [caller.siteId, chatId, ip, headers['user-agent'] ?? '', headers.origin ?? '']
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

function deprecationHeaders(domain: string, settings: AssistantSettings): Record<string, string> {
  return {
    deprecation: `@${Math.floor(settings.deprecatedAt / 1000)}`,
    sunset: new Date(settings.sunsetAt).toUTCString(),
    link: `</discovery/v2/assistant/${encodeURIComponent(domain)}/message>; rel="successor-version"`,
  }
}
