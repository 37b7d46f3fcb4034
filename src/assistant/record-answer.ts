import type { AnswerEvent, AnswerOutcome, Source, Usage } from './answer-event.ts'
import type { MessageStatus } from './assistant-store.ts'

export type AnswerRecord = {
  text: string
  sources: Source[]
  usage: Usage
  status: MessageStatus
  outcome: AnswerOutcome | null
  firstByteMs: number | null
  durationMs: number
}

/** Passes the events on and hands the whole to `store` before the reader learns of the end, or when the end never comes. */
export async function* recordAnswer(
  events: AsyncIterable<AnswerEvent>,
  { clock, store }: { clock: () => number; store: (record: AnswerRecord) => Promise<void> },
): AsyncGenerator<AnswerEvent> {
  const startedAt = clock()
  const record: AnswerRecord = {
    text: '',
    sources: [],
    usage: { inputTokens: 0, outputTokens: 0 },
    status: 'left',
    outcome: null,
    firstByteMs: null,
    durationMs: 0,
  }
  let isStored = false
  const storeOnce = async () => {
    if (isStored) return
    isStored = true
    record.durationMs = Math.round(clock() - startedAt)
    await store(record)
  }
  try {
    for await (const event of events) {
      record.firstByteMs ??= Math.round(clock() - startedAt)
      if (event.type === 'text-delta') record.text += event.text
      else if (event.type === 'source-found') record.sources.push(event.source)
      else if (event.type === 'step-end') addUsage(record.usage, event.usage)
      else if (event.type === 'answer-end') {
        record.status = 'complete'
        record.outcome = event.outcome
        await storeOnce()
      }
      yield event
    }
  } catch (error) {
    record.status = 'failed'
    throw error
  } finally {
    await storeOnce()
  }
}

function addUsage(total: Usage, step: Usage): void {
  total.inputTokens += step.inputTokens
  total.outputTokens += step.outputTokens
}
