import { asFlag, asList, asObject, asText, defined, type JsonObject } from './loose-json.ts'
import type { EndpointSettings, ManualApiSettings } from './openapi/index.ts'

/** `api` of docs.json, as the API pages read it. */
export function endpointSettings(api: JsonObject): EndpointSettings {
  const examples = asObject(api.examples) ?? {}
  const params = asObject(api.params) ?? {}
  const languages = asList(examples.languages).flatMap((language) => asText(language) ?? [])
  const marks = asList(params.post).flatMap((mark) => asText(mark) ?? [])
  return defined({
    languages: languages.length === 0 ? undefined : languages,
    defaults:
      examples.defaults === 'required'
        ? ('required' as const)
        : examples.defaults === 'all'
          ? ('all' as const)
          : undefined,
    autogenerate: asFlag(examples.autogenerate),
    fullUrl: api.url === 'full' ? true : undefined,
    expanded: params.expanded === 'all' ? true : undefined,
    marks: marks.length === 0 ? undefined : marks,
  })
}

/** `api.mdx`, or `api` in the older mint.json: for pages that describe their endpoint themselves. */
export function manualApi(api: JsonObject): ManualApiSettings {
  const manual = asObject(api.mdx) ?? api
  const auth = asObject(manual.auth)
  const servers = asList(manual.server ?? manual.baseUrl).flatMap((server) => asText(server) ?? [])
  return defined({
    servers: servers.length === 0 ? undefined : servers,
    auth:
      auth &&
      defined({
        method: asText(auth.method),
        name: asText(auth.name),
        inputPrefix: asText(auth.inputPrefix),
      }),
  })
}
