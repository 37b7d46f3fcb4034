/**
 * An answer's encoded stream, pulled by its readers: nobody reads, nothing is made. When all have left for
 * `abandonAfterMs`, the answer is abandoned: `onAbandon` is called once and what is left is drained unread.
 */
export class SharedAnswer {
  readonly threadId: string
  readonly #source: AsyncIterator<string>
  readonly #keep: boolean
  readonly #abandonAfterMs: number
  readonly #onAbandon: () => void
  readonly #chunks: string[] = []
  #dropped = 0
  #done = false
  #readers = 0
  #pulling: Promise<void> | null = null
  #leaving: NodeJS.Timeout | undefined

  constructor(input: {
    threadId: string
    source: AsyncIterable<string>
    /** Whether the whole stream is kept, for readers that come later. */
    keep: boolean
    abandonAfterMs: number
    onAbandon: () => void
  }) {
    this.threadId = input.threadId
    this.#source = input.source[Symbol.asyncIterator]()
    this.#keep = input.keep
    this.#abandonAfterMs = input.abandonAfterMs
    this.#onAbandon = input.onAbandon
  }

  get isDone(): boolean {
    return this.#done
  }

  get sizeCharacters(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  }

  /** The stream from its beginning, live where it is not over. */
  read(): { next(): Promise<string | undefined>; leave(): void } {
    let position = 0
    let isReading = true
    this.#readers += 1
    clearTimeout(this.#leaving)
    return {
      next: async () => {
        while (position - this.#dropped >= this.#chunks.length) {
          if (this.#done) return undefined
          await this.#pull()
        }
        const chunk = this.#chunks[position - this.#dropped]
        position += 1
        if (!this.#keep) this.#dropUpTo(position)
        return chunk
      },
      leave: () => {
        if (!isReading) return
        isReading = false
        this.#readers -= 1
        if (this.#readers > 0 || this.#done) return
        if (this.#abandonAfterMs === 0) this.#abandon()
        else this.#leaving = setTimeout(() => this.#abandon(), this.#abandonAfterMs)
      },
    }
  }

  #pull(): Promise<void> {
    this.#pulling ??= this.#source
      .next()
      .then((result) => {
        if (result.done) this.#done = true
        else this.#chunks.push(result.value)
      })
      .catch((error: unknown) => {
        this.#done = true
        throw error
      })
      .finally(() => {
        this.#pulling = null
      })
    return this.#pulling
  }

  #dropUpTo(position: number): void {
    this.#chunks.splice(0, position - this.#dropped)
    this.#dropped = position
  }

  #abandon(): void {
    this.#onAbandon()
    void this.#drain()
  }

  /** Lets the answer come to its end, where it stores what was written. */
  async #drain(): Promise<void> {
    try {
      while (!this.#done) await this.#pull()
    } catch {
      // The answer has already reported its failure.
    }
  }
}
