import { type LanguageModel, ModelError, type ModelMessage, type ModelToolCall } from '../backends/index.ts'
import type { SearchFilter } from '../search/search-api.ts'
import type { AnswerEvent, AnswerOutcome, ToolName, ToolOutput, Usage } from './answer-event.ts'
import type { ContextItem } from './assistant-api.ts'
import { cleanModelText, type TextCleaner } from './clean-model-text.ts'
import { type AnswerSite, effectiveFilter, Passages, toSearchEntry, toSource } from './passages.ts'
import { instructionsFor, passageData, promptFor, tools } from './prompt.ts'
import { quotePassages, supportHint } from './quote-passages.ts'
import type { Turn } from './read-request.ts'
import { findPagePath, supportAddress } from './site-address.ts'
import { understandQuestion } from './understand-question.ts'

export type AnswerInput = {
  question: string
  /** Earlier turns, oldest first. */
  history: Turn[]
  /** What the embedding page sent as `system` messages. */
  notes: string[]
  context: ContextItem[]
  currentPath: string | null
  filter: { version?: string; language?: string }
  pageSize: number
  site: AnswerSite
  model: LanguageModel | null
  limits: AnswerLimits
  newId: (prefix: string) => string
  signal: AbortSignal
}

export type AnswerLimits = {
  /** How many times the model is called for one answer. */
  maxSteps: number
  maxOutputTokens: number
}

/**
 * A question becomes a cited answer: search, then the model, which may search again and read pages; without a model
 * the passages themselves. Throws what the model throws; ends without `answer-end` when the signal aborts.
 */
export function answerQuestion(input: AnswerInput): AsyncGenerator<AnswerEvent> {
  if (input.question === '') return answerNothing(input)
  const turn = startTurn(input)
  return input.model ? answerWithModel(turn, input.model) : answerWithPassages(turn)
}

type AnswerTurn = {
  input: AnswerInput
  /** The question as it stands alone. */
  query: string
  currentPage: string | null
  filter: SearchFilter
  passages: Passages
  /** How many passages the reader has been told of. */
  told: number
  hasText: boolean
}

const noTokens: Usage = { inputTokens: 0, outputTokens: 0 }

function startTurn(input: AnswerInput): AnswerTurn {
  const { site, siteUrl } = input.site
  const place = input.currentPath ?? input.context.find((item) => item.path)?.path ?? null
  const currentPage = place === null ? null : findPagePath(site, siteUrl, place)
  return {
    input,
    query: understandQuestion(input),
    currentPage,
    filter: effectiveFilter(input.filter, currentPage, site),
    passages: new Passages(siteUrl),
    told: 0,
    hasText: false,
  }
}

/** The step that stands before every answer. */
async function* searchFirst(turn: AnswerTurn): AsyncGenerator<AnswerEvent> {
  yield { type: 'step-start' }
  yield* callTool(turn, {
    callId: turn.input.newId('call'),
    toolName: 'search',
    input: { query: turn.query },
  })
  yield { type: 'step-end', reason: 'tool-calls', usage: noTokens }
}

async function* answerNothing(input: AnswerInput): AsyncGenerator<AnswerEvent> {
  yield { type: 'step-start' }
  yield { type: 'text-delta', text: `What would you like to know about ${input.site.site.name}?` }
  yield { type: 'step-end', reason: 'stop', usage: noTokens }
  yield { type: 'answer-end', reason: 'stop', usage: noTokens, outcome: 'no-question' }
}

async function* answerWithPassages(turn: AnswerTurn): AsyncGenerator<AnswerEvent> {
  yield* searchFirst(turn)
  if (turn.input.signal.aborted) return
  const { covered, pieces, quoted } = quotePassages({
    question: turn.query,
    passages: turn.passages.all,
    siteName: turn.input.site.site.name,
    pageCount: turn.input.site.site.pages.length,
    language: turn.filter.language,
    supportUrl: supportAddress(turn.input.site),
  })
  yield { type: 'step-start' }
  for (const passage of quoted) yield { type: 'source-found', source: toSource(passage) }
  for (const text of pieces) yield { type: 'text-delta', text }
  yield { type: 'step-end', reason: 'stop', usage: noTokens }
  const outcome: AnswerOutcome = covered ? 'answered' : 'not-covered'
  yield { type: 'answer-end', reason: 'stop', usage: noTokens, outcome }
}

