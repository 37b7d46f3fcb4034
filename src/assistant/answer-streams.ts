import type { SharedAnswer } from './shared-answer.ts'

/** The answers of this node that can be resumed: those being written, and for a while those that ended. */
export class AnswerStreams {
  readonly #clock: () => number
  readonly #answers = new Map<string, { answer: SharedAnswer; addedAt: number }>()

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** Chats with a short name are not kept: another reader could guess it. */
  mayResume(chatId: string | null): chatId is string {
    return chatId !== null && chatId.length >= 16 && chatId.length <= 200
  }

  add(key: string, answer: SharedAnswer): void {
    this.#forgetOld()
    this.#answers.delete(key)
    this.#answers.set(key, { answer, addedAt: this.#clock() })
  }

  get(key: string): SharedAnswer | undefined {
    this.#forgetOld()
    const answer = this.#answers.get(key)?.answer
    return answer?.isAbandoned ? undefined : answer
  }

  /** In order of their adding, so the first young one ends the search. */
  #forgetOld(): void {
    const oldest = this.#clock() - keptMs
    for (const [key, { addedAt }] of this.#answers) {
      if (addedAt >= oldest && this.#answers.size < answersKept) return
      this.#answers.delete(key)
    }
  }
}

/** How long an ended answer can be read again. */
export const keptMs = 5 * 60_000
const answersKept = 500
