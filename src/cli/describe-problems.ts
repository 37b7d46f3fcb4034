import type { Problem } from '../compiler/index.ts'

/** Problems grouped by file, as a person reads them; at most `most` of them in full. */
export function describeProblems(
  problems: Problem[],
  options: { color: boolean | undefined; most?: number },
): string {
  if (problems.length === 0) return ''
  const paint = (code: number, text: string) => (options.color ? `\u001b[${code}m${text}\u001b[0m` : text)
  const most = options.most ?? Number.POSITIVE_INFINITY
  const shown = [...problems]
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, most)
    .sort((one, other) => compare(one.file, other.file) || one.line - other.line || one.column - other.column)
  const lines: string[] = []
  let file = ''
  for (const problem of shown) {
    if (problem.file !== file) lines.push('', paint(1, problem.file))
    file = problem.file
    const place = `${problem.line}:${problem.column}`.padEnd(8)
    const severity = problem.severity === 'error' ? paint(31, 'error  ') : paint(33, 'warning')
    lines.push(`  ${paint(2, place)} ${severity}  ${problem.message} ${paint(2, problem.code)}`)
    if (problem.hint) lines.push(`           ${paint(2, problem.hint)}`)
  }
  if (problems.length > shown.length)
    lines.push('', `… and ${problems.length - shown.length} more; quire check lists them all.`)
  return `${lines.join('\n').trimStart()}\n${countLine(problems)}\n`
}

function countLine(problems: Problem[]): string {
  const errors = problems.filter((problem) => problem.severity === 'error').length
  const warnings = problems.length - errors
  return `\n${plural(errors, 'error')}, ${plural(warnings, 'warning')}`
}

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`
const rank = (problem: Problem) => (problem.severity === 'error' ? 0 : 1)
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
