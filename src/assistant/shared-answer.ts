/**
 * An answer's encoded stream and those who read it. It is made at most a little ahead of its fastest reader. When all have
 * left for `abandonAfterMs`, it is abandoned: `onAbandon` is called once, and what still comes is dropped.
 */
export class SharedAnswer {
  readonly threadId: string
  readonly #keep: boolean
  readonly #abandonAfterMs: number
  readonly #onAbandon: () => void
  readonly #readers = new Set<Reader>()
  #chunks: string[] = []
  #dropped = 0
  #unreadCharacters = 0
  #isOver = false
  #isAbandoned = false
  #room: PromiseWithResolvers<void> | null = null
  #leaving: NodeJS.Timeout | undefined

  constructor(input: {
    threadId: string
    /** Whether the whole stream is kept, for readers that come later. */
    keep: boolean
    abandonAfterMs: number
    onAbandon: () => void
  }) {
    this.threadId = input.threadId
    this.#keep = input.keep
    this.#abandonAfterMs = input.abandonAfterMs
    this.#onAbandon = input.onAbandon
  }

  /** Nobody wanted it to its end, so that it has none. */
  get isAbandoned(): boolean {
    return this.#isAbandoned
  }

  /** Gives the next piece to the readers; a promise where the next one should wait for them. */
  write(chunk: string): Promise<void> | undefined {
    if (chunk === '' || this.#isAbandoned) return undefined
    this.#chunks.push(chunk)
    this.#unreadCharacters += chunk.length
    for (const reader of this.#readers) this.#deliver(reader)
    if (this.#unreadCharacters <= mostAhead) return undefined
    this.#room ??= Promise.withResolvers()
    return this.#room.promise
  }

  end(): void {
    this.#isOver = true
    for (const reader of this.#readers) this.#deliver(reader)
  }

  /** The stream from its beginning, live where it is not over. */
  read(sink: AnswerSink): { more(): void; leave(): void } {
    const reader: Reader = { sink, position: this.#dropped, isFull: false }
    clearTimeout(this.#leaving)
    this.#readers.add(reader)
    this.#deliver(reader)
    return {
      more: () => {
        reader.isFull = false
        this.#deliver(reader)
      },
      leave: () => {
        if (!this.#readers.delete(reader) || this.#readers.size > 0 || this.#isOver) return
        if (this.#abandonAfterMs === 0) this.#abandon()
        else this.#leaving = setTimeout(() => this.#abandon(), this.#abandonAfterMs)
      },
    }
  }

  #deliver(reader: Reader): void {
    if (reader.isFull || !this.#readers.has(reader)) return
    const end = this.#dropped + this.#chunks.length
    if (reader.position < end) {
      const pieces = this.#chunks.slice(reader.position - this.#dropped)
      reader.position = end
      this.#unreadCharacters = 0
      this.#room?.resolve()
      this.#room = null
      if (!this.#keep) {
        this.#chunks = []
        this.#dropped = end
      }
      reader.isFull = !reader.sink.write(pieces.length === 1 ? pieces[0]! : pieces.join(''))
    }
    if (!this.#isOver || reader.isFull) return
    this.#readers.delete(reader)
    reader.sink.end()
  }

  #abandon(): void {
    this.#isAbandoned = true
    this.#chunks = []
    this.#room?.resolve()
    this.#room = null
    this.#onAbandon()
  }
}

export type AnswerSink = {
  /** False where it wants no more until it asks for it. */
  write(text: string): boolean
  end(): void
}

type Reader = { sink: AnswerSink; position: number; isFull: boolean }

/** How far an answer may be made ahead of whoever reads it. */
const mostAhead = 16 * 1024
