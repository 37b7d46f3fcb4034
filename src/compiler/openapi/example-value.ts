import type { ExampleView, JsonValue } from '../../theme/endpoint/endpoint-api.ts'
import { asArray, asNumber, asObject, asString, asText, objectEntries } from './json.ts'
import { flattenSchema, mergeVariant } from './merge-schema.ts'
import type { JsonObject, LoadedSpec } from './openapi-api.ts'
import { resolveReference } from './resolve-reference.ts'
import {
  additionalSchema,
  type Direction,
  isFile,
  propertiesOf,
  simplify,
  travels,
  typesOf,
} from './schema-view.ts'
import { xmlText } from './xml-example.ts'

const maximumDepth = 7
const maximumNodes = 120
const maximumExamples = 12
/** Stands where a schema allows every value. */
const anything = '<any>'

export type ExampleOptions = {
  direction: Direction
  /** Leaves out fields that need not be there. */
  requiredOnly?: boolean
}

/** A value that fits a schema: what an author gave as an example, or one made by fixed rules. Always the same. */
export function exampleValue(
  spec: LoadedSpec,
  schema: JsonValue | undefined,
  options: ExampleOptions,
): JsonValue {
  return exampleFor({ spec, options, left: maximumNodes }, schema, { trail: [], depth: 0, name: '' })
}

/** The examples of a media type: those written, or else one that is made. */
export function contentExamples(
  spec: LoadedSpec,
  input: { mediaType: string; content: JsonObject; options: ExampleOptions },
): ExampleView[] {
  const { mediaType, content } = input
  const schema = content.schema
  const language = exampleLanguage(mediaType)
  const view = (label: string, description: string, value: JsonValue, generated: boolean): ExampleView => ({
    label,
    description,
    text: exampleText({ spec, mediaType, value, schema }),
    language: language === 'json' && typeof value === 'string' && !isJsonText(value) ? 'text' : language,
    generated,
  })
  const written: ExampleView[] = []
  for (const [name, entry] of objectEntries(content.examples).slice(0, maximumExamples)) {
    const example = resolveReference(spec, entry).value
    if (example === undefined || example.value === undefined) continue
    const description = asText(example.description) ?? ''
    written.push(view(asText(example.summary) ?? name, description, example.value, false))
  }
  if (written.length > 0) return written
  const listed = asArray(content.examples)?.[0] ?? content.example
  if (listed !== undefined) return [view('Example', '', listed, false)]
  const fromSchema = schema === undefined ? [] : namedSchemaExamples(spec, schema)
  if (fromSchema.length > 1)
    return fromSchema.map((value, index) => view(`Example ${index + 1}`, '', value, false))
  if (schema === undefined || isBinary(spec, mediaType, schema)) return []
  const made = exampleValue(spec, schema, input.options)
  const isEmpty = typeof made === 'object' && made !== null && Object.keys(made).length === 0
  return isEmpty || made === anything ? [] : [view('Example', '', made, fromSchema.length === 0)]
}

export function exampleLanguage(mediaType: string): string {
  if (/json/i.test(mediaType) || mediaType === '*/*' || mediaType === '') return 'json'
  if (/xml/i.test(mediaType)) return 'xml'
  if (/html/i.test(mediaType)) return 'html'
  if (/ya?ml/i.test(mediaType)) return 'yaml'
  if (/graphql/i.test(mediaType)) return 'graphql'
  if (/csv|event-stream|text/i.test(mediaType)) return 'text'
  return 'json'
}

function exampleText(input: {
  spec: LoadedSpec
  mediaType: string
  value: JsonValue
  schema: JsonValue | undefined
}): string {
  const { mediaType, value } = input
  if (typeof value === 'string' && (exampleLanguage(mediaType) !== 'json' || isJsonText(value))) return value
  if (/event-stream/i.test(mediaType)) return `data: ${JSON.stringify(value)}`
  if (/xml/i.test(mediaType)) return xmlText(input.spec, input.schema, value)
  return JSON.stringify(value, null, 2)
}

/** People paste whole documents as strings; those read better as what they are. */
function isJsonText(text: string): boolean {
  return /^\s*[{[][\s\S]*[}\]]\s*$/.test(text)
}

function namedSchemaExamples(spec: LoadedSpec, schema: JsonValue): JsonValue[] {
  const flat = flattenSchema(spec, schema).schema
  const examples = asArray(flat.examples) ?? []
  return (flat.example === undefined ? examples : [flat.example]).slice(0, maximumExamples)
}

function isBinary(spec: LoadedSpec, mediaType: string, schema: JsonValue): boolean {
  if (/^(image|audio|video|font)\/|octet-stream|pdf|zip/i.test(mediaType)) return true
  return isFile(flattenSchema(spec, schema).schema)
}

type Walk = { spec: LoadedSpec; options: ExampleOptions; left: number }
type Place = { trail: readonly string[]; depth: number; name: string }

function exampleFor(walk: Walk, written: JsonValue | undefined, place: Place): JsonValue {
  walk.left -= 1
  const { flat } = simplify(walk.spec, flattenSchema(walk.spec, written))
  const { schema } = flat
  const given = givenValue(schema)
  if (given !== undefined) return given
  const choice = (asArray(schema.oneOf) ?? asArray(schema.anyOf))?.[0]
  const [type] = typesOf(schema)
  if (choice === undefined && type !== 'object' && type !== 'array')
    return scalarValue(schema, type, place.name)
  const inside = flat.pointers.some((pointer) => place.trail.includes(pointer))
  if (inside || place.depth > maximumDepth || walk.left <= 0) return type === 'array' ? [] : {}
  const inner = { trail: [...place.trail, ...flat.pointers], depth: place.depth + 1 }
  if (choice !== undefined)
    return exampleFor(walk, mergeVariant(schema, choice), { ...inner, name: place.name })
  if (type === 'object') return objectValue(walk, schema, inner)
  return arrayValue(walk, schema, { ...inner, name: place.name })
}

