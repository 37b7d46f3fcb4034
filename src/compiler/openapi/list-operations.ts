import { asArray, asObject, asString, asText, member, objectEntries } from './json.ts'
import type { JsonObject, LoadedSpec, Operation } from './openapi-api.ts'
import { resolveReference } from './resolve-reference.ts'

/** The order in which the operations of one path become pages. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const

const listed = new WeakMap<LoadedSpec, Operation[]>()

/** Everything in a specification that can have a page of its own, in the order of the file. Computed once. */
export function listOperations(spec: LoadedSpec): Operation[] {
  let operations = listed.get(spec)
  if (operations === undefined) {
    operations = withParts(spec, spec.kind === 'openapi' ? [...httpOperations(spec)] : [...channels(spec)])
    listed.set(spec, operations)
  }
  return operations
}

/** The data models of a specification, for pages about one of them. */
export function listSchemas(spec: LoadedSpec): Operation[] {
  const schemas = member(asObject(spec.document.components), 'schemas')
  const models = objectEntries(schemas).map(
    ([name, schema]): Operation => ({
      file: spec.file,
      kind: 'schema',
      method: '',
      path: name,
      title: asText(schema.title) ?? name,
      description: asText(schema.description) ?? '',
      deprecated: schema.deprecated === true,
      hidden: false,
      excluded: false,
      metadata: {},
    }),
  )
  return withParts(spec, models)
}

function withParts(spec: LoadedSpec, operations: Operation[]): Operation[] {
  const { parts } = spec
  return parts === undefined ? operations : operations.map((operation) => ({ ...operation, parts }))
}

/** The part of the document that an operation stands for. */
export function operationObject(
  spec: LoadedSpec,
  operation: Operation,
): { item: JsonObject; operation: JsonObject } | undefined {
  const section = operation.kind === 'webhook' ? 'webhooks' : 'paths'
  const item = resolveReference(spec, member(asObject(spec.document[section]), operation.path)).value
  const found = resolveReference(spec, item?.[operation.method.toLowerCase()]).value
  return item === undefined || found === undefined ? undefined : { item, operation: found }
}

function* httpOperations(spec: LoadedSpec): Generator<Operation> {
  const groups = groupNames(spec)
  for (const section of ['paths', 'webhooks'] as const) {
    for (const [path, written] of objectEntries(spec.document[section])) {
      const item = resolveReference(spec, written).value
      if (item === undefined) continue
      for (const method of methods) {
        const operation = resolveReference(spec, item[method]).value
        if (operation === undefined) continue
        const kind = section === 'paths' ? 'operation' : 'webhook'
        yield httpOperation({ spec, kind, method, path, operation, groups })
      }
    }
  }
}

function httpOperation(input: {
  spec: LoadedSpec
  kind: 'operation' | 'webhook'
  method: string
  path: string
  operation: JsonObject
  groups: Map<string, string>
}): Operation {
  const { operation, path } = input
  const extension = asObject(operation['x-mint']) ?? {}
  const summary = asText(operation.summary)
  const operationId = asText(operation.operationId)
  const tag = asText(asArray(operation.tags)?.[0])
  const group = tag === undefined ? undefined : input.groups.get(tag)
  const href = asText(extension.href)
  const content = asText(extension.content)
  const method = input.method.toUpperCase()
  const fallback = input.kind === 'webhook' ? wordsOf(path) : `${method} ${path}`
  return {
    file: input.spec.file,
    kind: input.kind,
    method,
    path,
    title: summary ?? (operationId === undefined ? fallback : wordsOf(operationId)),
    description: asText(operation.description) ?? '',
    deprecated: operation.deprecated === true,
    hidden: operation['x-hidden'] === true,
    excluded: operation['x-excluded'] === true,
    metadata: asObject(extension.metadata) ?? {},
    ...(summary === undefined ? {} : { summary }),
    ...(operationId === undefined ? {} : { operationId }),
    ...(tag === undefined ? {} : { tag }),
    ...(group === undefined ? {} : { group }),
    ...(href === undefined ? {} : { href }),
    ...(content === undefined ? {} : { content }),
  }
}

function groupNames(spec: LoadedSpec): Map<string, string> {
  const names = new Map<string, string>()
  for (const tag of asArray(spec.document.tags) ?? []) {
    const object = asObject(tag)
    const name = asString(object?.name)
    const group = asText(object?.['x-group'])
    if (name !== undefined && group !== undefined) names.set(name, group)
  }
  return names
}

function* channels(spec: LoadedSpec): Generator<Operation> {
  for (const [id, written] of objectEntries(spec.document.channels)) {
    const channel = resolveReference(spec, written).value
    if (channel === undefined) continue
    const title = asText(channel.title)
    const tag = asText(asObject(resolveReference(spec, asArray(channel.tags)?.[0]).value)?.name)
    yield {
      file: spec.file,
      kind: 'channel',
      method: '',
      path: id,
      title: title ?? wordsOf(id),
      description: asText(channel.description) ?? asText(channel.summary) ?? '',
      deprecated: channel.deprecated === true,
      hidden: channel['x-hidden'] === true,
      excluded: channel['x-excluded'] === true,
      metadata: {},
      ...(title === undefined ? {} : { summary: title }),
      ...(tag === undefined ? {} : { tag }),
    }
  }
}

/** `listAllUsers`, `list_all_users` and `list-all-users` all read "List all users". */
function wordsOf(identifier: string): string {
  const spaced = identifier
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replace(/[_\-./\s]+/g, ' ')
    .trim()
  const words = spaced.split(' ').map((word) => (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word))
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
