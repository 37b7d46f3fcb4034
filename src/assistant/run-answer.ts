import type { AnswerEncoder, AnswerEvent, AnswerOutcome, Source, Usage } from './answer-event.ts'
import type { MessageStatus } from './assistant-store.ts'
import type { SharedAnswer } from './shared-answer.ts'

export type AnswerRecord = {
  text: string
  sources: Source[]
  usage: Usage
  status: MessageStatus
  outcome: AnswerOutcome | null
  firstByteMs: number | null
  durationMs: number
}

export type RunningAnswer = {
  /**
   * Waits for the first words, or for `limitMs`, before anything is sent: a model that fails at once can then still be told
   * by an HTTP status. Rejects when the answer has failed by then; what fails later is an event of the protocol.
   */
  begin(limitMs: number): Promise<void>
}

/**
 * Takes an answer from its events to its readers: encodes them, never faster than they are read, and hands the whole to
 * `store` before the readers learn of the end, or when the end never comes. Each event passes here once, without a
 * generator in between, since there are many of them.
 */
export function runAnswer(input: {
  events: AsyncIterable<AnswerEvent>
  encoder: AnswerEncoder
  answer: Pick<SharedAnswer, 'write' | 'end'>
  clock: () => number
  store: (record: AnswerRecord) => Promise<void>
  /** What a reader is told when the answer fails on its way. */
  failureMessage: string
  onFirstText: () => void
  onFailure: (error: unknown, at: { hasText: boolean }) => void
}): RunningAnswer {
  const { encoder, answer, clock } = input
  const startedAt = clock()
  const record = newRecord()
  const beginning = Promise.withResolvers<void>()
  let hasBegun = false
  let isStored = false
  const begin = () => {
    hasBegun = true
    beginning.resolve()
  }
  const storeOnce = async () => {
    if (isStored) return
    isStored = true
    record.durationMs = Math.round(clock() - startedAt)
    await input.store(record)
  }
  const run = async () => {
    try {
      answer.write(encoder.begin)
      for await (const event of input.events) {
        record.firstByteMs ??= Math.round(clock() - startedAt)
        const isFirstText = event.type === 'text-delta' && record.text === ''
        note(record, event)
        if (event.type === 'answer-end') await storeOnce()
        const room = answer.write(encoder.encode(event))
        if (isFirstText) {
          input.onFirstText()
          begin()
        }
        if (room) await room
      }
    } catch (error) {
      record.status = 'failed'
      if (hasBegun) input.onFailure(error, { hasText: record.text !== '' })
      else beginning.reject(error)
      answer.write(encoder.encode({ type: 'answer-error', message: input.failureMessage }))
    }
    await storeOnce().catch((error: unknown) => input.onFailure(error, { hasText: true }))
    begin()
    answer.end()
  }
  void run()
  return {
    begin: async (limitMs) => {
      const timer = setTimeout(begin, limitMs)
      try {
        await beginning.promise
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

const newRecord = (): AnswerRecord => ({
  text: '',
  sources: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  status: 'left',
  outcome: null,
  firstByteMs: null,
  durationMs: 0,
})

function note(record: AnswerRecord, event: AnswerEvent): void {
  switch (event.type) {
    case 'text-delta':
      record.text += event.text
      break
    case 'source-found':
      record.sources.push(event.source)
      break
    case 'step-end':
      record.usage.inputTokens += event.usage.inputTokens
      record.usage.outputTokens += event.usage.outputTokens
      break
    case 'answer-end':
      record.status = 'complete'
      record.outcome = event.outcome
      break
  }
}
