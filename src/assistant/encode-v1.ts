import type { AnswerEvent, Usage } from './answer-event.ts'

/** The answer as the AI SDK 4 data stream: whole lines, only codes that its clients know since 4.1.35. */
export async function* encodeV1(
  events: AsyncIterable<AnswerEvent>,
  { threadId, messageId }: { threadId: string; messageId: string },
): AsyncGenerator<string> {
  const finish = [{ type: 'finish', threadId }]
  for await (const event of events) {
    switch (event.type) {
      case 'step-start':
        yield line('f', { messageId })
        break
      case 'tool-call':
        yield line('9', { toolCallId: event.callId, toolName: event.toolName, args: event.input })
        break
      case 'tool-result':
        yield line('a', { toolCallId: event.callId, result: event.output })
        break
      case 'source-found':
        yield line('h', {
          sourceType: 'url',
          id: event.source.id,
          url: event.source.url,
          title: event.source.title,
        })
        break
      case 'text-delta':
        yield line('0', event.text)
        break
      case 'step-end':
        yield line('e', { finishReason: event.reason, usage: tokens(event.usage), isContinued: false })
        break
      case 'answer-end':
        yield line('2', finish) + line('8', finish)
        yield line('d', { finishReason: event.reason, usage: tokens(event.usage), threadId })
        break
      case 'answer-error': // The client stops reading at `3:`, so the thread stands before it.
        yield line('2', finish) +
          line('8', finish) +
          line('3', event.message) +
          line('d', { finishReason: 'error', usage: tokens(none), threadId })
        return
    }
  }
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
