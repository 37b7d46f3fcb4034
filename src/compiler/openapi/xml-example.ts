import type { JsonValue } from '../../theme/endpoint/endpoint-api.ts'
import { asArray, asObject, asText, member } from './json.ts'
import { flattenSchema } from './merge-schema.ts'
import type { LoadedSpec } from './openapi-api.ts'

/** A value as XML, with the names and attributes that the schema's `xml` keywords give. */
export function xmlText(spec: LoadedSpec, schema: JsonValue | undefined, value: JsonValue): string {
  const flat = flattenSchema(spec, schema)
  const name = asText(asObject(flat.schema.xml)?.name) ?? (flat.name === '' ? 'root' : flat.name)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element({ spec, name, schema, value, indent: '' })}`
}

function element(input: {
  spec: LoadedSpec
  name: string
  schema: JsonValue | undefined
  value: JsonValue
  indent: string
}): string {
  const { spec, name, value, indent } = input
  const flat = flattenSchema(spec, input.schema).schema
  const deeper = `${indent}  `
  const list = asArray(value)
  if (list !== undefined) {
    const items = flat.items
    const own = asText(asObject(flattenSchema(spec, items).schema.xml)?.name) ?? 'item'
    const wrapped = asObject(flat.xml)?.wrapped === true
    const lines = list.map((entry) =>
      element({
        spec,
        name: wrapped ? own : name,
        schema: items,
        value: entry,
        indent: wrapped ? deeper : indent,
      }),
    )
    return wrapped ? `${indent}<${name}>\n${lines.join('\n')}\n${indent}</${name}>` : lines.join('\n')
  }
  const object = asObject(value)
  if (object === undefined) return `${indent}<${name}>${escapeXml(String(value))}</${name}>`
  const properties = asObject(flat.properties)
  let attributes = ''
  const lines: string[] = []
  for (const [key, entry] of Object.entries(object)) {
    const schema = member(properties, key)
    const xml = asObject(flattenSchema(spec, schema).schema.xml)
    const label = asText(xml?.name) ?? key
    if (xml?.attribute === true) attributes += ` ${label}="${escapeXml(String(entry))}"`
    else lines.push(element({ spec, name: label, schema, value: entry, indent: deeper }))
  }
  if (lines.length === 0) return `${indent}<${name}${attributes}/>`
  return `${indent}<${name}${attributes}>\n${lines.join('\n')}\n${indent}</${name}>`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
