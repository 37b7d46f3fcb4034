import type { Problem } from '../compiler-api.ts'
import { listOperations } from './list-operations.ts'
import { findOperation, findSpec, parseReference, type Reference } from './find-operation.ts'
import type { LoadedSpec, Operation } from './openapi-api.ts'

/** What takes the place of an operation that a specification lacks: a report to the author, a page for the reader. */
export type MissingEndpoint = {
  problem: Problem
  markdown: string
  title: string
  nearest: string[]
  /** The same operation in another specification, such as the original of a translation: better than nothing to a reader. */
  substitute?: Operation
}

export function missingEndpoint(
  reference: string,
  input: { file: string; line?: number; column?: number; specs: readonly LoadedSpec[] },
): MissingEndpoint {
  const { specs } = input
  const parsed = parseReference(reference)
  const named = parsed?.file === undefined ? undefined : findSpec(specs, parsed.file, { from: input.file })
  const nearest = nearestReferences(reference, named === undefined ? specs : [named])
  const substitute = named === undefined ? undefined : substituteFor(parsed, named, specs)
  const title = titleOf(parsed, reference)
  const hint = hintFor({ specs, named, nearest, substitute })
  const list = nearest.map((name) => `- \`${name}\``).join('\n')
  const markdown = [
    `This page describes \`${title}\`, which the API specification does not contain.`,
    ...(list === '' ? [] : [`The specification has these, which come near:\n\n${list}`]),
  ].join('\n\n')
  const message =
    named !== undefined
      ? `The specification ${named.file} has no "${title}".`
      : parsed?.file !== undefined
        ? `There is no specification "${parsed.file}".`
        : `No specification has "${title}".`
  const place = { file: input.file, line: input.line ?? 1, column: input.column ?? 1 }
  const problem: Problem = { severity: 'warning', code: 'missing_operation', ...place, message, hint }
  return { problem, markdown, title, nearest, ...(substitute === undefined ? {} : { substitute }) }
}

function titleOf(parsed: Reference | undefined, reference: string): string {
  if (parsed?.type === 'operation') return `${parsed.method} ${parsed.path}`
  return parsed?.type === 'webhook' ? `webhook ${parsed.name}` : reference.trim()
}

function hintFor(input: {
  specs: readonly LoadedSpec[]
  named: LoadedSpec | undefined
  nearest: string[]
  substitute: Operation | undefined
}): string {
  const { specs, named, nearest, substitute } = input
  if (specs.length === 0) {
    return 'No specification was found: add an OpenAPI file to the project, or name it under "openapi" in docs.json.'
  }
  const target = named?.file ?? fileList(specs)
  if (substitute !== undefined)
    return `That of ${substitute.file} is shown instead; add the operation to ${target}.`
  if (nearest.length === 0) return `Correct the method and path, or add the operation to ${target}.`
  return `Did you mean ${nearest.map((name) => `"${name}"`).join(', ')}? Otherwise add the operation to ${target}.`
}

function fileList(specs: readonly LoadedSpec[]): string {
  const names = specs.slice(0, 4).map((spec) => spec.file)
  return specs.length > 4 ? `${names.join(', ')} or one of ${specs.length - 4} more` : names.join(' or ')
}

function substituteFor(
  parsed: Reference | undefined,
  named: LoadedSpec,
  specs: readonly LoadedSpec[],
): Operation | undefined {
  if (parsed === undefined || parsed.type === 'spec') return undefined
  const plain = parsed.type === 'webhook' ? `webhook ${parsed.name}` : `${parsed.method} ${parsed.path}`
  const namesake = (spec: LoadedSpec) => baseName(spec.file) === baseName(named.file)
  const others = specs.filter((spec) => spec !== named)
  return findOperation(others.filter(namesake), plain) ?? findOperation(others, plain)
}

function baseName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1)
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
