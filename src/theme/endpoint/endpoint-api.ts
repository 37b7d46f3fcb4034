/** What an API reference page shows, as plain data: made by the compiler from a specification, drawn by the theme. */
export type EndpointModel = OperationModel | ChannelModel | SchemaModel

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

/** One request (`operation`), or one request that the API sends to its user (`webhook`). Texts are Markdown. */
export type OperationModel = {
  type: 'operation' | 'webhook'
  /** In capitals, such as `GET`. */
  method: string
  /** The path with its `{parameters}`, or the name of the webhook. */
  path: string
  title: string
  description: string
  deprecated: boolean
  operationId?: string
  tag?: string
  externalDocs?: { href: string; label: string }
  servers: ServerView[]
  /** Each entry is one way to authenticate; its schemes are needed together. Empty when none is asked for. */
  auth: AuthScheme[][]
  /** True when a call without credentials is allowed as well. */
  authOptional: boolean
  parameters: {
    path: ParameterView[]
    query: ParameterView[]
    header: ParameterView[]
    cookie: ParameterView[]
  }
  body?: BodyView
  responses: ResponseView[]
  callbacks: CallbackView[]
  samples: CodeSample[]
  display: EndpointDisplay
}

/** An AsyncAPI channel: who says what over it. */
export type ChannelModel = {
  type: 'channel'
  id: string
  address: string
  title: string
  description: string
  protocol: string
  servers: ServerView[]
  auth: AuthScheme[][]
  parameters: ParameterView[]
  operations: ChannelOperation[]
  messages: MessageView[]
  display: EndpointDisplay
}

/** A page about one data model of a specification. */
export type SchemaModel = {
  type: 'schema'
  name: string
  title: string
  description: string
  schema: SchemaView
  examples: ExampleView[]
  display: EndpointDisplay
}

/** What the project's settings ask for. */
export type EndpointDisplay = {
  /** Show the server before the path. */
  fullUrl: boolean
  /** Nested fields begin open. */
  expanded: boolean
}

export type ServerView = {
  /** With its variables filled in by their defaults. */
  url: string
  description: string
  variables: { name: string; default: string; values: string[]; description: string }[]
}

export type AuthScheme = {
  id: string
  kind: 'bearer' | 'basic' | 'api-key' | 'oauth2' | 'openid' | 'mutual-tls' | 'other'
  label: string
  place: 'header' | 'query' | 'cookie' | 'none'
  /** The header, query parameter or cookie that carries the credentials. */
  name: string
  /** What stands there, such as `Bearer <token>`. */
  value: string
  description: string
  scopes: string[]
  flows: { name: string; authorizationUrl?: string; tokenUrl?: string; refreshUrl?: string }[]
}

export type ParameterView = {
  name: string
  required: boolean
  deprecated: boolean
  description: string
  schema: SchemaView
}

export type BodyView = { required: boolean; description: string; contents: ContentView[] }

export type ContentView = { mediaType: string; schema?: SchemaView; examples: ExampleView[] }

export type ExampleView = {
  label: string
  description: string
  text: string
  /** A highlighter's name: `json`, `xml`, `text` … */
  language: string
  /** False when an author wrote it. */
  generated: boolean
}

export type ResponseView = {
  /** `200`, `4XX` or `default`. */
  status: string
  /** The usual name of the status, such as `Not Found`; empty where there is none. */
  label: string
  description: string
  headers: ParameterView[]
  contents: ContentView[]
}

export type CallbackView = {
  name: string
  method: string
  expression: string
  description: string
  body?: BodyView
  responses: ResponseView[]
}

export type CodeSample = { language: string; label: string; code: string; generated: boolean }

export type ChannelOperation = {
  id: string
  /** From the reader's side: `send` is what the reader's program sends. */
  action: 'send' | 'receive'
  title: string
  description: string
  /** Ids of messages of the channel. */
  messages: string[]
}

export type MessageView = {
  id: string
  title: string
  description: string
  contentType: string
  headers?: SchemaView
  payload?: SchemaView
  examples: ExampleView[]
}

/** One node of a schema tree. The tree is finite: a cycle and a tree too large end in a node that says so. */
export type SchemaView = {
  /** What a reader sees: `string`, `integer<int64>`, `object[]`, `string | integer`, `enum<string>`. */
  type: string
  /** The name of the schema in the specification, or its title. */
  name: string
  description: string
  nullable: boolean
  deprecated: boolean
  readOnly: boolean
  writeOnly: boolean
  default?: JsonValue
  const?: JsonValue
  enum: EnumValue[]
  examples: JsonValue[]
  constraints: { label: string; value: string }[]
  /** Labels the author asks for before and after the name. */
  marks: { before: string[]; after: string[] }
  properties: PropertyView[]
  /** What further properties may hold, where the schema says so. */
  additional?: { pattern?: string; schema: SchemaView }
  /** The items of a list, where they have fields of their own. */
  items?: SchemaView
  variants?: {
    keyword: 'oneOf' | 'anyOf'
    discriminator?: string
    options: { label: string; schema: SchemaView }[]
  }
  /** Why the children are left out here. */
  cut?: 'cycle' | 'size'
}

export type EnumValue = { value: JsonValue; description: string }

export type PropertyView = { name: string; required: boolean; schema: SchemaView }

/** The ids of the reference's headings, by which the search and other pages link to them. */
export const endpointAnchors = {
  auth: 'authorization',
  path: 'path-parameters',
  query: 'query-parameters',
  header: 'headers',
  cookie: 'cookies',
  body: 'body',
  responses: 'response',
  callbacks: 'callbacks',
  operations: 'operations',
  messages: 'messages',
  parameters: 'parameters',
} as const
