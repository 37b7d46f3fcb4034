import type { EndpointDisplay, JsonValue, SchemaView } from '../../theme/endpoint/endpoint-api.ts'
import type { EndpointSettings, LoadedSpec } from './openapi-api.ts'
import { type Direction, schemaView } from './schema-view.ts'

const nodesOfEndpoint = 1600
const nodesOfSchema = 700

/** One reading of an operation: the size of its trees is shared among all of them. */
export type Reading = { spec: LoadedSpec; settings: EndpointSettings; left: number }

export function beginReading(spec: LoadedSpec, settings: EndpointSettings): Reading {
  return { spec, settings, left: nodesOfEndpoint }
}

export function displayOf(settings: EndpointSettings): EndpointDisplay {
  return { fullUrl: settings.fullUrl === true, expanded: settings.expanded === true }
}

export function viewOf(reading: Reading, schema: JsonValue | undefined, direction: Direction): SchemaView {
  const maximumNodes = Math.max(40, Math.min(nodesOfSchema, reading.left))
  const view = schemaView(reading.spec, schema, { direction, maximumNodes, ...marksOf(reading.settings) })
  reading.left -= countNodes(view)
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
