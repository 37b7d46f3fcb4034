import {
  type AuthScheme,
  type BodyView,
  type ChannelModel,
  type EndpointModel,
  endpointAnchors,
  type JsonValue,
  type OperationModel,
  type ParameterView,
  type ResponseView,
  type SchemaView,
} from '../../theme/endpoint/endpoint-api.ts'

const maximumListDepth = 5
const maximumListLines = 400
const maximumSearchCharacters = 12_000

/** The reference as Markdown, for the page's `.md` twin and for language models. Headings begin at the second level. */
export function endpointMarkdown(model: EndpointModel): string {
  const parts = model.type === 'schema' ? schemaParts(model.schema, model.description) : bodyParts(model)
  return `${parts.filter((part) => part.trim() !== '').join('\n\n')}\n`
}

export type EndpointSearchSection = {
  /** Empty for what stands before the first heading. */
  heading: string
  /** The id of the heading in the page. */
  anchor: string
  text: string
}

/** What a search finds of the reference: the request line, then each part with the names of its fields. */
export function endpointSearchSections(model: EndpointModel): EndpointSearchSection[] {
  if (model.type === 'schema') {
    return [
      {
        heading: '',
        anchor: '',
        text: [model.name, model.description, ...fieldTexts(model.schema)].join('\n'),
      },
    ]
  }
  if (model.type === 'channel') return channelSections(model)
  return operationSections(model)
}

const parameterHeadings = {
  path: 'Path parameters',
  query: 'Query parameters',
  header: 'Headers',
  cookie: 'Cookies',
} as const

function operationSections(model: OperationModel): EndpointSearchSection[] {
  const identity = [`${model.method} ${model.path}`, model.operationId ?? '', model.title, model.description]
  const sections: EndpointSearchSection[] = [{ heading: '', anchor: '', text: joined(identity) }]
  for (const place of ['path', 'query', 'header', 'cookie'] as const) {
    const text = joined(model.parameters[place].flatMap(parameterTexts))
    if (text !== '')
      sections.push({ heading: parameterHeadings[place], anchor: endpointAnchors[place], text })
  }
  if (model.body !== undefined) {
    sections.push({ heading: 'Body', anchor: endpointAnchors.body, text: joined(bodyTexts(model.body)) })
  }
  const responses = joined(
    model.responses.flatMap((response) => [
      `${response.status} ${response.label} ${response.description}`,
      ...response.headers.flatMap(parameterTexts),
      ...contentTexts(response.contents),
    ]),
  )
  if (responses !== '')
    sections.push({ heading: 'Response', anchor: endpointAnchors.responses, text: responses })
  const callbacks = joined(
    model.callbacks.flatMap((callback) => [
      `${callback.name} ${callback.method} ${callback.expression} ${callback.description}`,
      ...(callback.body === undefined ? [] : bodyTexts(callback.body)),
    ]),
  )
  if (callbacks !== '')
    sections.push({ heading: 'Callbacks', anchor: endpointAnchors.callbacks, text: callbacks })
  return sections.filter((section) => section.text !== '')
}

function channelSections(model: ChannelModel): EndpointSearchSection[] {
  const operations = model.operations.map(
    (operation) => `${operation.id} ${operation.title} ${operation.description}`,
  )
  const messages = model.messages.flatMap((message) => [
    `${message.id} ${message.title} ${message.description}`,
    ...(message.payload === undefined ? [] : fieldTexts(message.payload)),
  ])
  const sections = [
    { heading: '', anchor: '', text: joined([model.address, model.id, model.title, model.description]) },
    { heading: 'Operations', anchor: endpointAnchors.operations, text: joined(operations) },
    { heading: 'Messages', anchor: endpointAnchors.messages, text: joined(messages) },
  ]
  return sections.filter((section) => section.text !== '')
}

/** Without what was said before, and no longer than a reader would search through. */
function joined(texts: string[]): string {
  const lines = new Set<string>()
  let size = 0
  for (const text of texts) {
    const line = text.trim()
    if (line === '' || lines.has(line)) continue
    size += line.length + 1
    if (size > maximumSearchCharacters && lines.size > 0) break
    lines.add(line)
  }
  return [...lines].join('\n')
}

