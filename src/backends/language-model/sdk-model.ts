import {
  APICallError,
  type JSONSchema7,
  jsonSchema,
  type ModelMessage as SdkMessage,
  type LanguageModel as SdkModel,
  streamText,
  type ToolSet,
} from 'ai'
import {
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
} from './language-model.ts'

/** Any model of the AI SDK as ours: one step a call, no retries of its own, tools described but never run by it. */
export function sdkModel({ name, model }: { name: string; model: SdkModel }): LanguageModel {
  return { name, stream: (request) => streamStep(model, request) }
}

async function* streamStep(model: SdkModel, request: ModelRequest): AsyncGenerator<ModelEvent> {
  try {
    yield* readStep(model, request)
  } catch (error) {
    if (!request.signal.aborted) throw toModelError(error) // A connection that breaks is thrown, not told by a part.
  }
}

async function* readStep(model: SdkModel, request: ModelRequest): AsyncGenerator<ModelEvent> {
  const result = streamText({
    model,
    instructions: request.instructions,
    messages: request.messages.flatMap(toSdkMessage),
    ...(request.tools.length > 0 ? { tools: toSdkTools(request.tools) } : {}),
    maxOutputTokens: request.maxOutputTokens,
    maxRetries: 0,
    abortSignal: request.signal,
    onError: () => {}, // The error part below carries it; the default would print it.
  })
  for await (const part of result.stream) {
    switch (part.type) {
      case 'text-delta':
        if (part.text !== '') yield { type: 'text-delta', text: part.text }
        break
      case 'tool-call':
        yield {
          type: 'tool-call',
          call: { callId: part.toolCallId, toolName: part.toolName, input: part.input },
        }
        break
      case 'finish-step':
        if (part.finishReason === 'error') throw new ModelError('failed', 'The model ended with an error.')
        yield {
          type: 'step-end',
          reason: part.finishReason === 'interrupted' ? 'other' : part.finishReason,
          usage: { inputTokens: part.usage.inputTokens ?? 0, outputTokens: part.usage.outputTokens ?? 0 },
        }
        break
      case 'error':
        throw part.error
      case 'abort':
        return
    }
  }
}

function toSdkMessage(message: ModelMessage): SdkMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.text }]
    case 'assistant':
      return [
        {
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
        },
      ]
    case 'tool':
      return [
        {
          role: 'tool',
          content: message.results.map((result) => ({
            type: 'tool-result' as const,
            toolCallId: result.callId,
            toolName: result.toolName,
            output: { type: 'text' as const, value: result.output },
          })),
        },
      ]
  }
}

function toSdkTools(tools: ModelTool[]): ToolSet {
  return Object.fromEntries(
    tools.map((tool) => {
      const schema: JSONSchema7 = {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(tool.inputs).map(([name, description]) => [name, { type: 'string', description }]),
        ),
        required: Object.keys(tool.inputs),
        additionalProperties: false,
      }
      return [tool.name, { description: tool.description, inputSchema: jsonSchema(schema) }]
    }),
  )
}

function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error
  if (APICallError.isInstance(error)) {
    if (error.statusCode === undefined) {
      return new ModelError('unreachable', `The model cannot be reached: ${error.message}`, { cause: error })
    }
    const retryable = error.statusCode === 408 || error.statusCode === 429 || error.statusCode >= 500
    return new ModelError(
      retryable ? 'failed' : 'refused',
      `The model's server answered ${error.statusCode}: ${error.message}`,
      {
        retryable,
        cause: error,
      },
    )
  }
  const text = error instanceof Error ? error.message : String(error)
  return new ModelError('failed', `The model failed: ${text}`, { cause: error })
}
