import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { StringDecoder } from 'node:string_decoder'
import {
  type LanguageModel,
  type ModelEndReason,
  ModelError,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  type ModelUsage,
  modelErrorOfStatus,
} from './language-model.ts'
import { ModelEventQueue } from './model-event-queue.ts'
import type { Pace } from './pace.ts'
import { readEventStream } from './read-event-stream.ts'

/**
 * A model behind any server that speaks OpenAI's chat completions. Written by hand, since a thousand answers at once pass
 * here: what is read from the socket becomes events without a stream in between.
 */
export function chatCompletionsModel(input: {
  name: string
  model: string
  /** Such as http://127.0.0.1:11434/v1. */
  url: string
  apiKey?: string | undefined
  pace: Pace
}): LanguageModel {
  const url = new URL(`${input.url.replace(/\/+$/, '')}/chat/completions`)
  const agent = url.protocol === 'https:' ? new HttpsAgent(connections) : new HttpAgent(connections)
  return {
    name: input.name,
    stream: (request) => {
      const body = JSON.stringify(bodyOf(input.model, request))
      return call({ ...input, url, agent, body, signal: request.signal })
    },
  }
}

const connections = { keepAlive: true, maxFreeSockets: 256, scheduling: 'lifo' as const }

function call(input: {
  url: URL
  agent: HttpAgent
  apiKey?: string | undefined
  pace: Pace
  body: string
  signal: AbortSignal
}): ModelEventQueue {
  const { url, agent, apiKey, body, pace, signal } = input
  const counted = pace.begin()
  let response: IncomingMessage | undefined
  let isPaused = false
  let readOn = () => {}
  const queue = new ModelEventQueue(
    {
      pause: () => {
        isPaused = true
      },
      resume: () => {
        isPaused = false
        readOn()
      },
      cancel: () => void request.destroy(),
      pilesUp: true,
    },
    { restMs: () => pace.restMs },
  )
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: 'POST',
    agent,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      accept: 'text/event-stream',
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    },
  })
  const leave = () => {
    queue.end() // An abort is the caller's own wish, so the end is a quiet one.
    request.destroy()
  }
  const fail = (error: Error) =>
    queue.fail(
      error instanceof ModelError
        ? error
        : new ModelError(
            response ? 'failed' : 'unreachable',
            response
              ? `The model's answer broke off: ${error.message}`
              : `The model cannot be reached: ${error.message}`,
            { cause: error },
          ),
    )
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  request.on('close', () => {
    signal.removeEventListener('abort', leave)
    counted()
  })
  request.on('error', fail)
  request.on('response', (arrived) => {
    response = arrived
    arrived.on('error', fail)
    if (arrived.statusCode === 200) {
      const take = readAnswer(arrived, queue, () => void request.destroy())
      readOn = () => {
        const bytes = isPaused ? null : arrived.read() // All that has piled up.
        if (bytes !== null) take(bytes)
      }
      arrived.on('readable', () => readOn())
    } else void readRefusal(arrived).then((error) => queue.fail(error))
  })
  request.end(body)
  return queue
}

type Chunk = {
  choices?: {
    delta?: {
      content?: string | null
      tool_calls?: {
        index?: number
        id?: string | null
        function?: { name?: string | null; arguments?: string | null }
      }[]
    } | null
    finish_reason?: string | null
  }[]
  usage?: { prompt_tokens?: number | null; completion_tokens?: number | null } | null
  error?: { message?: string } | string | null
}

