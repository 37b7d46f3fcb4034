import type { AnswerEncoder, AnswerEvent, Usage } from './answer-event.ts'

/** The answer as the AI SDK 4 data stream: whole lines, only codes that its clients know since 4.1.35. */
export function encodeV1({ threadId, messageId }: { threadId: string; messageId: string }): AnswerEncoder {
  const finish = [{ type: 'finish', threadId }]
  const encode = (event: AnswerEvent): string => {
    switch (event.type) {
      case 'step-start':
        return line('f', { messageId })
      case 'tool-call':
        return line('9', { toolCallId: event.callId, toolName: event.toolName, args: event.input })
      case 'tool-result':
        return line('a', { toolCallId: event.callId, result: event.output })
      case 'source-found':
        return line('h', {
          sourceType: 'url',
          id: event.source.id,
          url: event.source.url,
          title: event.source.title,
        })
      case 'text-delta':
        return line('0', event.text)
      case 'step-end':
        return line('e', { finishReason: event.reason, usage: tokens(event.usage), isContinued: false })
      case 'answer-end':
        return (
          line('2', finish) +
          line('8', finish) +
          line('d', { finishReason: event.reason, usage: tokens(event.usage), threadId })
        )
      case 'answer-error': // The client stops reading at `3:`, so the thread stands before it.
        return (
          line('2', finish) +
          line('8', finish) +
          line('3', event.message) +
          line('d', { finishReason: 'error', usage: tokens(none), threadId })
        )
    }
  }
  return { begin: '', encode }
}

/** What keeps an idle v1 connection open: clients skip empty lines. */
export const keepAliveV1 = '\n'

export const headersV1 = {
  'content-type': 'text/plain; charset=utf-8',
  'x-vercel-ai-data-stream': 'v1',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

const none: Usage = { inputTokens: 0, outputTokens: 0 }

const line = (code: string, value: unknown) => `${code}:${JSON.stringify(value)}\n`

const tokens = (usage: Usage) => ({
  promptTokens: usage.inputTokens,
  completionTokens: usage.outputTokens,
})
