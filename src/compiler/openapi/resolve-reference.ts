import { asObject, asString, member } from './json.ts'
import type { JsonObject, LoadedSpec } from './openapi-api.ts'
import type { JsonValue } from '../../theme/endpoint/endpoint-api.ts'
import { positionOf } from './text-position.ts'

/** Follows `$ref` until something stands there. `pointers` are the references passed; a broken one is reported once. */
export function resolveReference(
  spec: LoadedSpec,
  value: JsonValue | undefined,
): { value: JsonObject | undefined; pointers: string[] } {
  const pointers: string[] = []
  let current = asObject(value)
  while (current !== undefined) {
    const pointer = asString(member(current, '$ref'))
    if (pointer === undefined) return { value: current, pointers }
    if (pointers.includes(pointer)) {
      reportReference(spec, pointer, 'refers to itself')
      return { value: undefined, pointers }
    }
    pointers.push(pointer)
    if (!pointer.startsWith('#')) {
      const isRemote = /^[a-z][a-z0-9+.-]*:|^\/\//i.test(pointer)
      reportReference(spec, pointer, isRemote ? 'leads to another host' : 'names no file of the project')
      return { value: undefined, pointers }
    }
    current = asObject(atPointer(spec.document, pointer))
    if (current === undefined) reportReference(spec, pointer, 'leads nowhere')
  }
  return { value: undefined, pointers }
}

/** Reports every reference of a document that leads nowhere, whether a page comes by it or not. */
export function checkReferences(spec: LoadedSpec): void {
  const known = new Set<string>()
  const waiting: JsonValue[] = [spec.document]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (Array.isArray(value)) {
      for (const entry of value) if (typeof entry === 'object' && entry !== null) waiting.push(entry)
      continue
    }
    for (const [key, entry] of Object.entries(asObject(value) ?? {})) {
      if (key === '$ref' && typeof entry === 'string' && !known.has(entry)) {
        known.add(entry)
        resolveReference(spec, { $ref: entry })
      }
      // What stands in an example is data, not a part of the specification.
      if (typeof entry === 'object' && entry !== null && !dataKeys.has(key)) waiting.push(entry)
    }
  }
}

const dataKeys = new Set(['example', 'examples', 'default', 'enum', 'const'])

/** The last part of a reference: `#/components/schemas/Pet` is `Pet`. */
export function referenceName(pointer: string): string {
  const last = pointer.slice(pointer.lastIndexOf('/') + 1)
  const name = decodePart(last)
  return /\.(json|ya?ml)$/i.test(name)
    ? name.slice(name.lastIndexOf('/') + 1).replace(/\.(json|ya?ml)$/i, '')
    : name
}

function atPointer(document: JsonObject, pointer: string): JsonValue | undefined {
  let current: JsonValue | undefined = document
  for (const part of pointer.slice(1).split('/').slice(1)) {
    if (Array.isArray(current)) current = current[Number(part)]
    else current = member(asObject(current), decodePart(part))
  }
  return current
}

function decodePart(part: string): string {
  let text = part
  try {
    text = decodeURIComponent(part)
  } catch {
    // A lone percent sign stands for itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}

function reportReference(spec: LoadedSpec, pointer: string, what: string): void {
  const message = `The reference "${pointer}" ${what}.`
  if (spec.problems.some((problem) => problem.message === message)) return
  spec.problems.push({
    severity: 'warning',
    code: 'broken_reference',
    file: spec.file,
    ...positionOf(spec.text, pointer),
    message,
    hint: what.includes('host')
      ? 'Put the file into the project and refer to it by its path: a reference fetches nothing.'
      : 'Define what it names, or correct the name.',
  })
}
