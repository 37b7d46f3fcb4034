import type { EnumValue, JsonValue, PropertyView, SchemaView } from '../../theme/endpoint/endpoint-api.ts'
import { asArray, asNumber, asObject, asString, asText, member, objectEntries } from './json.ts'
import { type FlatSchema, flattenSchema, mergeVariant } from './merge-schema.ts'
import type { JsonObject, LoadedSpec } from './openapi-api.ts'

/** Which way the data travels: read-only fields do not belong in a request, write-only ones not in a response. */
export type Direction = 'request' | 'response' | 'both'

export type SchemaViewOptions = { direction: Direction; marks?: string[]; maximumNodes?: number }

const maximumDepth = 6
const defaultMaximumNodes = 240
const maximumEnumValues = 200

/**
 * The tree of a schema, finite by construction: a schema inside itself is named and not opened again, and a tree that
 * grows too large is cut evenly, the deepest levels first.
 */
export function schemaView(
  spec: LoadedSpec,
  schema: JsonValue | undefined,
  options: SchemaViewOptions,
): SchemaView {
  const walk: Walk = { spec, options, waiting: [], left: options.maximumNodes ?? defaultMaximumNodes }
  const root = outline(walk, schema, { trail: [], depth: 0 })
  for (let index = 0; index < walk.waiting.length; index += 1) walk.waiting[index]?.()
  return root
}

type Walk = { spec: LoadedSpec; options: SchemaViewOptions; waiting: (() => void)[]; left: number }
type Place = { trail: readonly string[]; depth: number }

/** One node without its children; they wait until all nodes of its level are there. */
function outline(walk: Walk, written: JsonValue | undefined, place: Place): SchemaView {
  walk.left -= 1
  const { flat, nullable } = simplify(walk.spec, flattenSchema(walk.spec, written))
  const { schema } = flat
  const view: SchemaView = {
    type: typeLabel(walk.spec, schema),
    name: flat.name === '' ? (asText(schema.title) ?? '') : flat.name,
    description: asText(schema.description) ?? itemText(walk.spec, schema),
    nullable: nullable || isNullable(schema),
    deprecated: schema.deprecated === true,
    readOnly: schema.readOnly === true,
    writeOnly: schema.writeOnly === true,
    enum: enumValues(walk.spec, schema),
    examples: exampleValues(schema),
    constraints: constraintsOf(schema),
    marks: marksOf(schema, walk.options.marks ?? []),
    properties: [],
  }
  if (schema.default !== undefined) view.default = schema.default
  if (schema.const !== undefined) view.const = schema.const
  if (!hasChildren(walk.spec, schema)) return view
  if (flat.pointers.some((pointer) => place.trail.includes(pointer))) {
    view.cut = 'cycle'
  } else if (place.depth >= maximumDepth) {
    view.cut = 'size'
  } else {
    const inner = { trail: [...place.trail, ...flat.pointers], depth: place.depth + 1 }
    walk.waiting.push(() => {
      if (walk.left > 0) fill(walk, view, schema, inner)
      else view.cut = 'size'
    })
  }
  return view
}

/** A list of plain values has no node for them, so their description stands for the list. */
function itemText(spec: LoadedSpec, schema: JsonObject): string {
  if (schema.items === undefined || isNestable(spec, schema.items)) return ''
  return asText(flattenSchema(spec, schema.items).schema.description) ?? ''
}

function fill(walk: Walk, view: SchemaView, schema: JsonObject, place: Place): void {
  view.properties = propertyViews(walk, schema, place)
  const additional = additionalSchema(schema)
  if (additional !== undefined) {
    const { pattern, written } = additional
    const inner = outline(walk, written, place)
    view.additional = pattern === undefined ? { schema: inner } : { pattern, schema: inner }
  }
  const items = asObject(schema.items)
  if (items !== undefined && isNestable(walk.spec, items)) view.items = outline(walk, items, place)
  const variants = variantsOf(walk.spec, schema)
  if (variants === undefined) return
  const discriminator = asText(asObject(schema.discriminator)?.propertyName)
  view.variants = {
    keyword: variants.keyword,
    ...(discriminator === undefined ? {} : { discriminator }),
    options: variants.options.map((option, index) => ({
      label: variantLabel({ spec: walk.spec, option, index, schema }),
      schema: outline(walk, option, place),
    })),
  }
}

