import { encodeV2 } from './encode-v2.ts'
import type { EndedAnswer } from './ended-answers-store.ts'
import { SharedAnswer } from './shared-answer.ts'

/** An answer that ended on another node, as a v2 stream: the same text and sources, in one step. */
export function replayAnswer({
  threadId,
  messageId,
  text,
  sources,
  usage,
  outcome,
}: EndedAnswer): SharedAnswer {
  const answer = new SharedAnswer({ threadId, keep: true, abandonAfterMs: 0, onAbandon: () => {} })
  const { begin, encode } = encodeV2({ threadId, messageId })
  const pieces = [
    begin,
    encode({ type: 'step-start' }),
    ...sources.map((source) => encode({ type: 'source-found', source })),
    encode({ type: 'text-delta', text }),
    encode({ type: 'step-end', reason: 'stop', usage }),
    encode({ type: 'answer-end', reason: 'stop', usage, outcome }),
  ]
  void answer.write(pieces.join(''))
  answer.end()
  return answer
}
