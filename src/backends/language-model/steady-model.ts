import { type LanguageModel, ModelError, type ModelEvent, type ModelRequest } from './language-model.ts'

export type SteadyOptions = {
  /** Asked when the first model fails twice before its first event. */
  fallback: LanguageModel | null
  /** How long a model may take to its first event. */
  firstEventTimeoutMs: number
  /** How long a model may pause between two events. */
  idleTimeoutMs: number
  /** How long one call may take in all. */
  totalTimeoutMs: number
}

/** One retry before the first event, then the fallback; a silent model is given up. After the first event nothing is repeated. */
export function steadyModel(first: LanguageModel, options: SteadyOptions): LanguageModel {
  const tries = options.fallback ? [first, first, options.fallback] : [first, first]
  return {
    name: first.name,
    stream: (request) => streamSteadily(tries, request, options),
  }
}

async function* streamSteadily(
  tries: LanguageModel[],
  request: ModelRequest,
  options: SteadyOptions,
): AsyncGenerator<ModelEvent> {
  let last: unknown
  let refusing: LanguageModel | undefined
  for (const model of tries) {
    if (model === refusing) continue // Asking again cannot help.
    let begun = false
    try {
      for await (const event of watched(model, request, options)) {
        begun = true
        yield event
      }
      return
    } catch (error) {
      if (begun || request.signal.aborted) throw error
      if (error instanceof ModelError && !error.retryable) refusing = model
      last = error
    }
  }
  throw last
}

/** The model's events, with a timeout that also aborts the call underneath. */
async function* watched(
  model: LanguageModel,
  request: ModelRequest,
  options: SteadyOptions,
): AsyncGenerator<ModelEvent> {
  const giveUp = new AbortController()
  const signal = AbortSignal.any([request.signal, giveUp.signal])
  const events = model.stream({ ...request, signal })[Symbol.asyncIterator]()
  const endsAt = performance.now() + options.totalTimeoutMs
  try {
    for (let first = true; ; first = false) {
      const pauseMs = first ? options.firstEventTimeoutMs : options.idleTimeoutMs
      const limitMs = Math.min(pauseMs, endsAt - performance.now())
      const next = limitMs > 0 ? await withinTime(events.next(), limitMs) : 'too late'
      if (next === 'too late') {
        throw new ModelError(
          'timeout',
          `The model ${model.name} sent nothing more within ${Math.max(0, Math.round(limitMs))} ms.`,
        )
      }
      if (next.done) return
      yield next.value
    }
  } finally {
    giveUp.abort()
    events.return?.().then(undefined, () => {}) // Not awaited: a stuck model must not hold the answer.
  }
}

async function withinTime<Value>(work: Promise<Value>, limitMs: number): Promise<Value | 'too late'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'too late'>((resolve) => {
    timer = setTimeout(() => resolve('too late'), limitMs)
  })
  work.catch(() => {}) // When time wins the race, a later rejection has nobody to tell.
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
