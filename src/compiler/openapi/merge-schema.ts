import type { JsonValue } from '../../theme/endpoint/endpoint-api.ts'
import { asArray, asObject, member } from './json.ts'
import type { JsonObject, LoadedSpec } from './openapi-api.ts'
import { referenceName, resolveReference } from './resolve-reference.ts'

/** A schema without `$ref` and `allOf` at its top; its children are still as written. */
export type FlatSchema = {
  schema: JsonObject
  /** References passed on the way, by which a cycle is noticed. */
  pointers: string[]
  /** The name under which the specification defines it. */
  name: string
}

const flattened = new WeakMap<LoadedSpec, WeakMap<object, FlatSchema>>()
const maximumVariants = 60

/** Follows references and merges `allOf`. Computed once for each schema of a specification. */
export function flattenSchema(spec: LoadedSpec, schema: JsonValue | undefined): FlatSchema {
  return flatten({ spec, state: { cut: false } }, schema, [])
}

type Flattening = { spec: LoadedSpec; state: { cut: boolean } }

function flatten(work: Flattening, schema: JsonValue | undefined, open: readonly string[]): FlatSchema {
  const written = asObject(schema)
  if (written === undefined) return nothing
  const cache = flattened.get(work.spec) ?? new WeakMap<object, FlatSchema>()
  flattened.set(work.spec, cache)
  const known = cache.get(written)
  if (known !== undefined) return known
  const result = flattenWritten(work, written, open)
  // What was cut short because of where it stands must not stand for the schema elsewhere.
  if (open.length === 0 || !work.state.cut) cache.set(written, result)
  return result
}

const nothing: FlatSchema = { schema: {}, pointers: [], name: '' }

function flattenWritten(work: Flattening, written: JsonObject, open: readonly string[]): FlatSchema {
  const pointers: string[] = []
  let name = ''
  let target = written
  if (typeof member(written, '$ref') === 'string') {
    const resolved = resolveReference(work.spec, written)
    pointers.push(...resolved.pointers)
    name = referenceName(resolved.pointers[0] ?? '')
    const beside = withoutKeys(written, ['$ref'])
    if (resolved.value === undefined || resolved.pointers.some((pointer) => open.includes(pointer))) {
      work.state.cut = true
      return { schema: beside, pointers, name }
    }
    if (Object.keys(beside).length === 0) {
      const inner = flatten(work, resolved.value, [...open, ...pointers])
      return { schema: inner.schema, pointers: [...pointers, ...inner.pointers], name }
    }
    target = { ...resolved.value, ...beside }
  }
  const parts = asArray(member(target, 'allOf'))
  if (parts === undefined || parts.length === 0) return { schema: target, pointers, name }
  const flats = parts.map((part) => flatten(work, part, [...open, ...pointers]))
  const own = withoutKeys(target, ['allOf'])
  let merged: JsonObject = {}
  for (const flat of flats) merged = mergeTwo(merged, flat.schema)
  merged = mergeTwo(merged, own)
  const description = descriptionOf(own, parts, flats)
  if (description !== undefined) merged = { ...merged, description }
  for (const flat of flats) pointers.push(...flat.pointers)
  const soleName = flats.length === 1 ? (flats[0]?.name ?? '') : ''
  return { schema: merged, pointers, name: name === '' ? soleName : name }
}

/** Inline texts speak about this use, those behind a reference about the thing in general. */
function descriptionOf(own: JsonObject, parts: JsonValue[], flats: FlatSchema[]): JsonValue | undefined {
  if (own.description !== undefined) return own.description
  const inline = flats.filter((_, index) => member(asObject(parts[index]), '$ref') === undefined)
  for (const flat of inline.toReversed()) {
    if (flat.schema.description !== undefined) return flat.schema.description
  }
  return flats.find((flat) => flat.schema.description !== undefined)?.schema.description
}

function mergeTwo(one: JsonObject, other: JsonObject): JsonObject {
  const result = new Map(Object.entries(one))
  for (const [key, value] of Object.entries(other)) {
    const before = result.get(key)
    result.set(key, before === undefined ? value : mergeKeyword(key, before, value))
  }
  if (one.oneOf !== undefined && other.oneOf !== undefined) {
    result.set('oneOf', mergeVariants(one.oneOf, other.oneOf))
  }
  if (one.anyOf !== undefined && other.anyOf !== undefined) {
    result.set('anyOf', mergeVariants(one.anyOf, other.anyOf))
  }
  return Object.fromEntries(result)
}

function mergeKeyword(key: string, before: JsonValue, value: JsonValue): JsonValue {
  if (key === 'properties') {
    const properties = new Map(Object.entries(asObject(before) ?? {}))
    for (const [name, schema] of Object.entries(asObject(value) ?? {})) {
      const known = properties.get(name)
      properties.set(name, known === undefined ? schema : { allOf: [known, schema] })
    }
    return Object.fromEntries(properties)
  }
  if (key === 'required') return [...new Set([...(asArray(before) ?? []), ...(asArray(value) ?? [])])]
  if (key === 'enum') {
    const allowed = new Set((asArray(value) ?? []).map((entry) => JSON.stringify(entry)))
    const both = (asArray(before) ?? []).filter((entry) => allowed.has(JSON.stringify(entry)))
    return both.length > 0 ? both : value
  }
  return value
}

/** Both lists hold, so each pair is one possibility. */
function mergeVariants(before: JsonValue, value: JsonValue): JsonValue {
  const ones = asArray(before) ?? []
  const others = asArray(value) ?? []
  if (ones.length * others.length > maximumVariants) return before
  return ones.flatMap((one) => others.map((other) => ({ allOf: [one, other] })))
}

function withoutKeys(object: JsonObject, keys: string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
}

/** A schema and one of its variants, as one schema. */
export function mergeVariant(base: JsonObject, variant: JsonValue): JsonObject {
  return { allOf: [withoutKeys(base, ['oneOf', 'anyOf', 'discriminator', 'title']), variant] }
}
