import type { JsonValue, ServerView } from '../../theme/endpoint/endpoint-api.ts'
import { asArray, asObject, asString, asText, objectEntries } from './json.ts'
import type { JsonObject } from './openapi-api.ts'

export function serversOf(written: JsonValue | undefined): ServerView[] {
  return (asArray(written) ?? []).flatMap((entry) => {
    const server = asObject(entry)
    const template = asText(server?.url)
    if (server === undefined || template === undefined) return []
    return [serverView({ template, server })]
  })
}

export function serverView(input: { template: string; server: JsonObject }): ServerView {
  const variables = objectEntries(input.server.variables).map(([name, variable]) => ({
    name,
    default: asString(variable.default) ?? '',
    values: (asArray(variable.enum) ?? []).flatMap((value) => asString(value) ?? []),
    description: asText(variable.description) ?? '',
  }))
  let url = input.template
  for (const variable of variables) {
    if (variable.default !== '') url = url.replaceAll(`{${variable.name}}`, variable.default)
  }
  return { url, description: asText(input.server.description) ?? '', variables }
}

/** A server given as `/v1` stands beside the specification, which has an address only when it was fetched. */
export function resolveServers(servers: ServerView[], file: string): ServerView[] {
  if (!/^https?:\/\//i.test(file)) return servers
  return servers.map((server) => {
    if (!server.url.startsWith('/')) return server
    return { ...server, url: new URL(server.url, file).href.replace(/\/$/, '') }
  })
}