function propertyViews(walk: Walk, schema: JsonObject, place: Place): PropertyView[] {
  const required = new Set(asArray(schema.required) ?? [])
  const views: PropertyView[] = []
  for (const [name, written] of propertiesOf(schema)) {
    if (walk.left <= 0 && views.length > 0) break
    if (!travels(walk.spec, written, walk.options.direction)) continue
    views.push({ name, required: required.has(name), schema: outline(walk, written, place) })
  }
  return views
}

/** The named fields of an object, or the numbered places of a tuple. */
export function propertiesOf(schema: JsonObject): [string, JsonValue][] {
  const properties = Object.entries(asObject(schema.properties) ?? {})
  const places = (asArray(schema.prefixItems) ?? []).map((item, index): [string, JsonValue] => [
    String(index),
    item,
  ])
  return [...properties, ...places]
}

export function travels(spec: LoadedSpec, written: JsonValue, direction: Direction): boolean {
  if (direction === 'both') return true
  const { schema } = flattenSchema(spec, written)
  return direction === 'request' ? schema.readOnly !== true : schema.writeOnly !== true
}

/**
 * Takes away wrappings that mean nothing to a reader: a choice with one option, and the option `null`, which is said by
 * `nullable` instead.
 */
export function simplify(spec: LoadedSpec, written: FlatSchema): Simplified {
  if (written.schema.oneOf === undefined && written.schema.anyOf === undefined)
    return { flat: written, nullable: false }
  const known = simplified.get(written)
  if (known !== undefined) return known
  const result = simplifyChoice(spec, written)
  simplified.set(written, result)
  return result
}

type Simplified = { flat: FlatSchema; nullable: boolean }

const simplified = new WeakMap<FlatSchema, Simplified>()

function simplifyChoice(spec: LoadedSpec, written: FlatSchema): Simplified {
  let flat = written
  let nullable = false
  for (let round = 0; round < 4; round += 1) {
    const keyword = asArray(flat.schema.oneOf) === undefined ? 'anyOf' : 'oneOf'
    const options = asArray(flat.schema[keyword])
    if (options === undefined) break
    const real = options.filter((option) => !isNull(spec, option))
    nullable ||= real.length < options.length
    if (real.length === options.length && real.length !== 1) break
    const [only] = real
    if (only === undefined || real.length > 1) {
      flat = { ...flat, schema: { ...flat.schema, [keyword]: real } }
      break
    }
    const inner = flattenSchema(spec, only)
    const { [keyword]: _, ...rest } = flat.schema
    const merged = flattenSchema(spec, mergeVariant(rest, only))
    const description = flat.schema.description ?? inner.schema.description
    flat = {
      schema: description === undefined ? merged.schema : { ...merged.schema, description },
      pointers: [...flat.pointers, ...inner.pointers],
      name: flat.name === '' ? inner.name : flat.name,
    }
  }
  return { flat, nullable }
}

function isNull(spec: LoadedSpec, option: JsonValue): boolean {
  const { schema } = flattenSchema(spec, option)
  if (schema.type === 'null') return true
  const values = asArray(schema.enum)
  return values?.length === 1 && values[0] === null
}

function isNullable(schema: JsonObject): boolean {
  if (schema.nullable === true) return true
  return asArray(schema.type)?.includes('null') === true || asArray(schema.enum)?.includes(null) === true
}

