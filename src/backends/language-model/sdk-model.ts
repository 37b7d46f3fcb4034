import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4FunctionTool,
  type LanguageModelV4Message,
  type LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import {
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  modelErrorOfStatus,
} from './language-model.ts'
import { ModelEventQueue } from './model-event-queue.ts'
import type { Pace } from './pace.ts'

/** A provider of the AI SDK as our model. Its stream is read directly: one step a call, no retries, tools never run by it. */
export function sdkModel({
  name,
  model,
  pace,
}: {
  name: string
  model: LanguageModelV4
  pace: Pace
}): LanguageModel {
  return { name, stream: (request) => call(model, request, pace) }
}

function call(model: LanguageModelV4, request: ModelRequest, pace: Pace): ModelEventQueue {
  const counted = pace.begin()
  const leaving = new AbortController()
  const signal = AbortSignal.any([request.signal, leaving.signal])
  let flowing = Promise.withResolvers<void>()
  flowing.resolve()
  const queue = new ModelEventQueue(
    {
      pause: () => {
        flowing = Promise.withResolvers()
      },
      resume: () => flowing.resolve(),
      cancel: () => {
        leaving.abort()
        flowing.resolve()
      },
      pilesUp: false,
    },
    { restMs: () => pace.restMs },
  )
  const read = async () => {
    const { stream } = await model.doStream({ ...callOptions(request), abortSignal: signal })
    for await (const part of stream) {
      const event = toEvent(part)
      if (event) queue.push(event)
      await flowing.promise
      if (signal.aborted) return
    }
  }
  const end = (error?: unknown) => {
    if (error !== undefined && !signal.aborted) queue.fail(toModelError(error))
    else queue.end()
  }
  request.signal.addEventListener('abort', () => queue.end(), { once: true, signal: leaving.signal })
  read()
    .then(() => end(), end)
    .finally(() => {
      counted()
      leaving.abort()
    })
  return queue
}

function toEvent(part: LanguageModelV4StreamPart): ModelEvent | undefined {
  switch (part.type) {
    case 'text-delta':
      return part.delta === '' ? undefined : { type: 'text-delta', text: part.delta }
    case 'tool-call':
      return {
        type: 'tool-call',
        call: { callId: part.toolCallId, toolName: part.toolName, input: readInput(part.input) },
      }
    case 'finish': {
      const reason = part.finishReason.unified
      if (reason === 'error') throw new ModelError('failed', 'The model ended with an error.')
      return {
        type: 'step-end',
        reason: reason === 'interrupted' ? 'other' : reason,
        usage: {
          inputTokens: part.usage.inputTokens.total ?? 0,
          outputTokens: part.usage.outputTokens.total ?? 0,
        },
      }
    }
    case 'error':
      throw part.error
    default:
      return undefined
  }
}

/** A model may write broken JSON; the tool then tells it so. */
function readInput(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const callOptions = (request: ModelRequest): LanguageModelV4CallOptions => ({
  prompt: [{ role: 'system', content: request.instructions }, ...request.messages.map(toSdkMessage)],
  maxOutputTokens: request.maxOutputTokens,
  ...(request.tools.length > 0 ? { tools: request.tools.map(toSdkTool), toolChoice: { type: 'auto' } } : {}),
})

function toSdkMessage(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] }
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
          ...message.toolCalls.map((call) => ({
            type: 'tool-call' as const,
            toolCallId: call.callId,
            toolName: call.toolName,
            input: call.input,
          })),
        ],
      }
    case 'tool':
      return {
        role: 'tool',
        content: message.results.map((result) => ({
          type: 'tool-result' as const,
          toolCallId: result.callId,
          toolName: result.toolName,
          output: { type: 'text' as const, value: result.output },
        })),
      }
  }
}

const toSdkTool = (tool: ModelTool): LanguageModelV4FunctionTool => ({
  type: 'function',
  name: tool.name,
  description: tool.description,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(tool.inputs).map(([name, description]) => [name, { type: 'string', description }]),
    ),
    required: Object.keys(tool.inputs),
    additionalProperties: false,
  },
})

function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error
  if (APICallError.isInstance(error)) {
    if (error.statusCode !== undefined) return modelErrorOfStatus(error.statusCode, error.message, error)
    return new ModelError('unreachable', `The model cannot be reached: ${error.message}`, { cause: error })
  }
  const text = error instanceof Error ? error.message : String(error)
  return new ModelError('failed', `The model failed: ${text}`, { cause: error })
}
