import type { EmbeddingModel } from './embedding-model.ts'

/** Vectors of questions, as a search asks for them: soon, or not at all. */
export type QuestionVectors = {
  /** The name of the model, which must be that of the passages' vectors. */
  name: string
  /** Null where there is none in time; it never throws. */
  ask(question: string): Promise<Float32Array | null>
  readonly counts: Readonly<Record<QuestionOutcome, number>>
}

export type QuestionOutcome = 'answered' | 'remembered' | 'failed' | 'skipped'

export type QuestionVectorsOptions = {
  /** How long a search waits for the model. */
  timeoutMs?: number
  /** After so many failures in a row it is left alone for `pauseMs`; then one question tries it again. */
  failures?: number
  pauseMs?: number
  remembered?: number
  now(): number
  /** Told once when the model is given up and once when it is back. */
  onChange(change: { working: boolean; reason: string }): void
}

/** A model for questions that can neither hold up a search nor end it. */
export function openQuestionVectors(model: EmbeddingModel, options: QuestionVectorsOptions): QuestionVectors {
  const { timeoutMs = 800, failures = 3, pauseMs = 30_000, remembered = 500, now, onChange } = options
  const known = new Map<string, Float32Array>()
  const counts = { answered: 0, remembered: 0, failed: 0, skipped: 0 }
  let failedInARow = 0
  let restUntil = 0

  const failed = (error: unknown): null => {
    counts.failed += 1
    failedInARow += 1
    if (failedInARow >= failures) restUntil = now() + pauseMs
    if (failedInARow === failures) {
      onChange({ working: false, reason: error instanceof Error ? error.message : String(error) })
    }
    return null
  }
  const answered = (question: string, vector: Float32Array): Float32Array => {
    counts.answered += 1
    if (failedInARow >= failures) onChange({ working: true, reason: 'The embedding model answers again.' })
    failedInARow = 0
    known.set(question, vector)
    for (const oldest of known.keys()) {
      if (known.size <= remembered) break
      known.delete(oldest)
    }
    return vector
  }
  return {
    name: model.name,
    counts,
    ask: async (question) => {
      const vector = known.get(question)
      if (vector !== undefined) {
        counts.remembered += 1
        known.delete(question)
        known.set(question, vector) // The last used stands last.
        return vector
      }
      if (failedInARow >= failures) {
        if (now() < restUntil) {
          counts.skipped += 1
          return null
        }
        restUntil = now() + pauseMs // This question tries; the others go on without until it is back.
      }
      try {
        const [first] = await model.embed([question], {
          as: 'question',
          signal: AbortSignal.timeout(timeoutMs),
        })
        return first === undefined ? failed('No vector came.') : answered(question, first)
      } catch (error) {
        return failed(error)
      }
    },
  }
}