function parameterTexts(parameter: ParameterView): string[] {
  return [
    `${parameter.name} ${parameter.description}`,
    ...fieldTexts(parameter.schema, parameter.description),
  ]
}

function bodyTexts(body: BodyView): string[] {
  return [body.description, ...contentTexts(body.contents)]
}

function contentTexts(contents: BodyView['contents']): string[] {
  const seen = new Set<SchemaView>()
  return contents.flatMap(({ schema }) => {
    if (schema === undefined || seen.has(schema)) return []
    seen.add(schema)
    return fieldTexts(schema)
  })
}

function fieldTexts(schema: SchemaView, said = ''): string[] {
  const own = schema.description === said ? '' : schema.description
  const values = schema.enum.map((entry) => `${valueText(entry.value)} ${entry.description}`.trim()).join(' ')
  return [
    own,
    values,
    ...schema.properties.flatMap((property) => [property.name, ...fieldTexts(property.schema)]),
    ...(schema.items === undefined ? [] : fieldTexts(schema.items)),
    ...(schema.additional === undefined ? [] : fieldTexts(schema.additional.schema)),
    ...(schema.variants?.options.flatMap((option) => [option.label, ...fieldTexts(option.schema)]) ?? []),
  ].filter((text) => text !== '')
}

function bodyParts(model: OperationModel | ChannelModel): string[] {
  return model.type === 'channel' ? channelParts(model) : operationParts(model)
}

function operationParts(model: OperationModel): string[] {
  const line =
    model.type === 'webhook' ? `${model.method} (webhook) ${model.path}` : `${model.method} ${model.path}`
  const parts = [`\`\`\`http\n${line}\n\`\`\``]
  if (model.deprecated) parts.push('**Deprecated.**')
  parts.push(model.description)
  if (model.servers.length > 0) {
    parts.push(
      model.servers.map((server) => `- ${label('Server', server.url, server.description)}`).join('\n'),
    )
  }
  if (model.auth.length > 0) parts.push('## Authorization', model.auth.map(authText).join('\n\nor\n\n'))
  for (const place of ['path', 'query', 'header', 'cookie'] as const) {
    const parameters = model.parameters[place]
    if (parameters.length > 0) parts.push(`## ${parameterHeadings[place]}`, parameterList(parameters))
  }
  if (model.body !== undefined)
    parts.push(`## Body${model.body.required ? ' (required)' : ''}`, ...contentParts(model.body))
  if (model.responses.length > 0) parts.push('## Response', ...model.responses.flatMap(responseParts))
  for (const callback of model.callbacks) {
    parts.push(
      `## Callback ${callback.name}`,
      `\`${callback.method} ${callback.expression}\``,
      callback.description,
    )
    if (callback.body !== undefined) parts.push(...contentParts(callback.body))
  }
  const [sample] = model.samples
  if (sample !== undefined) parts.push('## Request example', fence(sample.language, sample.code))
  return parts
}

function channelParts(model: ChannelModel): string[] {
  const parts = [
    `Channel \`${model.address}\`${model.protocol === '' ? '' : ` (${model.protocol})`}`,
    model.description,
  ]
  parts.push(model.servers.map((server) => `- ${label('Server', server.url, server.description)}`).join('\n'))
  if (model.parameters.length > 0) parts.push('## Parameters', parameterList(model.parameters))
  for (const operation of model.operations) {
    const verb = operation.action === 'send' ? 'You send' : 'You receive'
    parts.push(`## ${operation.title}`, `${verb}: ${operation.messages.join(', ')}`, operation.description)
  }
  for (const message of model.messages) {
    parts.push(`## Message: ${message.title}`, message.description)
    if (message.payload !== undefined) parts.push(...schemaParts(message.payload, message.description))
    const [example] = message.examples
    if (example !== undefined) parts.push(fence(example.language, example.text))
  }
  return parts
}

function responseParts(response: ResponseView): string[] {
  const heading = `### ${[response.status, response.label].filter((text) => text !== '').join(' ')}`
  return [
    heading,
    response.description,
    response.headers.length === 0 ? '' : `Headers:\n\n${parameterList(response.headers)}`,
    ...contentParts({ required: false, description: '', contents: response.contents }),
  ]
}

