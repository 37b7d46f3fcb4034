import type { EndpointDisplay, JsonValue, SchemaView } from '../../theme/endpoint/endpoint-api.ts'
import { flattenSchema } from './merge-schema.ts'
import type { EndpointSettings, LoadedSpec } from './openapi-api.ts'
import { type Direction, schemaView } from './schema-view.ts'

const nodesOfEndpoint = 480
const nodesOfSchema = 240

/** One reading of an operation: the size of its trees is shared among all of them. */
export type Reading = {
  spec: LoadedSpec
  settings: EndpointSettings
  left: number
  views: Map<string, Map<object, SchemaView>>
}

export function beginReading(spec: LoadedSpec, settings: EndpointSettings): Reading {
  return { spec, settings, left: nodesOfEndpoint, views: new Map() }
}

export function displayOf(settings: EndpointSettings): EndpointDisplay {
  return { fullUrl: settings.fullUrl === true, expanded: settings.expanded === true }
}

export function viewOf(reading: Reading, schema: JsonValue | undefined, direction: Direction): SchemaView {
  const known = reading.views.get(direction) ?? new Map<object, SchemaView>()
  reading.views.set(direction, known)
  // The same definition in several responses is one tree.
  const identity = flattenSchema(reading.spec, schema).schema
  const seen = known.get(identity)
  if (seen !== undefined) return seen
  const maximumNodes = Math.max(40, Math.min(nodesOfSchema, reading.left))
  const view = schemaView(reading.spec, schema, { direction, maximumNodes, ...marksOf(reading.settings) })
  reading.left -= countNodes(view)
  known.set(identity, view)
  return view
}

function countNodes(view: SchemaView): number {
  let count = 1
  for (const property of view.properties) count += countNodes(property.schema)
  for (const option of view.variants?.options ?? []) count += countNodes(option.schema)
  if (view.items !== undefined) count += countNodes(view.items)
  if (view.additional !== undefined) count += countNodes(view.additional.schema)
  return count
}

export function marksOf(settings: EndpointSettings): { marks?: string[] } {
  return settings.marks === undefined ? {} : { marks: settings.marks }
}
