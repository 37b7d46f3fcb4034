/**
 * How long words of an answer wait for others. The more answers are open, the longer, so that a busy node writes larger
 * pieces instead of falling behind; even then a reader sees words come several times a second.
 */
export class Pace {
  #open = 0

  get restMs(): number {
    return Math.round(Math.min(longestMs, Math.max(shortestMs, this.#open / answersPerMs)))
  }

  /** Counts an answer in; what it returns counts it out, once. */
  begin(): () => void {
    this.#open += 1
    let isOpen = true
    return () => {
      if (isOpen) this.#open -= 1
      isOpen = false
    }
  }
}

const shortestMs = 50
const longestMs = 150
const answersPerMs = 8
