import type { AuthScheme, JsonValue } from '../../theme/endpoint/endpoint-api.ts'
import { asArray, asObject, asString, asText, member, objectEntries } from './json.ts'
import type { JsonObject, LoadedSpec } from './openapi-api.ts'
import { referenceName, resolveReference } from './resolve-reference.ts'

/** The ways to authenticate that a `security` list gives; an empty entry in it means that none is needed. */
export function authSchemes(
  spec: LoadedSpec,
  security: JsonValue | undefined,
): { auth: AuthScheme[][]; authOptional: boolean } {
  const auth: AuthScheme[][] = []
  let authOptional = false
  for (const entry of asArray(security) ?? []) {
    const requirement = asObject(entry)
    if (requirement === undefined) continue
    const names = Object.entries(requirement)
    if (names.length === 0) authOptional = true
    const schemes = names.flatMap(([id, scopes]) => namedScheme(spec, id, texts(scopes)))
    if (schemes.length > 0) auth.push(schemes)
  }
  return { auth, authOptional: authOptional && auth.length > 0 }
}

/** AsyncAPI lists the schemes themselves, each one enough. */
export function listedSchemes(spec: LoadedSpec, security: JsonValue | undefined): AuthScheme[][] {
  return (asArray(security) ?? []).flatMap((entry) => {
    const { value, pointers } = resolveReference(spec, entry)
    if (value === undefined) return []
    return [
      [
        describeScheme({
          id: referenceName(pointers[0] ?? ''),
          scheme: value,
          scopes: texts(value.scopes),
        }),
      ],
    ]
  })
}

function namedScheme(spec: LoadedSpec, id: string, scopes: string[]): AuthScheme[] {
  const schemes = asObject(asObject(spec.document.components)?.securitySchemes)
  const scheme = resolveReference(spec, member(schemes, id)).value
  return scheme === undefined ? [] : [describeScheme({ id, scheme, scopes })]
}

function describeScheme(input: { id: string; scheme: JsonObject; scopes: string[] }): AuthScheme {
  const { id, scheme, scopes } = input
  const type = asText(scheme.type) ?? ''
  const written = asText(scheme.description)
  const preset = asText(scheme['x-default'])
  const make = (
    given: Omit<AuthScheme, 'id' | 'scopes' | 'flows' | 'description'>,
    description: string,
  ): AuthScheme => ({
    id,
    ...given,
    description: written ?? description,
    scopes,
    flows: flowsOf(scheme),
  })
  const http = type === 'http' ? (asText(scheme.scheme) ?? '').toLowerCase() : ''
  if (http === 'bearer') return make(bearer(preset), bearerText(asText(scheme.bearerFormat)))
  if (http === 'basic' || type === 'userPassword') return make(basic(), basicText)
  if (http !== '') {
    const value = `${asText(scheme.scheme) ?? ''} <credentials>`
    return make({ kind: 'other', label: `HTTP ${http}`, place: 'header', name: 'Authorization', value }, '')
  }
  if (type === 'apiKey' || type === 'httpApiKey') {
    const name = asText(scheme.name) ?? 'Authorization'
    const place = placeOf(asText(scheme.in))
    const value = preset ?? '<api-key>'
    return make(
      { kind: 'api-key', label: 'API key', place, name, value },
      `Your API key, sent in the ${placeWord(place)} \`${name}\`.`,
    )
  }
  if (type === 'oauth2')
    return make(
      { ...bearer(undefined), kind: 'oauth2', label: 'OAuth 2.0' },
      'An OAuth 2.0 access token, sent as `Bearer <token>`.',
    )
  if (type === 'openIdConnect') {
    const description = `An access token from OpenID Connect (${asText(scheme.openIdConnectUrl) ?? 'see the provider'}), sent as \`Bearer <token>\`.`
    return make({ ...bearer(undefined), kind: 'openid', label: 'OpenID Connect' }, description)
  }
  if (type === 'mutualTLS' || type === 'X509') {
    return make(
      { kind: 'mutual-tls', label: 'Mutual TLS', place: 'none', name: '', value: '' },
      'A client certificate.',
    )
  }
  return make({ kind: 'other', label: id === '' ? type : id, place: 'none', name: '', value: '' }, '')
}

/** The scheme that docs.json gives for pages without a specification (`api.mdx.auth`). */
export function settingsScheme(auth: {
  method?: string
  name?: string
  inputPrefix?: string
}): AuthScheme[][] {
  const method = (auth.method ?? '').toLowerCase()
  const shared = { id: method, scopes: [], flows: [] }
  if (method === 'bearer') return [[{ ...shared, ...bearer(undefined), description: bearerText(undefined) }]]
  if (method === 'basic') return [[{ ...shared, ...basic(), description: basicText }]]
  if (method === 'key' || method === 'apikey') {
    const name = auth.name ?? 'x-api-key'
    const value = `${auth.inputPrefix ?? ''}<api-key>`
    const description = `Your API key, sent in the header \`${name}\`.`
    return [[{ ...shared, kind: 'api-key', label: 'API key', place: 'header', name, value, description }]]
  }
  return []
}

type SchemeCore = Pick<AuthScheme, 'kind' | 'label' | 'place' | 'name' | 'value'>

function bearer(preset: string | undefined): SchemeCore {
  const value = `Bearer ${preset?.replace(/^bearer\s+/i, '') ?? '<token>'}`
  return { kind: 'bearer', label: 'Bearer token', place: 'header', name: 'Authorization', value }
}

function bearerText(format: string | undefined): string {
  const token = format === undefined ? 'your token' : `your token (${format})`
  return `Sent as \`Bearer <token>\`, where \`<token>\` is ${token}.`
}

function basic(): SchemeCore {
  return {
    kind: 'basic',
    label: 'Basic authentication',
    place: 'header',
    name: 'Authorization',
    value: 'Basic <credentials>',
  }
}

const basicText =
  'Sent as `Basic <credentials>`, where `<credentials>` is the base64 form of `username:password`.'

function placeOf(place: string | undefined): AuthScheme['place'] {
  return place === 'query' || place === 'cookie' ? place : 'header'
}

function placeWord(place: AuthScheme['place']): string {
  return place === 'query' ? 'query parameter' : place
}

function flowsOf(scheme: JsonObject): AuthScheme['flows'] {
  return objectEntries(scheme.flows).map(([name, flow]) => ({
    name,
    ...address('authorizationUrl', flow),
    ...address('tokenUrl', flow),
    ...address('refreshUrl', flow),
  }))
}

function address(key: string, flow: JsonObject): Record<string, string> {
  const text = asText(flow[key])
  return text === undefined ? {} : { [key]: text }
}

function texts(value: JsonValue | undefined): string[] {
  return (asArray(value) ?? []).flatMap((entry) => asString(entry) ?? [])
}
