/** A language model as the assistant needs it: one call is one step, and the caller decides what follows a tool call. */
export type LanguageModel = {
  /** Names the model in stored answers and logs, such as `openai-compatible:llama3`. */
  name: string
  /** Throws a ModelError when the model cannot be reached or fails on the way; ends quietly when `signal` aborts. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}

export type ModelRequest = {
  instructions: string
  messages: ModelMessage[]
  /** Empty where the model must answer now. */
  tools: ModelTool[]
  maxOutputTokens: number
  signal: AbortSignal
}

export type ModelMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; toolCalls: ModelToolCall[] }
  | { role: 'tool'; results: { callId: string; toolName: string; output: string }[] }

export type ModelToolCall = { callId: string; toolName: string; input: unknown }

export type ModelTool = {
  name: string
  description: string
  /** Names of required text inputs, each with what it means. */
  inputs: Record<string, string>
}

export type ModelUsage = { inputTokens: number; outputTokens: number }

export type ModelEvent =
  | { type: 'text-delta'; text: string }
  | { type: 'tool-call'; call: ModelToolCall }
  | { type: 'step-end'; reason: ModelEndReason; usage: ModelUsage }

export type ModelEndReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other'

export type ModelFault = 'unreachable' | 'timeout' | 'refused' | 'failed'

/** Why a model gave no answer, or no whole one; `message` is for the log, never for a reader. */
export class ModelError extends Error {
  readonly fault: ModelFault
  /** False where asking again cannot help, such as a key that is not valid. */
  readonly retryable: boolean

  constructor(fault: ModelFault, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'ModelError'
    this.fault = fault
    this.retryable = options.retryable ?? true
  }
}

/** What an HTTP status of a model's server says; asking again helps where the server is busy or broken. */
export function modelErrorOfStatus(status: number, message: string, cause?: unknown): ModelError {
  const retryable = status === 408 || status === 429 || status >= 500
  return new ModelError(
    retryable ? 'failed' : 'refused',
    `The model's server answered ${status}: ${message}`,
    { retryable, cause },
  )
}
