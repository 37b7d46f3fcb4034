import type { Problem } from '../compiler-api.ts'
import { listOperations } from './list-operations.ts'
import { parseReference } from './find-operation.ts'
import type { LoadedSpec } from './openapi-api.ts'

/** What takes the place of an operation that no specification has: a report to the author, a page for the reader. */
export type MissingEndpoint = { problem: Problem; markdown: string; title: string; nearest: string[] }

export function missingEndpoint(
  reference: string,
  input: { file: string; line?: number; column?: number; specs: readonly LoadedSpec[] },
): MissingEndpoint {
  const nearest = nearestReferences(reference, input.specs)
  const parsed = parseReference(reference)
  const title = parsed?.type === 'operation' ? `${parsed.method} ${parsed.path}` : reference.trim()
  const known = nearest.map((name) => `"${name}"`).join(', ')
  const files = input.specs.map((spec) => spec.file).join(', ')
  const hint =
    input.specs.length === 0
      ? 'No specification was found: add an OpenAPI file to the project, or name it under "openapi" in docs.json.'
      : nearest.length === 0
        ? `Correct the method and path, or add the operation to ${files}.`
        : `Did you mean ${known}? Otherwise add the operation to ${files}.`
  const list = nearest.map((name) => `- \`${name}\``).join('\n')
  const markdown = [
    `This page describes \`${title}\`, which the API specification does not contain.`,
    ...(list === '' ? [] : [`The specification has these, which come near:\n\n${list}`]),
  ].join('\n\n')
  const problem: Problem = {
    severity: 'warning',
    code: 'missing_operation',
    file: input.file,
    line: input.line ?? 1,
    column: input.column ?? 1,
    message: `No specification has "${reference.trim()}".`,
    hint,
  }
  return { problem, markdown, title, nearest }
}

function nearestReferences(reference: string, specs: readonly LoadedSpec[]): string[] {
  const parsed = parseReference(reference)
  if (parsed?.type === 'spec') return []
  const wanted =
    parsed === undefined ? reference.trim() : parsed.type === 'webhook' ? parsed.name : parsed.path
  const method = parsed?.type === 'operation' ? parsed.method : ''
  const scored: { label: string; score: number }[] = []
  for (const spec of specs) {
    for (const operation of listOperations(spec)) {
      const distance = pathDistance(wanted.toLowerCase(), operation.path.toLowerCase())
      const score = distance + (method !== '' && operation.method !== method ? 1.5 : 0)
      if (score > Math.max(3, wanted.length * 0.4)) continue
      scored.push({ label: `${operation.method} ${operation.path}`.trim(), score })
    }
  }
  scored.sort((one, other) => one.score - other.score || (one.label < other.label ? -1 : 1))
  return [...new Set(scored.map((entry) => entry.label))].slice(0, 3)
}

/** Paths are near when few letters differ, or when one goes on a little further than the other. */
function pathDistance(one: string, other: string): number {
  const letters = editDistance(one, other, 24)
  const parts = one.split('/')
  const others = other.split('/')
  let shared = 0
  while (shared < parts.length && parts[shared] === others[shared]) shared += 1
  return shared < 2 ? letters : Math.min(letters, 4 * (Math.max(parts.length, others.length) - shared))
}

/** How many letters must change; stops counting at the limit. */
function editDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    let best = row
    for (let column = 1; column <= other.length; column += 1) {
      const change = one[row - 1] === other[column - 1] ? 0 : 1
      const value = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + change,
      )
      current.push(value)
      best = Math.min(best, value)
    }
    if (best > limit) return limit + 1
    previous = current
  }
  return previous[other.length] ?? limit + 1
}
