import { STATUS_CODES } from 'node:http'
import type {
  BodyView,
  CallbackView,
  ContentView,
  EndpointModel,
  JsonValue,
  OperationModel,
  ParameterView,
  ResponseView,
  SchemaModel,
} from '../../theme/endpoint/endpoint-api.ts'
import { authSchemes } from './auth-schemes.ts'
import { channelModel } from './channel-model.ts'
import { codeSamples } from './code-samples.ts'
import { contentExamples } from './example-value.ts'
import { asArray, asObject, asString, asText, member, objectEntries } from './json.ts'
import { methods, operationObject } from './list-operations.ts'
import type { EndpointSettings, JsonObject, LoadedSpec, Operation } from './openapi-api.ts'
import { resolveReference } from './resolve-reference.ts'
import { beginReading, displayOf, marksOf, type Reading, viewOf } from './reading.ts'
import { type Direction, schemaView } from './schema-view.ts'
import { resolveServers, serversOf } from './servers.ts'

/** Everything a page about one operation, webhook, channel or data model shows. */
export function endpointModel(
  spec: LoadedSpec,
  operation: Operation,
  settings: EndpointSettings = {},
): EndpointModel {
  if (operation.kind === 'channel') return channelModel(spec, operation, settings)
  if (operation.kind === 'schema') return schemaModel(spec, operation, settings)
  return operationModel(spec, operation, settings)
}

function operationModel(spec: LoadedSpec, operation: Operation, settings: EndpointSettings): OperationModel {
  const found = operationObject(spec, operation) ?? { item: {}, operation: {} }
  const { item, operation: written } = found
  const isWebhook = operation.kind === 'webhook'
  const reading = beginReading(spec, settings)
  // A webhook travels the other way: its body is what the reader's program receives.
  const inward: Direction = isWebhook ? 'response' : 'request'
  const outward: Direction = isWebhook ? 'request' : 'response'
  const body = bodyView(reading, written.requestBody, inward)
  const externalDocs = externalDocsOf(written)
  const servers = isWebhook ? [] : serversOf(written.servers ?? item.servers ?? spec.document.servers)
  const model: OperationModel = {
    type: isWebhook ? 'webhook' : 'operation',
    method: operation.method,
    path: operation.path,
    title: operation.title,
    description: operation.description,
    deprecated: operation.deprecated,
    servers: resolveServers(servers, spec.file),
    ...authSchemes(spec, isWebhook ? written.security : (written.security ?? spec.document.security)),
    parameters: parametersOf(reading, item.parameters, written.parameters),
    responses: responseViews(reading, written.responses, outward),
    callbacks: callbackViews(reading, written.callbacks),
    samples: [],
    display: displayOf(settings),
    ...(operation.operationId === undefined ? {} : { operationId: operation.operationId }),
    ...(operation.tag === undefined ? {} : { tag: operation.tag }),
    ...(externalDocs === undefined ? {} : { externalDocs }),
    ...(body === undefined ? {} : { body }),
  }
  model.samples = codeSamples({ spec, model, item, operation: written, settings })
  return model
}

function schemaModel(spec: LoadedSpec, operation: Operation, settings: EndpointSettings): SchemaModel {
  const schemas = member(asObject(spec.document.components), 'schemas')
  const schema = member(asObject(schemas), operation.path)
  const content = schema === undefined ? {} : { schema }
  return {
    type: 'schema',
    name: operation.path,
    title: operation.title,
    description: operation.description,
    schema: schemaView(spec, schema, { direction: 'both', ...marksOf(settings) }),
    examples: contentExamples(spec, {
      mediaType: 'application/json',
      content,
      options: { direction: 'both' },
    }),
    display: displayOf(settings),
  }
}

