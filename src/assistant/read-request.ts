import { z } from 'zod'
import {
  type ContextItem,
  type RequestV1,
  type RequestV2,
  requestV1Schema,
  requestV2Schema,
} from './assistant-api.ts'

/** What both versions ask, once decoded. */
export type AssistantQuestion = {
  fp: string
  /** The newest user text; empty where a client submits nothing. */
  question: string
  /** False where the conversation has no message of role user at all. */
  hasUserMessage: boolean
  /** Earlier turns as the client tells them, oldest first. */
  history: Turn[]
  /** Client-made `system` messages: data, never instructions. */
  notes: string[]
  threadId: string | null
  /** The client's id of the assistant message that goes on, where the conversation ends with one. */
  continuesMessageId: string | null
  pageSize: number
  filter: { version?: string; language?: string }
  context: ContextItem[]
  currentPath: string | null
  /** The client's name of the chat (v2). */
  chatId: string | null
  /** The newest question is asked again, so that its stored answer is no part of the conversation. */
  again: boolean
}

export type Turn = { role: 'user' | 'assistant'; text: string }

/** v1 as documented, after what real clients leave in and out has been repaired. */
export const bodyV1Schema = z.preprocess(repairV1, requestV1Schema)
export const bodyV2Schema = z.preprocess(repairNulls, requestV2Schema)

export function readRequestV1(body: RequestV1): AssistantQuestion {
  const messages = body.messages
    .filter((message) => message.role !== 'data')
    .map((message) => ({
      id: message.id,
      role: message.role,
      text: message.content !== '' ? message.content : joinText(message.parts),
      threadId: threadIdOf(message.annotations?.findLast((entry) => threadIdOf(entry) !== null)),
    }))
  return {
    ...readCommon(body),
    ...readConversation(messages, body.threadId),
    chatId: null,
    again: false,
  }
}

export function readRequestV2(body: RequestV2): AssistantQuestion {
  const messages = body.messages.map((message) => ({
    id: message.id ?? '',
    role: message.role,
    text: joinText(message.parts),
    threadId: threadIdOf(message.metadata),
  }))
  return {
    ...readCommon(body),
    ...readConversation(messages, body.threadId),
    chatId: body.id ?? null,
    again: body.trigger === 'regenerate-message',
  }
}

type ReadMessage = {
  id: string
  role: 'system' | 'user' | 'assistant' | 'data'
  text: string
  threadId: string | null
}

function readConversation(messages: ReadMessage[], threadId: string | null) {
  const newest = messages.findLastIndex((message) => message.role === 'user')
  const last = messages.at(-1)
  return {
    question: messages[newest]?.text.trim() ?? '',
    hasUserMessage: newest !== -1,
    history: messages.slice(0, Math.max(newest, 0)).flatMap((message): Turn[] => {
      const text = message.text.trim()
      if (text === '' || (message.role !== 'user' && message.role !== 'assistant')) return []
      return [{ role: message.role, text }]
    }),
    notes: messages.filter((message) => message.role === 'system').map((message) => message.text),
    threadId: possibleId(threadId ?? messages.findLast((message) => message.threadId !== null)?.threadId),
    continuesMessageId: last?.role === 'assistant' && last.id !== '' ? last.id : null,
  }
}

/** Ids of ours are short and plain; anything else is a thread that nobody knows. */
const possibleId = (id: string | null | undefined) => (id && /^[\w-]{1,100}$/.test(id) ? id : null)

function readCommon(body: RequestV1 | RequestV2) {
  const { version, language } = body.filter ?? {}
  return {
    fp: body.fp.replaceAll('\0', '').toWellFormed(),
    pageSize: Math.min(20, Math.max(1, Math.round(body.retrievalPageSize))),
    filter: {
      ...(version === undefined ? {} : { version }),
      ...(language === undefined ? {} : { language }),
    },
    context: body.context ?? [],
    currentPath: body.currentPath?.trim() || null,
  }
}

function joinText(parts: { type: string; text?: string | undefined }[]): string {
  return parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text ?? '')
    .join('\n')
}

/** Every answer of ours carries its thread, and clients send it back: in annotations (v1) or metadata (v2). */
function threadIdOf(value: unknown): string | null {
  return isRecord(value) && typeof value.threadId === 'string' ? value.threadId : null
}

const knownParts = new Set(['text', 'reasoning', 'step-start', 'source', 'tool-invocation'])

/** Fills in what clients leave out (ids, parts or content, the arguments of a stopped call) and leaves out what is not ours. */
function repairV1(body: unknown): unknown {
  const repaired = repairNulls(body)
  if (!isRecord(repaired) || !Array.isArray(repaired.messages)) return repaired
  return { ...repaired, messages: repaired.messages.map(repairMessageV1) }
}

function repairMessageV1(message: unknown): unknown {
  if (!isRecord(message)) return message
  const repaired = withoutNulls(message, [
    'id',
    'createdAt',
    'annotations',
    'parts',
    'experimental_attachments',
  ])
  repaired.id ??= ''
  if (repaired.content === undefined || repaired.content === null) {
    if (!Array.isArray(repaired.parts)) return repaired // Neither text nor parts: the schema says what is missing.
    repaired.content = ''
  }
  repaired.parts ??=
    typeof repaired.content === 'string' ? [{ type: 'text', text: repaired.content }] : undefined
  if (Array.isArray(repaired.parts)) repaired.parts = repaired.parts.flatMap(repairPartV1)
  return repaired
}

function repairPartV1(part: unknown): unknown[] {
  if (!isRecord(part) || typeof part.type !== 'string') return [part]
  if (!knownParts.has(part.type)) return []
  if (part.type === 'reasoning' && part.details === undefined) return [{ ...part, details: [] }]
  if (part.type !== 'tool-invocation' || !isRecord(part.toolInvocation)) return [part]
  return [{ ...part, toolInvocation: { args: null, ...part.toolInvocation } }]
}

/** `null` where a field may be left out means that it is left out. */
function repairNulls(body: unknown): unknown {
  if (!isRecord(body)) return body
  const repaired = withoutNulls(body, ['retrievalPageSize', 'context', 'currentPath', 'trigger', 'id'])
  if (isRecord(repaired.filter)) repaired.filter = withoutNulls(repaired.filter, ['version', 'language'])
  if (Array.isArray(repaired.context)) {
    repaired.context = repaired.context.map((item: unknown) =>
      isRecord(item) ? withoutNulls(item, ['path', 'elementId']) : item,
    )
  }
  return repaired
}

function withoutNulls(record: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => !(value === null && names.includes(name))),
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
