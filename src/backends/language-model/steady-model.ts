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
    const call = new WatchedCall(model, request, options)
    let begun = false
    try {
      for (let event = await call.next(); event !== undefined; event = await call.next()) {
        begun = true
        yield event
      }
      return
    } catch (error) {
      if (begun || request.signal.aborted) throw error
      if (error instanceof ModelError && !error.retryable) refusing = model
      last = error
    } finally {
      call.close()
    }
  }
  throw last
}

/** One call of a model, given up when the model is silent or does not come to an end; only the time it is waited for counts as silence. */
class WatchedCall {
  readonly #name: string
  readonly #options: SteadyOptions
  readonly #signal: AbortSignal
  readonly #giveUp = new AbortController()
  readonly #abort = () => this.#giveUp.abort()
  readonly #events: AsyncIterator<ModelEvent>
  readonly #total: NodeJS.Timeout
  #silence: NodeJS.Timeout | undefined
  #hasBegun = false
  #isTooLong = false
  #isOver = false
  #reject: ((error: ModelError) => void) | null = null

  constructor(model: LanguageModel, request: ModelRequest, options: SteadyOptions) {
    this.#name = model.name
    this.#options = options
    this.#signal = request.signal
    if (request.signal.aborted) this.#abort()
    request.signal.addEventListener('abort', this.#abort, { once: true })
    this.#events = model.stream({ ...request, signal: this.#giveUp.signal })[Symbol.asyncIterator]()
    this.#total = setTimeout(() => {
      this.#isTooLong = true
      this.#stop(options.totalTimeoutMs)
    }, options.totalTimeoutMs)
  }

  /** The next event, undefined at the end. */
  next(): Promise<ModelEvent | undefined> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      if (this.#isTooLong) return this.#stop(this.#options.totalTimeoutMs)
      this.#watch()
      this.#events.next().then((result) => {
        this.#reject = null
        this.#isOver = result.done ?? false
        resolve(result.done ? undefined : result.value)
      }, reject)
    })
  }

  close(): void {
    clearTimeout(this.#total)
    clearTimeout(this.#silence)
    this.#signal.removeEventListener('abort', this.#abort)
    if (this.#isOver) return
    this.#abort()
    this.#events.return?.().then(undefined, () => {}) // Not awaited: a stuck model must not hold the answer.
  }

  /** One timer, wound up again for each event but the first, which may take longer. */
  #watch(): void {
    const { firstEventTimeoutMs, idleTimeoutMs } = this.#options
    if (this.#silence && this.#hasBegun) return void this.#silence.refresh()
    clearTimeout(this.#silence)
    this.#hasBegun = this.#silence !== undefined
    const limitMs = this.#hasBegun ? idleTimeoutMs : firstEventTimeoutMs
    this.#silence = setTimeout(() => this.#stop(limitMs), limitMs)
  }

  #stop(limitMs: number): void {
    this.#reject?.(
      new ModelError('timeout', `The model ${this.#name} sent nothing more within ${limitMs} ms.`),
    )
  }
}
