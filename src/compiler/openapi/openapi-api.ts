import type { JsonValue } from '../../theme/endpoint/endpoint-api.ts'
import type { Problem } from '../compiler-api.ts'

export type JsonObject = { [key: string]: JsonValue }

/** A specification that can be read. `problems` are the author's mistakes in it that do not stop the reading. */
export type LoadedSpec = {
  kind: 'openapi' | 'asyncapi'
  /** The path in the project without a slash in front, or the address it came from. */
  file: string
  text: string
  version: string
  title: string
  document: JsonObject
  problems: Problem[]
  /** A digest of the other files that it refers to. */
  parts?: string
}

/** One page that a specification can give: plain data, so that it may travel between threads. */
export type Operation = {
  /** The specification it stands in: `LoadedSpec.file`. */
  file: string
  kind: 'operation' | 'webhook' | 'channel' | 'schema'
  /** In capitals; `WEBHOOK` and `WSS`-like names never stand here: a webhook has its own method, a channel none. */
  method: string
  /** The path, or the name of the webhook, channel or schema. */
  path: string
  operationId?: string
  /** The first tag, by which pages are grouped. */
  tag?: string
  /** How the tag is called in the navigation (`x-group`). */
  group?: string
  title: string
  summary?: string
  description: string
  deprecated: boolean
  /** Has a page that the navigation does not show. */
  hidden: boolean
  /** Has no page. */
  excluded: boolean
  /** Frontmatter that the specification sets (`x-mint.metadata`). */
  metadata: JsonObject
  /** The page's own address (`x-mint.href`). */
  href?: string
  /** MDX shown before the generated part (`x-mint.content`). */
  content?: string
  /** `LoadedSpec.parts`, so that a page that is kept knows when another file has changed. */
  parts?: string
}

/** The project's settings on API pages, from `api` in docs.json. */
export type EndpointSettings = {
  /** Languages of generated samples, in order, in any of their names. */
  languages?: string[]
  /** Which parameters generated samples hold. */
  defaults?: 'required' | 'all'
  /** False shows only samples that an author wrote. */
  autogenerate?: boolean
  fullUrl?: boolean
  expanded?: boolean
  /** Schema keywords shown as labels after a field's name. */
  marks?: string[]
}
