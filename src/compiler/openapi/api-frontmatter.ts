import type { ElementContent } from 'hast'
import type { OperationModel } from '../../theme/endpoint/endpoint-api.ts'
import { settingsScheme } from './auth-schemes.ts'
import { samplesWithoutSpec } from './code-samples.ts'
import { methods } from './list-operations.ts'
import type { EndpointSettings } from './openapi-api.ts'
import { displayOf } from './reading.ts'
import { writtenRequest } from './written-fields.ts'

/** What docs.json says for pages without a specification: `api.mdx`, or `api` in the older mint.json. */
export type ManualApiSettings = {
  servers?: string[]
  auth?: { method?: string; name?: string; inputPrefix?: string }
}

/** A page that names its request itself (`api: POST https://…/path`) and describes its fields in its text. */
export function endpointFromApiFrontmatter(input: {
  api: string
  title: string
  description?: string
  deprecated?: boolean
  /** The page's own `authMethod`, which wins over the project's. */
  authMethod?: string
  manual?: ManualApiSettings
  settings?: EndpointSettings
  /** The page's own text, whose fields the samples send. */
  content?: readonly ElementContent[]
}): OperationModel {
  const settings = input.settings ?? {}
  const { method, address } = splitApi(input.api)
  const { server, path } = splitAddress(address)
  const urls = server === undefined ? (input.manual?.servers ?? []) : [server]
  const projectAuth = input.manual?.auth ?? {}
  const auth = input.authMethod === undefined ? projectAuth : { ...projectAuth, method: input.authMethod }
  const model: OperationModel = {
    type: 'operation',
    method,
    path,
    title: input.title,
    description: input.description ?? '',
    deprecated: input.deprecated === true,
    servers: urls.map((url) => ({ url: url.replace(/\/+$/, ''), description: '', variables: [] })),
    auth: settingsScheme(auth),
    authOptional: false,
    parameters: { path: [], query: [], header: [], cookie: [] },
    responses: [],
    callbacks: [],
    samples: [],
    display: displayOf(settings),
  }
  const requiredOnly = settings.defaults === 'required'
  model.samples = samplesWithoutSpec(model, settings, writtenRequest(input.content ?? [], { requiredOnly }))
  return model
}

function splitApi(api: string): { method: string; address: string } {
  const [first = '', ...rest] = api.trim().split(/\s+/)
  const isMethod = [...methods, 'wss', 'ws'].some((method) => method === first.toLowerCase())
  if (isMethod && rest.length > 0) return { method: first.toUpperCase(), address: rest.join(' ') }
  return { method: 'GET', address: api.trim() }
}

function splitAddress(address: string): { server?: string; path: string } {
  const match = /^([a-z][a-z0-9+.-]*:\/\/[^/]+)(\/.*)?$/i.exec(address)
  if (match?.[1] !== undefined) return { server: match[1], path: match[2] ?? '/' }
  return { path: address.startsWith('/') ? address : `/${address}` }
}
