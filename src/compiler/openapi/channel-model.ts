import type {
  ChannelModel,
  ChannelOperation,
  JsonValue,
  MessageView,
  ParameterView,
  ServerView,
} from '../../theme/endpoint/endpoint-api.ts'
import { listedSchemes } from './auth-schemes.ts'
import { contentExamples } from './example-value.ts'
import { asArray, asObject, asString, asText, member, objectEntries } from './json.ts'
import type { EndpointSettings, JsonObject, LoadedSpec, Operation } from './openapi-api.ts'
import { beginReading, displayOf, type Reading, viewOf } from './reading.ts'
import { referenceName, resolveReference } from './resolve-reference.ts'
import { serverView } from './servers.ts'

/** An AsyncAPI channel with the operations that use it and the messages they carry. */
export function channelModel(
  spec: LoadedSpec,
  operation: Operation,
  settings: EndpointSettings,
): ChannelModel {
  const written = member(asObject(spec.document.channels), operation.path)
  const channel = resolveReference(spec, written).value ?? {}
  const reading = beginReading(spec, settings)
  const servers = channelServers(spec, channel)
  return {
    type: 'channel',
    id: operation.path,
    address: asText(channel.address) ?? operation.path,
    title: operation.title,
    description: operation.description,
    protocol: servers.protocol,
    servers: servers.views,
    auth: servers.written.flatMap((server) => listedSchemes(spec, server.security)).slice(0, 1),
    parameters: channelParameters(reading, channel),
    operations: channelOperations(spec, operation.path, channel),
    messages: channelMessages(reading, channel),
    display: displayOf(settings),
  }
}

function channelServers(
  spec: LoadedSpec,
  channel: JsonObject,
): { views: ServerView[]; written: JsonObject[]; protocol: string } {
  const named = asArray(channel.servers)
  const entries = named ?? objectEntries(spec.document.servers).map(([, server]) => server)
  const written = entries
    .map((entry) => resolveReference(spec, entry).value)
    .filter((server) => server !== undefined)
  const views = written.map((server) => {
    const protocol = asText(server.protocol) ?? ''
    const template = `${protocol === '' ? '' : `${protocol}://`}${asText(server.host) ?? ''}${asText(server.pathname) ?? ''}`
    return serverView({ template, server })
  })
  return { views, written, protocol: asText(written[0]?.protocol) ?? '' }
}

function channelParameters(reading: Reading, channel: JsonObject): ParameterView[] {
  return objectEntries(channel.parameters).flatMap(([name, entry]) => {
    const parameter = resolveReference(reading.spec, entry).value
    if (parameter === undefined) return []
    // A parameter of a channel is a text whose keywords stand beside each other, without a schema.
    const schema = viewOf(reading, { type: 'string', ...parameter }, 'request')
    return [{ name, required: true, deprecated: false, description: schema.description, schema }]
  })
}

/** In the file `send` is what the described application sends, so a reader receives it. */
function channelOperations(spec: LoadedSpec, id: string, channel: JsonObject): ChannelOperation[] {
  const operations: ChannelOperation[] = []
  for (const [name, entry] of objectEntries(spec.document.operations)) {
    const operation = resolveReference(spec, entry).value
    const target = asString(asObject(operation?.channel)?.$ref)
    if (operation === undefined || target === undefined || referenceName(target) !== id) continue
    const listed = asArray(operation.messages)
    const messages = listed?.map((message) => referenceName(asString(asObject(message)?.$ref) ?? ''))
    operations.push({
      id: name,
      action: operation.action === 'receive' ? 'send' : 'receive',
      title: asText(operation.title) ?? asText(operation.summary) ?? name,
      description: asText(operation.description) ?? '',
      messages: messages ?? Object.keys(asObject(channel.messages) ?? {}),
    })
  }
  return operations
}

function channelMessages(reading: Reading, channel: JsonObject): MessageView[] {
  const { spec } = reading
  return objectEntries(channel.messages).flatMap(([id, entry]) => {
    const message = resolveReference(spec, entry).value
    if (message === undefined) return []
    const payload = payloadSchema(message.payload)
    const headers = payloadSchema(message.headers)
    const contentType = asText(message.contentType) ?? asText(spec.document.defaultContentType) ?? ''
    const content = messageContent(message, payload)
    return [
      {
        id,
        title: asText(message.title) ?? asText(message.name) ?? id,
        description: asText(message.description) ?? asText(message.summary) ?? '',
        contentType,
        ...(headers === undefined ? {} : { headers: viewOf(reading, headers, 'both') }),
        ...(payload === undefined ? {} : { payload: viewOf(reading, payload, 'both') }),
        examples: contentExamples(spec, {
          mediaType: contentType,
          content,
          options: { direction: 'both' },
        }),
      },
    ]
  })
}

/** A payload may be wrapped in `{ schemaFormat, schema }`. */
function payloadSchema(payload: JsonValue | undefined): JsonValue | undefined {
  const object = asObject(payload)
  if (object === undefined) return undefined
  const inner = object.schema
  return inner !== undefined && object.type === undefined && object.properties === undefined ? inner : object
}

function messageContent(message: JsonObject, payload: JsonValue | undefined): JsonObject {
  const schema = payload === undefined ? {} : { schema: payload }
  const examples = (asArray(message.examples) ?? []).flatMap((entry, index): [string, JsonValue][] => {
    const example = asObject(entry)
    const value = example?.payload
    if (value === undefined) return []
    const name = asText(example?.name) ?? `Example ${index + 1}`
    const summary = asText(example?.summary)
    return [[name, summary === undefined ? { value } : { value, summary }]]
  })
  return examples.length === 0 ? schema : { ...schema, examples: Object.fromEntries(examples) }
}
