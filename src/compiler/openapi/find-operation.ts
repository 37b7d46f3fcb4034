import { listOperations, listSchemas, methods } from './list-operations.ts'
import type { LoadedSpec, Operation } from './openapi-api.ts'

/** What a page or a navigation entry asks for. */
export type Reference =
  | { type: 'operation'; file?: string; method: string; path: string }
  | { type: 'webhook'; file?: string; name: string }
  | { type: 'spec'; file: string }

export type ReferenceContext = {
  /** The file that holds the reference, for files named relative to it. */
  from?: string
  /** Files to look in first, such as the one a navigation group names. */
  preferred?: string[]
}

/**
 * Finds what `GET /users`, `file.json GET /users` or `file webhook name` names. Files may be absolute, relative or a
 * bare name without extension; without a file, all specifications are searched in the order of their names.
 */
export function findOperation(
  specs: readonly LoadedSpec[],
  reference: string,
  context: ReferenceContext = {},
): Operation | undefined {
  const parsed = parseReference(reference)
  if (parsed === undefined || parsed.type === 'spec') return undefined
  for (const spec of specsOf(specs, parsed.file, context)) {
    const operation = operationIn(spec, parsed)
    if (operation !== undefined) return operation
  }
  return undefined
}

/** Finds `channel` or `file.yaml channel` of an `asyncapi` reference. */
export function findChannel(
  specs: readonly LoadedSpec[],
  reference: string,
  context: ReferenceContext = {},
): Operation | undefined {
  const channels = (spec: LoadedSpec) => (spec.kind === 'asyncapi' ? listOperations(spec) : [])
  return findNamed({ specs, reference, context, list: channels })
}

/** Finds `Name` or `file.json Name` of an `openapi-schema` reference. */
export function findSchema(
  specs: readonly LoadedSpec[],
  reference: string,
  context: ReferenceContext = {},
): Operation | undefined {
  return findNamed({ specs, reference, context, list: listSchemas })
}

/** Finds the specification that a file name stands for, in every form people write it. */
export function findSpec(
  specs: readonly LoadedSpec[],
  file: string,
  context: ReferenceContext = {},
): LoadedSpec | undefined {
  return specsOf(specs, file, context)[0]
}

/** `undefined` when the text names no operation, webhook or file. */
export function parseReference(reference: string): Reference | undefined {
  const text = reference.trim()
  const match = new RegExp(`^(?:(.+?)\\s+)?(${methods.join('|')}|webhook)\\s+(\\S.*)$`, 'i').exec(text)
  if (match === null) return /^\S+\.(json|ya?ml)$/i.test(text) ? { type: 'spec', file: text } : undefined
  const [, written, word = '', target = ''] = match
  const file = written === undefined ? {} : { file: written }
  if (word.toLowerCase() === 'webhook') return { type: 'webhook', ...file, name: target }
  return { type: 'operation', ...file, method: word.toUpperCase(), path: target }
}

function specsOf(
  specs: readonly LoadedSpec[],
  file: string | undefined,
  context: ReferenceContext,
): LoadedSpec[] {
  if (file !== undefined) {
    for (const matches of fileMatchers(file, context.from)) {
      const found = specs.filter((spec) => matches(spec.file))
      if (found.length > 0) return found
    }
    return []
  }
  const preferred = (context.preferred ?? []).flatMap(
    (name) => findSpec(specs, name, omitPreferred(context)) ?? [],
  )
  const others = specs.filter((spec) => !preferred.includes(spec)).sort(byFile)
  return [...preferred, ...others]
}

/** From the strictest reading of a file name to the most forgiving. */
function fileMatchers(file: string, from: string | undefined): ((candidate: string) => boolean)[] {
  const name = normalPath(file)
  const besides = from === undefined ? name : normalPath(`${folderOf(from)}${file}`)
  const bare = withoutExtension(name)
  return [
    (candidate) => candidate === file || candidate === name,
    (candidate) => candidate === besides,
    (candidate) =>
      withoutExtension(candidate) === bare || withoutExtension(candidate) === withoutExtension(besides),
    (candidate) => candidate.endsWith(`/${name}`),
    (candidate) => withoutExtension(baseName(candidate)) === bare,
    (candidate) => withoutExtension(candidate).endsWith(`/${bare}`),
  ]
}

function operationIn(
  spec: LoadedSpec,
  reference: Exclude<Reference, { type: 'spec' }>,
): Operation | undefined {
  if (spec.kind !== 'openapi') return undefined
  const operations = listOperations(spec)
  if (reference.type === 'webhook') {
    return operations.find((operation) => operation.kind === 'webhook' && operation.path === reference.name)
  }
  const ofMethod = operations.filter(
    (operation) => operation.kind === 'operation' && operation.method === reference.method,
  )
  const tests: ((path: string) => boolean)[] = [
    (path) => path === reference.path,
    (path) => withoutSlash(path) === withoutSlash(reference.path),
    (path) => pathShape(path) === pathShape(reference.path),
  ]
  for (const matches of tests) {
    const found = ofMethod.find((operation) => matches(operation.path))
    if (found !== undefined) return found
  }
  return undefined
}

function findNamed(input: {
  specs: readonly LoadedSpec[]
  reference: string
  context: ReferenceContext
  list: (spec: LoadedSpec) => Operation[]
}): Operation | undefined {
  const text = input.reference.trim()
  const split = text.lastIndexOf(' ')
  const attempts: { file?: string; name: string }[] = [{ name: text }]
  if (split !== -1) attempts.unshift({ file: text.slice(0, split).trim(), name: text.slice(split + 1) })
  for (const attempt of attempts) {
    for (const spec of specsOf(input.specs, attempt.file, input.context)) {
      const found = input.list(spec).find((operation) => operation.path === attempt.name)
      if (found !== undefined) return found
    }
  }
  return undefined
}

function omitPreferred(context: ReferenceContext): ReferenceContext {
  return context.from === undefined ? {} : { from: context.from }
}

function byFile(one: LoadedSpec, other: LoadedSpec): number {
  return one.file < other.file ? -1 : one.file > other.file ? 1 : 0
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path
}

/** Paths that differ only in the names of their parameters are the same path: `/users/{id}`, `/users/:userId`. */
function pathShape(path: string): string {
  return withoutSlash(path)
    .replace(/\{[^}]*\}/g, '{}')
    .replace(/\/:[^/]+/g, '/{}')
}

/** Without `./`, `../` and slashes in front; addresses stay as they are. */
function normalPath(path: string): string {
  if (/^https?:\/\//i.test(path)) return path
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  return parts.join('/')
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/') + 1)
}

function baseName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1)
}

function withoutExtension(file: string): string {
  return file.replace(/\.(json|ya?ml)$/i, '')
}
