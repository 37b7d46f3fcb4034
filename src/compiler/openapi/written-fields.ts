import type { ElementContent } from 'hast'
import type { JsonValue } from '../../theme/endpoint/endpoint-api.ts'
import type { WrittenField } from '../../theme/theme-api.ts'

/** The fields of a request as a page describes them in its own text, for the samples beside it. */
export type WrittenRequest = {
  path: NamedExample[]
  query: NamedExample[]
  header: NamedExample[]
  body?: JsonValue
}

export type NamedExample = { name: string; required: boolean; example: JsonValue | undefined }

/** Reads the request from the `ParamField`s of a page, also from those inside tabs, accordions and other components. */
export function writtenRequest(
  nodes: readonly ElementContent[],
  settings: { requiredOnly: boolean },
): WrittenRequest {
  const fields = fieldsIn(nodes)
  const at = (location: string) =>
    fields
      .filter(({ field }) => field.location === location)
      .map(({ field }) => ({ name: field.name, required: field.required, example: knownValue(field) }))
  const body = fields.filter(({ field }) => field.location === 'body')
  return {
    path: at('path'),
    query: at('query'),
    header: at('header'),
    ...(body.length === 0 ? {} : { body: objectOf(body, settings.requiredOnly) }),
  }
}

type FieldTree = { field: WrittenField; inner: FieldTree[] }

function fieldsIn(nodes: readonly ElementContent[]): FieldTree[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'element') return []
    const part = node.data?.part
    const inner = fieldsIn(node.children)
    return part?.kind === 'field' ? [{ field: part.field, inner }] : inner
  })
}

function objectOf(fields: readonly FieldTree[], requiredOnly: boolean): JsonValue {
  const chosen = fields.filter(({ field }) => field.name !== '' && (field.required || !requiredOnly))
  return Object.fromEntries(chosen.map((tree) => [tree.field.name, exampleOf(tree, requiredOnly)]))
}

function exampleOf({ field, inner }: FieldTree, requiredOnly: boolean): JsonValue {
  const known = knownValue(field)
  if (known !== undefined) return known
  const type = field.type.toLowerCase()
  const isList = /\[\]|^array|^list|array</.test(type)
  if (inner.length > 0) {
    const value = objectOf(inner, requiredOnly)
    return isList ? [value] : value
  }
  if (isList) return [scalarOf(type.replace(/^(?:array|list)\b|\[\]|[<>]/g, ''))]
  return scalarOf(type)
}

/** The default, read as its type says, or the first of the values that the type lists. */
function knownValue(field: WrittenField): JsonValue | undefined {
  const [listed] = [...field.type.matchAll(/["'`]([^"'`]+)["'`]/g)].map((match) => match[1])
  const written = field.defaultValue ?? listed
  if (written === undefined) return undefined
  if (/string|enum|["'`]/i.test(field.type) && !/\[\]|array/i.test(field.type))
    return written.replace(/^"(.*)"$/, '$1')
  try {
    return JSON.parse(written)
  } catch {
    return written
  }
}

function scalarOf(type: string): JsonValue {
  if (/^(?:int|number|float|double|decimal|long)/.test(type)) return 123
  if (type.startsWith('bool')) return true
  if (/^(?:object|map|record|dict|json)/.test(type)) return {}
  return '<string>'
}
