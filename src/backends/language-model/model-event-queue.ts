import type { ModelEvent } from './language-model.ts'

/** Where the events come from: held back while nobody takes them. */
export type QueueSource = {
  pause(): void
  resume(): void
  cancel(): void
  /** Whether it can rest between two texts, so that what has piled up meanwhile is read in one go. */
  pilesUp: boolean
}

/**
 * What a model sends, waiting for the answer to take it. Text that comes shortly after other text is joined to one event:
 * a reader sees no difference, and each event on its way to the reader costs as much as many tokens.
 */
export class ModelEventQueue implements AsyncIterableIterator<ModelEvent> {
  readonly #source: QueueSource
  readonly #restMs: () => number
  readonly #events: ModelEvent[] = []
  #state: { is: 'open' } | { is: 'ended' } | { is: 'failed'; error: unknown } = { is: 'open' }
  #waiting: PromiseWithResolvers<IteratorResult<ModelEvent>> | null = null
  #rest: NodeJS.Timeout | null = null
  #isPaused = false

  /** `restMs`: how long text waits for more after a text was taken. */
  constructor(source: QueueSource, { restMs }: { restMs: () => number }) {
    this.#source = source
    this.#restMs = restMs
  }

  /** Puts in what came at once. */
  push(...events: ModelEvent[]): void {
    for (const event of events) {
      const last = this.#events.at(-1)
      if (event.type === 'text-delta' && last?.type === 'text-delta') last.text += event.text
      else this.#events.push(event.type === 'text-delta' ? { ...event } : event)
    }
    this.#serve()
    const [first] = this.#events
    if (first?.type === 'text-delta' && first.text.length > mostCharacters) this.#setPaused(true)
  }

  end(): void {
    if (this.#state.is === 'open') this.#state = { is: 'ended' }
    this.#serve()
  }

  /** What came before the failure is still taken. */
  fail(error: unknown): void {
    if (this.#state.is === 'open') this.#state = { is: 'failed', error }
    this.#serve()
  }

  next(): Promise<IteratorResult<ModelEvent>> {
    this.#waiting = Promise.withResolvers()
    const { promise } = this.#waiting
    this.#serve()
    return promise
  }

  /** The answer wants no more. */
  async return(): Promise<IteratorResult<ModelEvent>> {
    const wasOpen = this.#state.is === 'open'
    this.#events.length = 0
    this.end()
    if (this.#rest) clearTimeout(this.#rest)
    if (wasOpen) this.#source.cancel()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #serve(): void {
    const waiting = this.#waiting
    if (!waiting) return
    const [first] = this.#events
    if (first === undefined) {
      if (this.#state.is === 'open') return
      this.#waiting = null
      if (this.#state.is === 'failed') waiting.reject(this.#state.error)
      else waiting.resolve({ done: true, value: undefined })
      return
    }
    const mayGrow = first.type === 'text-delta' && this.#events.length === 1 && this.#state.is === 'open'
    if (mayGrow && this.#rest) return
    this.#waiting = null
    this.#events.shift()
    waiting.resolve({ done: false, value: first })
    if (first.type === 'text-delta') this.#startRest()
    this.#setPaused(this.#rest !== null && this.#source.pilesUp) // Last, since the source may push at once.
  }

  #startRest(): void {
    const restMs = this.#restMs()
    if (this.#rest) clearTimeout(this.#rest)
    if (restMs === 0) return
    this.#rest = setTimeout(() => {
      this.#rest = null
      this.#setPaused(this.#events.length > 0 && this.#source.pilesUp)
      this.#serve()
    }, restMs)
  }

  #setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return
    this.#isPaused = isPaused
    if (isPaused) this.#source.pause()
    else this.#source.resume()
  }
}

const mostCharacters = 16 * 1024