/**
 * Calls the model until it answers; its last permitted step has no tools, so that it must. Its words pass through this one
 * generator only: each further one would be waited for at every word.
 */
async function* answerWithModel(turn: AnswerTurn, model: LanguageModel): AsyncGenerator<AnswerEvent> {
  yield* searchFirst(turn)
  const { input, passages } = turn
  const cleaner = cleanModelText({ site: input.site, passages })
  const messages: ModelMessage[] = [{ role: 'user', text: promptFor({ ...input, passages: passages.all }) }]
  const total = { ...noTokens }
  for (let step = 1; !input.signal.aborted; step += 1) {
    const toolsAllowed = step < input.limits.maxSteps
    const result = newStepResult()
    yield { type: 'step-start' }
    for await (const event of callModel(turn, model, { messages, toolsAllowed })) {
      if (input.signal.aborted) return
      if (event.type === 'text-delta') {
        result.text += event.text
        const text = cleaner.push(event.text)
        if (text === '') continue
        if (turn.told < passages.all.length) yield* tellSources(turn)
        turn.hasText = true
        yield { type: 'text-delta', text }
        if (result.text.length > longestText(input.limits)) {
          result.reason = 'length' // It does not keep to the limit it was given.
          result.usage = { inputTokens: 0, outputTokens: input.limits.maxOutputTokens }
          break
        }
      } else if (event.type === 'tool-call') {
        if (!toolsAllowed || result.calls.length >= callsPerStep) continue
        result.calls.push(event.call)
        const output = yield* runToolCall(turn, event.call)
        result.outputs.push({ callId: event.call.callId, toolName: event.call.toolName, output })
      } else {
        result.usage = event.usage
        result.reason = event.reason === 'tool-calls' ? 'stop' : event.reason
      }
    }
    if (input.signal.aborted) return
    total.inputTokens += result.usage.inputTokens
    total.outputTokens += result.usage.outputTokens
    if (result.calls.length === 0) return yield* endAnswer(turn, cleaner, result, total)
    yield { type: 'step-end', reason: 'tool-calls', usage: result.usage }
    messages.push({ role: 'assistant', text: result.text, toolCalls: result.calls })
    messages.push({ role: 'tool', results: result.outputs })
  }
}

type StepResult = {
  text: string
  calls: ModelToolCall[]
  outputs: { callId: string; toolName: string; output: string }[]
  /** `other` until the model has said why it ended. */
  reason: 'stop' | 'length' | 'content-filter' | 'other'
  usage: Usage
}

const newStepResult = (): StepResult => ({
  text: '',
  calls: [],
  outputs: [],
  reason: 'other',
  usage: noTokens,
})

const callModel = (
  { input }: AnswerTurn,
  model: LanguageModel,
  { messages, toolsAllowed }: { messages: ModelMessage[]; toolsAllowed: boolean },
) =>
  model.stream({
    instructions: instructionsFor({
      siteName: input.site.site.name,
      ownerInstructions: input.site.instructions,
    }),
    messages,
    tools: toolsAllowed ? tools : [],
    maxOutputTokens: input.limits.maxOutputTokens,
    signal: input.signal,
  })

