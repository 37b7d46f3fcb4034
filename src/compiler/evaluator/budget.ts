import { EvaluationError } from './values.ts'

/** What page code may spend. Every limit is far above what real pages need and far below what hurts a build. */
export const evaluationLimits = {
  steps: 400_000,
  depth: 150,
  /** Characters and list items that a page may make. */
  size: 8_000_000,
  patternInput: 20_000,
  patternSource: 300,
}

/** Counts what the code of one page spends. */
export class Budget {
  #steps = 0
  #depth = 0
  #size = 0

  step(): void {
    this.#steps += 1
    if (this.#steps > evaluationLimits.steps) throw tooMuch('takes too many steps')
  }

  grow(size: number): void {
    this.#size += size
    if (this.#size > evaluationLimits.size) throw tooMuch('makes too much data')
  }

  nested<T>(run: () => T): T {
    this.#depth += 1
    if (this.#depth > evaluationLimits.depth) {
      this.#depth -= 1
      throw tooMuch('nests too deeply')
    }
    try {
      return run()
    } finally {
      this.#depth -= 1
    }
  }
}

function tooMuch(what: string): EvaluationError {
  return new EvaluationError('limit', `The code ${what}.`)
}