/** The kinds of value a schema allows, guessed from its keywords where it does not say. */
export function typesOf(schema: JsonObject): string[] {
  const type = schema.type
  if (typeof type === 'string') return type === 'null' ? ['null'] : [type]
  const types = (asArray(type) ?? []).flatMap((entry) =>
    typeof entry === 'string' && entry !== 'null' ? [entry] : [],
  )
  if (types.length > 0) return types
  if (Array.isArray(type) && type.includes('null')) return ['null']
  if (schema.properties !== undefined || schema.additionalProperties !== undefined) return ['object']
  if (schema.items !== undefined || schema.prefixItems !== undefined) return ['array']
  const sample = schema.const ?? asArray(schema.enum)?.find((entry) => entry !== null)
  if (sample !== undefined && sample !== null) return [Array.isArray(sample) ? 'array' : typeof sample]
  if (schema.pattern !== undefined || schema.minLength !== undefined) return ['string']
  if (schema.minimum !== undefined || schema.maximum !== undefined) return ['number']
  return []
}

function typeLabel(spec: LoadedSpec, schema: JsonObject, depth = 0): string {
  const variants = variantsOf(spec, schema)
  const types = typesOf(schema)
  if (variants !== undefined && types.every((type) => type === 'object')) {
    const labels = new Set(variants.options.map((option) => optionType(spec, option, depth)))
    return labels.size <= 4 ? [...labels].join(' | ') : variants.keyword === 'oneOf' ? 'one of' : 'any of'
  }
  const simple = types.length === 0 ? simpleChoice(spec, schema, depth) : []
  if (types.length === 0) return simple.length > 0 ? [...new Set(simple)].join(' | ') : 'any'
  return types.map((type) => oneType(spec, schema, type, depth)).join(' | ')
}

function oneType(spec: LoadedSpec, schema: JsonObject, type: string, depth: number): string {
  if (type === 'array') {
    const items = asObject(schema.items)
    if (items === undefined || depth > 4) return 'array'
    const label = typeLabel(spec, simplify(spec, flattenSchema(spec, items)).flat.schema, depth + 1)
    return label.includes(' ') ? `(${label})[]` : `${label}[]`
  }
  if (schema.enum !== undefined) return `enum<${type}>`
  const format = asText(schema.format)
  if (type === 'string' && isFile(schema)) return 'file'
  return format === undefined ? type : `${type}<${format}>`
}

function optionType(spec: LoadedSpec, option: JsonValue, depth: number): string {
  if (depth > 4) return 'any'
  return typeLabel(spec, simplify(spec, flattenSchema(spec, option)).flat.schema, depth + 1)
}

/** True for contents that travel as a file, in the words of 3.0 (`format`) and of 3.1 (`contentMediaType`). */
export function isFile(schema: JsonObject): boolean {
  if (schema.format === 'binary') return true
  const mediaType = asText(schema.contentMediaType)
  return mediaType !== undefined && !/json|xml|^text\//.test(mediaType)
}

/** The choice of a schema, where the options have something to show; plain types stand in the label alone. */
export function variantsOf(
  spec: LoadedSpec,
  schema: JsonObject,
): { keyword: 'oneOf' | 'anyOf'; options: JsonValue[] } | undefined {
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const options = asArray(schema[keyword])?.filter(
      (option) => !isNull(spec, option) && !isRequirement(option),
    )
    if (options === undefined || options.length < 2) continue
    if (constantsOf(spec, options) !== undefined) continue
    if (options.some((option) => needsNode(spec, option))) return { keyword, options }
  }
  return undefined
}

function simpleChoice(spec: LoadedSpec, schema: JsonObject, depth: number): string[] {
  const options = asArray(schema.oneOf) ?? asArray(schema.anyOf) ?? []
  const constants = constantsOf(spec, options)
  if (constants !== undefined) {
    const [first] = constants
    return first === undefined ? [] : [`enum<${typeof first.value}>`]
  }
  return options
    .filter((option) => !isNull(spec, option))
    .map((option) => optionType(spec, option, depth + 1))
}

/** An option such as `{ required: [a] }` restricts the fields that are there and is not a shape of its own. */
function isRequirement(option: JsonValue): boolean {
  const object = asObject(option)
  if (object === undefined) return true
  const keys = Object.keys(object)
  return keys.length > 0 && keys.every((key) => key === 'required' || key === 'not' || key === 'title')
}