/** What the cleaner still holds, the way to support where nothing was cited, and the end. */
async function* endAnswer(
  turn: AnswerTurn,
  cleaner: TextCleaner,
  { reason, usage }: StepResult,
  total: Usage,
): AsyncGenerator<AnswerEvent> {
  const rest = cleaner.end()
  if (rest === '' && !turn.hasText) throw new ModelError('failed', 'The model sent an empty answer.')
  if (rest !== '') {
    yield* tellSources(turn)
    yield { type: 'text-delta', text: rest }
  }
  const isCited = cleaner.citations() > 0
  const supportUrl = supportAddress(turn.input.site)
  if (!isCited && supportUrl !== null) yield { type: 'text-delta', text: supportHint(supportUrl) }
  yield { type: 'step-end', reason, usage }
  const outcome: AnswerOutcome = isCited ? 'answered' : 'not-covered'
  yield { type: 'answer-end', reason, usage: total, outcome }
}

const callsPerStep = 4

/** What no answer within its limit of tokens reaches: few tokens have as many characters. */
const longestText = ({ maxOutputTokens }: AnswerLimits) => maxOutputTokens * 16

/** Tells the reader of the passages the model has seen before the first words that may rest on them. */
function* tellSources(turn: AnswerTurn): Generator<AnswerEvent> {
  for (const passage of turn.passages.all.slice(turn.told)) {
    yield { type: 'source-found', source: toSource(passage) }
  }
  turn.told = turn.passages.all.length
}

/** Runs a tool of ours for the model and gives it the result; anything else it names gets a plain no. */
async function* runToolCall(turn: AnswerTurn, call: ModelToolCall): AsyncGenerator<AnswerEvent, string> {
  const name = tools.find((tool) => tool.name === call.toolName)?.name
  if (name === undefined) return 'There is no such tool.'
  const field = name === 'search' ? 'query' : 'path'
  const value = isRecord(call.input) ? call.input[field] : undefined
  if (typeof value !== 'string' || value.trim() === '') return `Give ${field} as text.`
  const known = turn.passages.all.length
  const output = yield* callTool(turn, {
    callId: turn.input.newId('call'),
    toolName: name === 'search' ? 'search' : 'read_page',
    input: { [field]: value.slice(0, 1000) },
  })
  if (!Array.isArray(output) && 'error' in output) return output.error
  const found = Array.isArray(output)
    ? turn.passages.all.filter((passage) => output.some((entry) => entry.url === passage.url))
    : turn.passages.all.slice(known)
  return found.length > 0 ? found.map(passageData).join('\n\n') : 'Nothing new was found.'
}

async function* callTool(
  turn: AnswerTurn,
  call: { callId: string; toolName: ToolName; input: Record<string, string> },
): AsyncGenerator<AnswerEvent, ToolOutput> {
  yield { type: 'tool-call', ...call }
  const output =
    call.toolName === 'search'
      ? await search(turn, call.input.query ?? '')
      : await readPage(turn, call.input.path ?? '')
  yield { type: 'tool-result', callId: call.callId, output }
  return output
}

async function search(turn: AnswerTurn, query: string): Promise<ToolOutput> {
  const { site } = turn.input
  const { version, language } = turn.filter
  const unknown =
    (version !== undefined && !site.site.versions.includes(version)) ||
    (language !== undefined && !site.site.languages.includes(language))
  if (unknown) return [] // An unknown version or language gives no results, never those of others.
  const hits = await site.index.search({
    query,
    limit: turn.input.pageSize,
    filter: turn.filter,
    ...(turn.currentPage === null ? {} : { currentPath: turn.currentPage }),
  })
  return hits.map((hit) => toSearchEntry(turn.passages.add(hit)))
}

const pageCharacters = 12_000

/** Only pages that the live release lists and lets be found can be read. */
async function readPage(turn: AnswerTurn, address: string): Promise<ToolOutput> {
  const { site } = turn.input
  const path = findPagePath(site.site, site.siteUrl, address)
  const page = site.site.pages.find((one) => one.path === path && one.searchable)
  const content = page ? await site.readPage(page.path) : null
  if (!page || content === null) return { error: 'There is no such page.' }
  const passage = turn.passages.addPage({
    path: page.path,
    title: page.title,
    content: content.slice(0, pageCharacters),
  })
  return { path: page.path, url: passage.url, content: passage.content }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