/** Those of the path hold for all its operations, unless an operation has one of the same name and place. */
function parametersOf(
  reading: Reading,
  ofPath: JsonValue | undefined,
  ofOperation: JsonValue | undefined,
): OperationModel['parameters'] {
  const byKey = new Map<string, JsonObject>()
  for (const entry of [...(asArray(ofPath) ?? []), ...(asArray(ofOperation) ?? [])]) {
    const parameter = resolveReference(reading.spec, entry).value
    if (parameter === undefined || asText(parameter.name) === undefined) continue
    byKey.set(`${asString(parameter.in)} ${asString(parameter.name)}`, parameter)
  }
  const places: OperationModel['parameters'] = { path: [], query: [], header: [], cookie: [] }
  for (const parameter of byKey.values()) {
    if (parameter['x-hidden'] === true || parameter['x-excluded'] === true) continue
    const place = asString(parameter.in)
    const list = place === 'path' || place === 'header' || place === 'cookie' ? places[place] : places.query
    const name = asString(parameter.name) ?? ''
    list.push(parameterView(reading, { name, parameter, required: place === 'path', direction: 'request' }))
  }
  return places
}

function parameterView(
  reading: Reading,
  input: { name: string; parameter: JsonObject; required: boolean; direction: Direction },
): ParameterView {
  const { parameter } = input
  const content = objectEntries(parameter.content)[0]?.[1]
  const view = viewOf(reading, parameter.schema ?? content?.schema, input.direction)
  const example = parameter.example ?? exampleOf(reading.spec, parameter.examples)
  const schema = example === undefined ? view : { ...view, examples: [example] }
  return {
    name: input.name,
    required: input.required || parameter.required === true,
    deprecated: parameter.deprecated === true || schema.deprecated,
    description: asText(parameter.description) ?? schema.description,
    schema,
  }
}

function exampleOf(spec: LoadedSpec, examples: JsonValue | undefined): JsonValue | undefined {
  const [first] = objectEntries(examples)
  return first === undefined ? undefined : resolveReference(spec, first[1]).value?.value
}

function bodyView(
  reading: Reading,
  written: JsonValue | undefined,
  direction: Direction,
): BodyView | undefined {
  const body = resolveReference(reading.spec, written).value
  if (body === undefined) return undefined
  return {
    required: body.required === true,
    description: asText(body.description) ?? '',
    contents: contentViews(reading, body.content, direction),
  }
}

function contentViews(reading: Reading, written: JsonValue | undefined, direction: Direction): ContentView[] {
  const views: ContentView[] = []
  for (const [mediaType, content] of objectEntries(written).slice(0, 8)) {
    const schema = content.schema
    const options = { direction }
    const view: ContentView = {
      mediaType,
      examples: contentExamples(reading.spec, { mediaType, content, options }),
    }
    if (schema !== undefined) view.schema = viewOf(reading, schema, direction)
    views.push(view)
  }
  return views
}

function responseViews(
  reading: Reading,
  written: JsonValue | undefined,
  direction: Direction,
): ResponseView[] {
  const views: ResponseView[] = []
  for (const [status, entry] of objectEntries(written)) {
    if (status.startsWith('x-')) continue
    const response = resolveReference(reading.spec, entry).value
    if (response === undefined) continue
    const headers = objectEntries(response.headers).flatMap(([name, header]) => {
      const parameter = resolveReference(reading.spec, header).value
      return parameter === undefined
        ? []
        : [parameterView(reading, { name, parameter, required: false, direction })]
    })
    views.push({
      status,
      label: STATUS_CODES[status] ?? '',
      description: asText(response.description) ?? '',
      headers,
      contents: contentViews(reading, response.content, direction),
    })
  }
  return views
}

function callbackViews(reading: Reading, written: JsonValue | undefined): CallbackView[] {
  const views: CallbackView[] = []
  for (const [name, entry] of objectEntries(written)) {
    const callback = resolveReference(reading.spec, entry).value ?? {}
    for (const [expression, itemWritten] of objectEntries(callback)) {
      const item = resolveReference(reading.spec, itemWritten).value ?? {}
      for (const method of methods) {
        const operation = asObject(item[method])
        if (operation === undefined) continue
        const body = bodyView(reading, operation.requestBody, 'response')
        views.push({
          name,
          method: method.toUpperCase(),
          expression,
          description: asText(operation.description) ?? asText(operation.summary) ?? '',
          responses: responseViews(reading, operation.responses, 'request'),
          ...(body === undefined ? {} : { body }),
        })
      }
    }
  }
  return views
}

function externalDocsOf(operation: JsonObject): { href: string; label: string } | undefined {
  const docs = asObject(operation.externalDocs)
  const href = asText(docs?.url)
  return href === undefined ? undefined : { href, label: asText(docs?.description) ?? href }
}