function givenValue(schema: JsonObject): JsonValue | undefined {
  if (schema.example !== undefined) return schema.example
  const examples = schema.examples
  const first = asArray(examples)?.[0] ?? asObject(Object.values(asObject(examples) ?? {})[0])?.value
  if (first !== undefined) return first
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined && schema.default !== null) return schema.default
  return asArray(schema.enum)?.find((entry) => entry !== null)
}

function objectValue(walk: Walk, schema: JsonObject, place: Omit<Place, 'name'>): JsonValue {
  const required = new Set(asArray(schema.required) ?? [])
  const properties = propertiesOf(schema).filter(([name, written]) => {
    if (!travels(walk.spec, written, walk.options.direction)) return false
    return required.has(name) || (walk.options.requiredOnly !== true && !isTiresome(walk, written, place))
  })
  // Plain values first, so that one deep field does not use up the room of its neighbours.
  const values = new Map<string, JsonValue>()
  const nestsAt = (written: JsonValue) => isNested(walk.spec, written)
  for (const [name, written] of properties.toSorted((one, other) => nestsAt(one[1]) - nestsAt(other[1]))) {
    if (walk.left <= 0 && !required.has(name)) continue
    values.set(name, exampleFor(walk, written, { ...place, name }))
  }
  const entries = properties.flatMap(([name]): [string, JsonValue][] => {
    const value = values.get(name)
    return value === undefined ? [] : [[name, value]]
  })
  const additional = additionalSchema(schema)
  if (entries.length === 0 && additional !== undefined) {
    entries.push(['key', exampleFor(walk, additional.written, { ...place, name: 'key' })])
  }
  return Object.fromEntries(entries)
}

function isNested(spec: LoadedSpec, written: JsonValue): 0 | 1 {
  const { schema } = simplify(spec, flattenSchema(spec, written)).flat
  const [type] = typesOf(schema)
  return type === 'object' || type === 'array' || schema.oneOf !== undefined || schema.anyOf !== undefined
    ? 1
    : 0
}

/** Optional fields are left out where they lie deep, lead back to themselves or are no longer in use. */
function isTiresome(walk: Walk, written: JsonValue, place: Omit<Place, 'name'>): boolean {
  if (walk.left <= 0) return true
  const { flat } = simplify(walk.spec, flattenSchema(walk.spec, written))
  if (flat.schema.deprecated === true) return true
  if (place.depth > 3 && isNested(walk.spec, written) === 1 && givenValue(flat.schema) === undefined)
    return true
  const items = flattenSchema(walk.spec, flat.schema.items)
  return [...flat.pointers, ...items.pointers].some((pointer) => place.trail.includes(pointer))
}

function arrayValue(walk: Walk, schema: JsonObject, place: Place): JsonValue {
  const tuple = asArray(schema.prefixItems)
  if (tuple !== undefined) return tuple.map((item) => exampleFor(walk, item, place))
  const items = asObject(schema.items)
  if (items === undefined) return []
  const inside = flattenSchema(walk.spec, items).pointers.some((pointer) => place.trail.includes(pointer))
  return inside ? [] : [exampleFor(walk, items, place)]
}

function scalarValue(schema: JsonObject, type: string | undefined, name: string): JsonValue {
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return numberValue(schema, type)
  if (type === 'string') return stringValue(schema, name)
  return type === 'null' ? null : anything
}

function numberValue(schema: JsonObject, type: 'integer' | 'number'): number {
  const step = type === 'integer' ? 1 : 0.1
  const low = asNumber(schema.exclusiveMinimum)
  const high = asNumber(schema.exclusiveMaximum)
  const minimum = low === undefined ? asNumber(schema.minimum) : low + step
  const maximum = high === undefined ? asNumber(schema.maximum) : high - step
  const wished = type === 'integer' ? 123 : 12.5
  const value = Math.min(Math.max(wished, minimum ?? -Infinity), maximum ?? Infinity)
  const multiple = asNumber(schema.multipleOf)
  return multiple === undefined || multiple <= 0 ? value : Math.ceil(value / multiple) * multiple
}

const valuesByFormat = new Map<string, string>([
  ['date-time', '2025-01-15T09:30:00Z'],
  ['date', '2025-01-15'],
  ['time', '09:30:00Z'],
  ['duration', 'P1D'],
  ['uuid', '7b3f1c52-9a4e-4d0b-8a6f-2f6c1d9e0b34'],
  ['email', 'user@example.com'],
  ['idn-email', 'user@example.com'],
  ['hostname', 'example.com'],
  ['uri', 'https://example.com'],
  ['url', 'https://example.com'],
  ['uri-reference', '/path'],
  ['ipv4', '192.0.2.1'],
  ['ip', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['byte', 'aGVsbG8='],
  ['base64', 'aGVsbG8='],
  ['binary', '<file>'],
  ['password', '<password>'],
  ['phone', '+15555550100'],
  ['decimal', '12.50'],
])

function stringValue(schema: JsonObject, name: string): string {
  if (isFile(schema)) return '<file>'
  const known = valuesByFormat.get(asString(schema.format) ?? '')
  if (known !== undefined) return known
  return /^(e-?mail)$/i.test(name) ? 'user@example.com' : '<string>'
}