function contentParts(body: BodyView): string[] {
  const seen = new Set<SchemaView>()
  return [
    body.description,
    ...body.contents.flatMap((content) => {
      const [example] = content.examples
      const fields =
        content.schema === undefined || seen.has(content.schema) ? [] : schemaParts(content.schema, '')
      if (content.schema !== undefined) seen.add(content.schema)
      return [
        `Content type \`${content.mediaType}\``,
        ...fields,
        ...(example === undefined ? [] : [fence(example.language, example.text)]),
      ]
    }),
  ]
}

function schemaParts(schema: SchemaView, said: string): string[] {
  const lines: string[] = []
  appendFields(lines, schema, '')
  const own = schema.description === said ? '' : schema.description
  return [own, schema.properties.length === 0 ? `Type: \`${schema.type}\`` : '', lines.join('\n')]
}

function parameterList(parameters: ParameterView[]): string {
  const lines: string[] = []
  for (const parameter of parameters) {
    const { name, required, description, schema } = parameter
    lines.push(fieldLine({ name, required, description, schema, indent: '' }))
    appendFields(lines, schema, '  ')
  }
  return lines.join('\n')
}

function appendFields(lines: string[], schema: SchemaView, indent: string): void {
  if (indent.length > maximumListDepth * 2 || lines.length > maximumListLines) return
  for (const { name, required, schema: inner } of schema.properties) {
    lines.push(fieldLine({ name, required, description: inner.description, schema: inner, indent }))
    appendFields(lines, inner, `${indent}  `)
  }
  if (schema.additional !== undefined) {
    const { pattern, schema: inner } = schema.additional
    const name = pattern ?? '(any key)'
    lines.push(fieldLine({ name, required: false, description: inner.description, schema: inner, indent }))
    appendFields(lines, inner, `${indent}  `)
  }
  if (schema.items !== undefined) appendFields(lines, schema.items, indent)
  for (const option of schema.variants?.options ?? []) {
    lines.push(
      `${indent}- ${schema.variants?.keyword === 'oneOf' ? 'One of' : 'Any of'}: **${option.label}** (${option.schema.type})`,
    )
    appendFields(lines, option.schema, `${indent}  `)
  }
}

function fieldLine(input: {
  name: string
  required: boolean
  description: string
  schema: SchemaView
  indent: string
}): string {
  const { schema } = input
  const notes = [
    input.required ? 'required' : '',
    schema.nullable ? 'nullable' : '',
    schema.deprecated ? 'deprecated' : '',
    schema.readOnly ? 'read-only' : '',
    schema.writeOnly ? 'write-only' : '',
    schema.default === undefined ? '' : `default: ${valueText(schema.default)}`,
    schema.const === undefined ? '' : `always ${valueText(schema.const)}`,
    ...schema.constraints.map((constraint) => `${constraint.label.toLowerCase()}: ${constraint.value}`),
  ].filter((note) => note !== '')
  const kind = [`\`${schema.type}\``, ...notes].join(', ')
  const values =
    schema.enum.length === 0
      ? ''
      : ` One of: ${schema.enum.map((entry) => `\`${valueText(entry.value)}\``).join(', ')}.`
  const cut = schema.cut === 'cycle' ? ` (${schema.name}, as above)` : ''
  const text = input.description.replace(/\s*\n\s*/g, ' ').trim()
  return `${input.indent}- \`${input.name}\` (${kind})${cut}${text === '' ? '' : `: ${text}`}${values}`
}

function authText(schemes: AuthScheme[]): string {
  return schemes
    .map((scheme) => {
      const carried = scheme.name === '' ? '' : ` in ${scheme.place} \`${scheme.name}\``
      const scopes =
        scheme.scopes.length === 0
          ? ''
          : ` Scopes: ${scheme.scopes.map((scope) => `\`${scope}\``).join(', ')}.`
      return `- ${scheme.label}${carried}: ${scheme.description}${scopes}`
    })
    .join('\n')
}

function label(name: string, value: string, description: string): string {
  return `${name}: \`${value}\`${description === '' ? '' : ` – ${description}`}`
}

function fence(language: string, code: string): string {
  const mark = '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map((run) => run[0].length + 1)))
  return `${mark}${language}\n${code}\n${mark}`
}

function valueText(value: JsonValue): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}
