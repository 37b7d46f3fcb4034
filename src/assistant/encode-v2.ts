import type { AnswerEvent } from './answer-event.ts'

/** The answer as the AI SDK's UI message stream, in the words that 5.0.0 already knew: later clients know them too. */
export async function* encodeV2(
  events: AsyncIterable<AnswerEvent>,
  { threadId, messageId }: { threadId: string; messageId: string },
): AsyncGenerator<string> {
  const messageMetadata = { threadId }
  let text = 0
  let textIsOpen = false
  const closeText = () => {
    if (!textIsOpen) return ''
    textIsOpen = false
    return chunk({ type: 'text-end', id: `text-${text}` })
  }
  yield chunk({ type: 'start', messageId, messageMetadata })
  for await (const event of events) {
    switch (event.type) {
      case 'step-start':
        yield chunk({ type: 'start-step' })
        break
      case 'tool-call':
        yield closeText() +
          chunk({
            type: 'tool-input-available',
            toolCallId: event.callId,
            toolName: event.toolName,
            input: event.input,
          })
        break
      case 'tool-result':
        yield chunk({ type: 'tool-output-available', toolCallId: event.callId, output: event.output })
        break
      case 'source-found':
        yield chunk({
          type: 'source-url',
          sourceId: event.source.id,
          url: event.source.url,
          title: event.source.title,
        })
        break
      case 'text-delta': {
        let opening = ''
        if (!textIsOpen) {
          text += 1
          textIsOpen = true
          opening = chunk({ type: 'text-start', id: `text-${text}` })
        }
        yield opening + chunk({ type: 'text-delta', id: `text-${text}`, delta: event.text })
        break
      }
      case 'step-end':
        yield closeText() + chunk({ type: 'finish-step' })
        break
      case 'answer-end':
        yield closeText() + chunk({ type: 'finish', messageMetadata }) + end
        return
      case 'answer-error':
        yield closeText() + chunk({ type: 'error', errorText: event.message }) + end
        return
    }
  }
}

/** What keeps an idle v2 connection open: a comment. */
export const keepAliveV2 = ': keep-alive\n\n'

export const headersV2 = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
}

const end = 'data: [DONE]\n\n'

const chunk = (value: { type: string } & Record<string, unknown>) => `data: ${JSON.stringify(value)}\n\n`
