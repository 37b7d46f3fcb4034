import type { Problem } from './compiler-api.ts'

/** Where in the project's files a mistake stands. */
export type Place = { file: string; line: number; column: number }

/** Collects the author's mistakes; the same mistake at the same place is told once. */
export class ProblemList {
  readonly #problems = new Map<string, Problem>()

  add(
    place: Place,
    problem: Omit<Problem, 'severity' | keyof Place> & { severity?: Problem['severity'] },
  ): void {
    const { severity = 'warning', code, message, hint } = problem
    const full: Problem = { severity, code, ...place, message, hint }
    this.#problems.set(`${place.file}:${place.line}:${place.column}:${code}:${message}`, full)
  }

  addAll(problems: Iterable<Problem>): void {
    for (const problem of problems) this.add(problem, problem)
  }

  /** Sorted by place, so that two builds tell the same story. */
  sorted(): Problem[] {
    return [...this.#problems.values()]
      .map(({ severity, code, file, line, column, message, hint }) => ({
        severity,
        code,
        file,
        line,
        column,
        message,
        hint,
      }))
      .sort(
        (a, b) =>
          compareText(a.file, b.file) ||
          a.line - b.line ||
          a.column - b.column ||
          compareText(a.code, b.code) ||
          compareText(a.message, b.message),
      )
  }
}

/** There is no site at all: the project's settings are missing or cannot be read. */
export class CompileError extends Error {
  readonly problems: Problem[]

  constructor(problems: Problem[]) {
    super(problems.map((problem) => `${problem.file}: ${problem.message} ${problem.hint}`).join('\n'))
    this.name = 'CompileError'
    this.problems = problems
  }
}

/** The same order on every machine, whatever its language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The line and column (from 1) of an offset in a text. */
export function placeOfOffset(file: string, text: string, offset: number): Place {
  const before = text.slice(0, Math.max(0, offset))
  const line = before.split('\n').length
  return { file, line, column: before.length - (before.lastIndexOf('\n') + 1) + 1 }
}

/** The place of the first occurrence of a fragment, or the file's beginning. */
export function placeOfText(file: string, text: string, fragment: string): Place {
  const offset = text.indexOf(fragment)
  return offset < 0 ? { file, line: 1, column: 1 } : placeOfOffset(file, text, offset)
}