/** `oneOf` over constants is an enumeration with descriptions. */
function constantsOf(spec: LoadedSpec, options: JsonValue[]): EnumValue[] | undefined {
  if (options.length === 0) return undefined
  const values: EnumValue[] = []
  for (const option of options) {
    const { schema } = flattenSchema(spec, option)
    const list = asArray(schema.enum)
    const value = schema.const ?? (list?.length === 1 ? list[0] : undefined)
    if (value === undefined || schema.properties !== undefined) return undefined
    values.push({ value, description: asText(schema.description) ?? asText(schema.title) ?? '' })
  }
  return values
}

/** True when a schema has more to say than its type. */
function needsNode(spec: LoadedSpec, written: JsonValue): boolean {
  const { schema } = simplify(spec, flattenSchema(spec, written)).flat
  if (hasChildren(spec, schema)) return true
  return schema.enum !== undefined || asText(schema.description) !== undefined
}

function hasChildren(spec: LoadedSpec, schema: JsonObject): boolean {
  if (Object.keys(asObject(schema.properties) ?? {}).length > 0) return true
  if (schema.prefixItems !== undefined || additionalSchema(schema) !== undefined) return true
  const items = asObject(schema.items)
  if (items !== undefined && isNestable(spec, items)) return true
  return hasVariants(spec, schema)
}

function hasVariants(spec: LoadedSpec, schema: JsonObject, depth = 0): boolean {
  const options = asArray(schema.oneOf) ?? asArray(schema.anyOf) ?? []
  if (depth > 4 || options.length === 0 || constantsOf(spec, options) !== undefined) return false
  return options.some((option) => {
    const flat = flattenSchema(spec, option).schema
    if (flat.enum !== undefined || asText(flat.description) !== undefined) return true
    return isNestable(spec, option, depth + 1)
  })
}

/** True when a schema has fields or choices somewhere below; lists inside lists are looked through a few times. */
function isNestable(spec: LoadedSpec, written: JsonValue, depth = 0): boolean {
  const { schema } = flattenSchema(spec, written)
  if (Object.keys(asObject(schema.properties) ?? {}).length > 0) return true
  if (schema.prefixItems !== undefined || additionalSchema(schema) !== undefined) return true
  if (schema.items !== undefined) return depth < 4 && isNestable(spec, schema.items, depth + 1)
  return hasVariants(spec, schema, depth)
}

/** What the values of free keys hold; `true` and `{}` say nothing worth a node. */
export function additionalSchema(schema: JsonObject): { pattern?: string; written: JsonObject } | undefined {
  const [pattern] = objectEntries(schema.patternProperties)
  if (pattern !== undefined) return { pattern: pattern[0], written: pattern[1] }
  const written = asObject(schema.additionalProperties)
  return written === undefined || Object.keys(written).length === 0 ? undefined : { written }
}

function variantLabel(input: {
  spec: LoadedSpec
  option: JsonValue
  index: number
  schema: JsonObject
}): string {
  const { spec, option, index } = input
  const flat = simplify(spec, flattenSchema(spec, option)).flat
  const named = asText(flat.schema.title) ?? flat.name
  if (named !== '') return named
  const discriminator = asText(asObject(input.schema.discriminator)?.propertyName)
  for (const [name, written] of propertiesOf(flat.schema)) {
    const property = flattenSchema(spec, written).schema
    const values = asArray(property.enum)
    const fixed = property.const ?? (values?.length === 1 ? values[0] : undefined)
    if (typeof fixed === 'string' && (discriminator === undefined || discriminator === name)) return fixed
  }
  const type = typeLabel(spec, flat.schema)
  return type === 'object' || type === 'any' || type === '' ? `Option ${index + 1}` : type
}

function enumValues(spec: LoadedSpec, schema: JsonObject): EnumValue[] {
  const values = asArray(schema.enum) ?? asArray(flattenSchema(spec, schema.items).schema.enum)
  if (values !== undefined) {
    const described = asObject(schema['x-enumDescriptions']) ?? asObject(schema['x-enum-descriptions'])
    const listed = asArray(schema['x-enumDescriptions']) ?? asArray(schema['x-enum-descriptions'])
    return values.slice(0, maximumEnumValues).map((value, index) => ({
      value,
      description: asText(member(described, String(value))) ?? asText(listed?.[index]) ?? '',
    }))
  }
  const options = asArray(schema.oneOf) ?? asArray(schema.anyOf)
  return (options === undefined ? undefined : constantsOf(spec, options)) ?? []
}

