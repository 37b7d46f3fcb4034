import type { Database } from '../backends/index.ts'
import { type StoredExchange, storeExchanges } from './assistant-store.ts'

type Waiting = { exchange: StoredExchange; resolve(): void; reject(error: unknown): void }

/**
 * Writes what ends at about the same time in one transaction. A commit waits for the disk, and with it every stream of the
 * process: when many answers end, at most a fifth of the time is spent on that.
 */
export class ExchangeWriter {
  readonly #database: Database
  readonly #clock: () => number
  #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  #isWriting = false
  #restUntil = 0

  constructor({ database, clock }: { database: Database; clock: () => number }) {
    this.#database = database
    this.#clock = clock
  }

  /** Resolves when the exchange is stored for good. */
  store(exchange: StoredExchange): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ exchange, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#waiting.length === 0 || this.#isWriting || this.#timer !== undefined) return
    const restMs = Math.min(longestRestMs, Math.max(0, this.#restUntil - this.#clock()))
    this.#timer = setTimeout(() => void this.#write(), restMs)
  }

  async #write(): Promise<void> {
    const batch = this.#waiting.splice(0, mostTogether)
    this.#timer = undefined
    this.#isWriting = true
    const startedAt = this.#clock()
    try {
      await storeExchanges(
        this.#database,
        batch.map(({ exchange }) => exchange),
      )
      for (const { resolve } of batch) resolve()
    } catch (error) {
      await this.#writeApart(batch, error)
    }
    this.#restUntil = this.#clock() + 4 * (this.#clock() - startedAt)
    this.#isWriting = false
    this.#schedule()
  }

  /** One exchange that cannot be stored takes no other with it. */
  async #writeApart(batch: Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1) return batch[0]!.reject(error)
    for (const { exchange, resolve, reject } of batch) {
      await storeExchanges(this.#database, [exchange]).then(resolve, reject)
    }
  }
}

const longestRestMs = 100
const mostTogether = 200
