import type { AnswerEncoder, AnswerEvent } from './answer-event.ts'

/** The answer as the AI SDK's UI message stream, in the words that 5.0.0 already knew: later clients know them too. */
export function encodeV2({ threadId, messageId }: { threadId: string; messageId: string }): AnswerEncoder {
  const messageMetadata = { threadId }
  let text = 0
  let textIsOpen = false
  const openText = () => {
    if (textIsOpen) return ''
    text += 1
    textIsOpen = true
    return chunk({ type: 'text-start', id: `text-${text}` })
  }
  const closeText = () => {
    if (!textIsOpen) return ''
    textIsOpen = false
    return chunk({ type: 'text-end', id: `text-${text}` })
  }
  const encode = (event: AnswerEvent): string => {
    switch (event.type) {
      case 'step-start':
        return chunk({ type: 'start-step' })
      case 'tool-call':
        return (
          closeText() +
          chunk({
            type: 'tool-input-available',
            toolCallId: event.callId,
            toolName: event.toolName,
            input: event.input,
          })
        )
      case 'tool-result':
        return chunk({ type: 'tool-output-available', toolCallId: event.callId, output: event.output })
      case 'source-found':
        return chunk({
          type: 'source-url',
          sourceId: event.source.id,
          url: event.source.url,
          title: event.source.title,
        })
      case 'text-delta':
        return openText() + chunk({ type: 'text-delta', id: `text-${text}`, delta: event.text })
      case 'step-end':
        return closeText() + chunk({ type: 'finish-step' })
      case 'answer-end':
        return closeText() + chunk({ type: 'finish', messageMetadata }) + end
      case 'answer-error':
        return closeText() + chunk({ type: 'error', errorText: event.message }) + end
    }
  }
  return { begin: chunk({ type: 'start', messageId, messageMetadata }), encode }
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