/** Returns what takes the next bytes of the answer. */
function readAnswer(
  response: IncomingMessage,
  queue: ModelEventQueue,
  hangUp: () => void,
): (bytes: Buffer) => void {
  let arrived: ModelEvent[] = []
  const calls: { id: string; name: string; input: string }[] = []
  const usage: ModelUsage = { inputTokens: 0, outputTokens: 0 }
  let reason: string | null = null
  const events = readEventStream((data) => {
    if (data === '[DONE]') return
    const chunk = JSON.parse(data) as Chunk
    if (chunk.error) throw new ModelError('failed', `The model's server says: ${sayError(chunk.error)}`)
    if (chunk.usage) {
      usage.inputTokens = chunk.usage.prompt_tokens ?? 0
      usage.outputTokens = chunk.usage.completion_tokens ?? 0
    }
    const choice = chunk.choices?.[0]
    if (!choice) return
    if (choice.finish_reason) reason = choice.finish_reason
    const text = choice.delta?.content
    if (text) arrived.push({ type: 'text-delta', text })
    for (const part of choice.delta?.tool_calls ?? []) {
      const at = part.index ?? calls.length
      calls[at] ??= { id: part.id ?? `call-${at}`, name: '', input: '' }
      calls[at].name += part.function?.name ?? ''
      calls[at].input += part.function?.arguments ?? ''
    }
  })
  const guarded = (work: () => void) => {
    try {
      work()
      if (arrived.length > 0) queue.push(...arrived)
      arrived = []
    } catch (error) {
      queue.push(...arrived)
      queue.fail(
        error instanceof ModelError
          ? error
          : new ModelError('failed', 'The model sent what cannot be read.', { cause: error }),
      )
      hangUp()
    }
  }
  const decoder = new StringDecoder('utf8')
  response.on('end', () => {
    guarded(() => {
      events.push(decoder.end())
      events.end()
      for (const { id, name, input } of calls.filter(Boolean)) {
        arrived.push({ type: 'tool-call', call: { callId: id, toolName: name, input: readInput(input) } })
      }
      arrived.push({ type: 'step-end', reason: endReason(reason, calls.length > 0), usage })
    })
    queue.end()
  })
  return (bytes) => guarded(() => events.push(decoder.write(bytes)))
}

function endReason(reason: string | null, hasCalls: boolean): ModelEndReason {
  switch (reason) {
    case 'stop':
      return hasCalls ? 'tool-calls' : 'stop'
    case 'length':
      return 'length'
    case 'content_filter':
      return 'content-filter'
    case 'tool_calls':
    case 'function_call':
      return 'tool-calls'
    default:
      return 'other'
  }
}

/** A model may write broken JSON; the tool then tells it so. */
function readInput(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text)
  } catch {
    return text
  }
}

async function readRefusal(response: IncomingMessage): Promise<ModelError> {
  let body = ''
  try {
    for await (const piece of response.setEncoding('utf8')) {
      body += piece
      if (body.length > 4000) break
    }
  } catch {
    // The status says enough.
  }
  let message = body.slice(0, 300)
  try {
    message = sayError((JSON.parse(body) as Chunk).error ?? message)
  } catch {
    // Not every server answers in JSON.
  }
  return modelErrorOfStatus(response.statusCode ?? 0, message)
}

const sayError = (error: { message?: string } | string): string =>
  typeof error === 'string' ? error : (error.message ?? JSON.stringify(error).slice(0, 300))

const bodyOf = (model: string, request: ModelRequest) => ({
  model,
  max_tokens: request.maxOutputTokens,
  messages: [{ role: 'system', content: request.instructions }, ...request.messages.flatMap(toMessages)],
  ...(request.tools.length > 0 ? { tools: request.tools.map(toTool), tool_choice: 'auto' } : {}),
  stream: true,
  stream_options: { include_usage: true },
})

function toMessages(message: ModelMessage): object[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.text }]
    case 'assistant':
      return [
        {
          role: 'assistant',
          content: message.text,
          ...(message.toolCalls.length > 0
            ? {
                tool_calls: message.toolCalls.map((one) => ({
                  id: one.callId,
                  type: 'function',
                  function: { name: one.toolName, arguments: JSON.stringify(one.input) },
                })),
              }
            : {}),
        },
      ]
    case 'tool':
      return message.results.map((result) => ({
        role: 'tool',
        tool_call_id: result.callId,
        content: result.output,
      }))
  }
}

const toTool = (tool: ModelTool) => ({
  type: 'function',
  function: {
    name: tool.name,
    description: tool.description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(tool.inputs).map(([name, description]) => [name, { type: 'string', description }]),
      ),
      required: Object.keys(tool.inputs),
      additionalProperties: false,
    },
  },
})