const noExamples: JsonValue[] = []

function exampleValues(schema: JsonObject): JsonValue[] {
  const single = schema.example
  if (single === undefined && schema.examples === undefined) return noExamples
  const examples = asArray(schema.examples) ?? []
  return [...(single === undefined ? [] : [single]), ...examples].slice(0, 5)
}

function constraintsOf(schema: JsonObject): { label: string; value: string }[] {
  if (!limits.some((key) => schema[key] !== undefined)) return noConstraints
  const rows: { label: string; value: string }[] = []
  const add = (label: string, value: string | undefined) => {
    if (value !== undefined) rows.push({ label, value })
  }
  add('Range', valueRange(schema))
  add('Length', countRange(schema, 'minLength', 'maxLength'))
  add('Items', countRange(schema, 'minItems', 'maxItems'))
  add('Properties', countRange(schema, 'minProperties', 'maxProperties'))
  add('Multiple of', asString(schema.multipleOf))
  add('Pattern', asText(schema.pattern))
  if (schema.uniqueItems === true) add('Unique', 'items')
  const alternatives = requirementText(schema)
  if (alternatives !== undefined) add('Required together', alternatives)
  return rows
}

const noConstraints: SchemaView['constraints'] = []
const limits = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'multipleOf',
  'pattern',
  'uniqueItems',
  'anyOf',
  'oneOf',
]

function valueRange(schema: JsonObject): string | undefined {
  const exclusiveMinimum = schema.exclusiveMinimum
  const exclusiveMaximum = schema.exclusiveMaximum
  const low = asNumber(exclusiveMinimum) ?? asNumber(schema.minimum)
  const high = asNumber(exclusiveMaximum) ?? asNumber(schema.maximum)
  const above = exclusiveMinimum === true || typeof exclusiveMinimum === 'number' ? '<' : '≤'
  const below = exclusiveMaximum === true || typeof exclusiveMaximum === 'number' ? '<' : '≤'
  if (low !== undefined && high !== undefined) return `${low} ${above} x ${below} ${high}`
  if (low !== undefined) return above === '<' ? `x > ${low}` : `x ≥ ${low}`
  if (high !== undefined) return below === '<' ? `x < ${high}` : `x ≤ ${high}`
  return undefined
}

function countRange(schema: JsonObject, lowKey: string, highKey: string): string | undefined {
  const low = asNumber(schema[lowKey])
  const high = asNumber(schema[highKey])
  if (low !== undefined && high !== undefined) return low === high ? `exactly ${low}` : `${low} – ${high}`
  if (low !== undefined) return `at least ${low}`
  return high === undefined ? undefined : `at most ${high}`
}

function requirementText(schema: JsonObject): string | undefined {
  const options = asArray(schema.anyOf) ?? asArray(schema.oneOf)
  if (options === undefined || !options.every(isRequirement)) return undefined
  const sets = options.flatMap((option) => {
    const names = asArray(asObject(option)?.required)
    return names === undefined ? [] : [names.join(' and ')]
  })
  return sets.length > 0 ? sets.join(', or ') : undefined
}

const noMarks: SchemaView['marks'] = { before: [], after: [] }

function marksOf(schema: JsonObject, keywords: string[]): { before: string[]; after: string[] } {
  const extension = asObject(schema['x-mint'])
  if (extension === undefined && keywords.length === 0) return noMarks
  const texts = (value: JsonValue | undefined) =>
    (asArray(value) ?? []).flatMap((entry) => asText(entry) ?? [])
  const after = keywords.flatMap((keyword) => {
    const value = member(schema, keyword)
    if (value === true) return [keyword]
    if (value === false || value === null || value === undefined) return []
    return Array.isArray(value) ? texts(value) : (asText(value) ?? [])
  })
  return { before: texts(extension?.pre), after: [...after, ...texts(extension?.post)] }
}
