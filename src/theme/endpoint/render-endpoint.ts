import type { ElementContent } from 'hast'
import { Warning } from '../components/callouts.ts'
import { h } from '../content/element.ts'
import { renderIcon } from '../icons/render-icon.ts'
import type { ComponentContext } from '../theme-api.ts'
import type {
  AuthScheme,
  CallbackView,
  ContentView,
  EndpointModel,
  OperationModel,
  ResponseView,
  SchemaView,
} from './endpoint-api.ts'
import { endpointAnchors } from './endpoint-api.ts'
import { channelBar, channelSections } from './render-channel.ts'
import { exampleTabs, requestExamples, responseExamples } from './render-examples.ts'
import { renderParameters, renderSchemaFields, renderText } from './render-schema.ts'
import { methodBadge, section } from './endpoint-pieces.ts'

/** An API reference page in three places. */
export type RenderedEndpoint = {
  /** Method and path, to stand before the page's own text. */
  bar: ElementContent[]
  /** The description and all fields, to stand after it. */
  main: ElementContent[]
  /** Request samples and response examples, to stand beside it. */
  aside: ElementContent[]
}

/** Draws an endpoint with the same pieces as hand-written pages have. Everything can be read without a script. */
export function renderEndpoint(
  model: EndpointModel,
  page: ComponentContext,
  options: {
    /** A description that the page shows already and that need not be said again. */
    shownDescription?: string
    /** Examples that the author wrote on the page take the place of those made. */
    hasRequestExample?: boolean
    hasResponseExample?: boolean
  } = {},
): RenderedEndpoint {
  const described = unsaid(model.description, options.shownDescription ?? '')
  const intro = renderText(described, page)
  if (model.type === 'schema') {
    const fields = renderSchemaFields({
      schema: model.schema,
      page,
      prefix: 'field',
      expanded: model.display.expanded,
    })
    const aside = options.hasResponseExample === true ? [] : exampleTabs(model.examples, page)
    return { bar: [], main: [...intro, ...fields], aside }
  }
  if (model.type === 'channel') {
    const aside =
      options.hasResponseExample === true ? [] : exampleTabs(channelExamples(model.messages), page)
    return { bar: channelBar(model, page), main: [...intro, ...channelSections(model, page)], aside }
  }
  // A page that describes its fields itself has its credentials said before them.
  const isManual = model.responses.length === 0 && model.body === undefined && !hasParameters(model)
  return {
    bar: [...operationBar(model, page), ...(isManual ? authSection(model, page) : [])],
    main: [...intro, ...(isManual ? [] : authSection(model, page)), ...operationSections(model, page)],
    aside: [
      ...(options.hasRequestExample === true ? [] : requestExamples(model, page)),
      ...(options.hasResponseExample === true ? [] : responseExamples(model, page)),
    ],
  }
}

function hasParameters({ parameters }: OperationModel): boolean {
  return Object.values(parameters).some((list) => list.length > 0)
}

/** The description without its first paragraph, where the page shows that already. */
function unsaid(description: string, shown: string): string {
  const [first = '', ...rest] = description.trim().split(/\n[ \t]*\n/)
  const isShown = (text: string) => text.replace(/\s+/g, ' ').trim() === shown.replace(/\s+/g, ' ').trim()
  if (isShown(description)) return ''
  return isShown(first) ? rest.join('\n\n') : description
}

/** What a reader sees where the specification lacks the operation that a page is about. */
export function renderMissingEndpoint(
  missing: { title: string; nearest: string[] },
  page: ComponentContext,
): ElementContent[] {
  const [, method = '', path = missing.title] = /^([A-Z]+) (.+)$/.exec(missing.title) ?? []
  const known = missing.nearest.flatMap((name, index) => [index === 0 ? '' : ', ', h('code', null, name)])
  const text = [
    h('p', null, 'The API specification does not contain this operation.'),
    ...(known.length === 0 ? [] : [h('p', null, 'It has: ', known)]),
  ]
  return [
    h('div', { className: ['endpoint-bar'], dir: 'ltr' }, methodBadge(method), pathCode('', path)),
    ...Warning({ name: 'Warning', props: {}, children: text, page }),
  ]
}

function channelExamples(
  messages: { title: string; examples: ContentView['examples'] }[],
): ContentView['examples'] {
  return messages.flatMap((message) =>
    message.examples.map((example, index) => ({
      ...example,
      label: index === 0 ? message.title : `${message.title} · ${example.label}`,
    })),
  )
}

function operationBar(model: OperationModel, page: ComponentContext): ElementContent[] {
  const [server] = model.servers
  const base = model.display.fullUrl || model.servers.length > 1 ? (server?.url ?? '').replace(/\/$/, '') : ''
  const copied =
    model.type === 'webhook' ? model.path : `${(server?.url ?? '').replace(/\/$/, '')}${model.path}`
  return [
    h(
      'div',
      { className: ['endpoint-bar'], dir: 'ltr' },
      methodBadge(model.method),
      model.type === 'webhook' ? h('span', { className: ['endpoint-kind'] }, 'webhook') : null,
      pathCode(base, model.path),
      h(
        'button',
        {
          type: 'button',
          className: ['icon-button', 'needs-script', 'endpoint-copy'],
          dataCopy: copied,
          ariaLabel: 'Copy address',
        },
        renderIcon('lucide:copy', page),
      ),
    ),
    ...serverList(model, page),
  ]
}

/** Path parameters stand out. */
function pathCode(base: string, path: string): ElementContent {
  const parts = path.split(/(\{[^}]*\})/).filter((part) => part !== '')
  return h(
    'code',
    { className: ['endpoint-path'] },
    base === '' ? null : h('span', { className: ['server'] }, base),
    parts.map((part) => (part.startsWith('{') ? h('span', { className: ['parameter'] }, part) : part)),
  )
}

function serverList(model: OperationModel, page: ComponentContext): ElementContent[] {
  const variables = model.servers.some((server) => server.variables.length > 0)
  if (model.servers.length < 2 && !variables) return []
  return [
    h(
      'details',
      { className: ['expandable', 'endpoint-servers'] },
      h(
        'summary',
        null,
        h('span', { className: ['chevron'] }, renderIcon('lucide:chevron-right', page)),
        model.servers.length > 1 ? `${model.servers.length} servers` : 'Server',
      ),
      h(
        'ul',
        { className: ['expandable-body'] },
        model.servers.map((server) =>
          h(
            'li',
            null,
            h('code', { dir: 'ltr' }, server.url),
            server.description === '' ? null : ` – ${server.description}`,
            server.variables.map((variable) =>
              h(
                'div',
                { className: ['muted'] },
                h('code', null, variable.name),
                variable.values.length > 0 ? `: ${variable.values.join(', ')}` : `: ${variable.default}`,
                variable.description === '' ? null : ` – ${variable.description}`,
              ),
            ),
          ),
        ),
      ),
    ),
  ]
}

function operationSections(model: OperationModel, page: ComponentContext): ElementContent[] {
  const { expanded } = model.display
  const { path, query, header, cookie } = model.parameters
  const list = (
    id: string,
    title: string,
    parameters: OperationModel['parameters']['path'],
    prefix: string,
  ) =>
    parameters.length === 0
      ? []
      : section({ id, title, page, children: renderParameters({ parameters, page, prefix, expanded }) })
  return [
    ...list(endpointAnchors.path, 'Path parameters', path, 'path'),
    ...list(endpointAnchors.query, 'Query parameters', query, 'query'),
    ...list(endpointAnchors.header, 'Headers', header, 'header'),
    ...list(endpointAnchors.cookie, 'Cookies', cookie, 'cookie'),
    ...bodySection(model, page),
    ...responseSection(model, page),
    ...callbackSection(model, page),
    ...furtherReading(model, page),
  ]
}

function authSection(model: OperationModel, page: ComponentContext): ElementContent[] {
  if (model.auth.length === 0) return []
  const children: ElementContent[] = []
  model.auth.forEach((schemes, index) => {
    if (index > 0) children.push(h('div', { className: ['endpoint-or'] }, 'or'))
    for (const scheme of schemes) children.push(authField(scheme, model.authOptional, page))
  })
  return section({ id: endpointAnchors.auth, title: 'Authorization', page, children })
}

function authField(scheme: AuthScheme, optional: boolean, page: ComponentContext): ElementContent {
  const name = scheme.name === '' ? scheme.label : scheme.name
  const flows = scheme.flows.flatMap((flow) => {
    const addresses = [flow.authorizationUrl, flow.tokenUrl].filter((url) => url !== undefined)
    return [
      h(
        'li',
        null,
        flowName(flow.name),
        addresses.flatMap((url) => [' ', h('code', null, url)]),
      ),
    ]
  })
  return h(
    'div',
    { className: ['field'], id: page.uniqueId(`auth-${scheme.id}`.replace(/[^\w-]+/g, '-')) },
    h(
      'div',
      { className: ['field-head'] },
      h('span', { className: ['field-name'] }, name),
      h('span', { className: ['field-type'] }, scheme.label === name ? 'certificate' : scheme.label),
      scheme.place === 'none' ? null : h('span', { className: ['field-mark'] }, scheme.place),
      optional
        ? h('span', { className: ['field-mark'] }, 'optional')
        : h('span', { className: ['field-required'] }, 'required'),
    ),
    h(
      'div',
      { className: ['field-body'] },
      renderText(scheme.description, page),
      flows.length === 0 ? null : h('ul', null, flows),
      scheme.scopes.length === 0
        ? null
        : h(
            'p',
            { className: ['field-notes'] },
            'Scopes: ',
            scheme.scopes.flatMap((scope) => [h('code', null, scope), ' ']),
          ),
    ),
  )
}

function flowName(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}:`
}

function bodySection(model: OperationModel, page: ComponentContext): ElementContent[] {
  const { body } = model
  if (body === undefined || (body.contents.length === 0 && body.description === '')) return []
  const children = [
    ...renderText(body.description, page),
    ...renderContents({
      contents: body.contents,
      page,
      prefix: 'body',
      said: body.description,
      expanded: model.display.expanded,
    }),
  ]
  const note = body.contents.length === 1 ? (body.contents[0]?.mediaType ?? '') : ''
  return section({ id: endpointAnchors.body, title: 'Body', note, required: body.required, page, children })
}

/** Contents with the same fields are told once, under all their types. */
function renderContents(input: {
  contents: ContentView[]
  page: ComponentContext
  prefix: string
  expanded: boolean
  said: string
}): ElementContent[] {
  const groups = new Map<unknown, { types: string[]; content: ContentView }>()
  for (const content of input.contents) {
    const key = content.schema ?? content
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { types: [content.mediaType], content })
    else known.types.push(content.mediaType)
  }
  const several = input.contents.length > 1
  return [...groups.values()].flatMap(({ types, content }) => {
    const fields =
      content.schema === undefined
        ? []
        : renderSchemaFields({
            schema: content.schema,
            page: input.page,
            prefix: input.prefix,
            expanded: input.expanded,
            said: input.said,
          })
    if (!several) return fields
    const label = h(
      'div',
      { className: ['endpoint-types'] },
      types.flatMap((type) => [h('code', null, type), ' ']),
    )
    return [label, ...fields]
  })
}

function responseSection(model: OperationModel, page: ComponentContext): ElementContent[] {
  if (model.responses.length === 0) return []
  const firstOpen = Math.max(
    0,
    model.responses.findIndex((response) => response.status.startsWith('2')),
  )
  const told = new Map<SchemaView, string>()
  const children = model.responses.map((response, index) =>
    renderResponse({ response, page, open: index === firstOpen, expanded: model.display.expanded, told }),
  )
  const title = model.type === 'webhook' ? 'Your response' : 'Response'
  return section({ id: endpointAnchors.responses, title, page, children })
}

function renderResponse(input: {
  response: ResponseView
  page: ComponentContext
  open: boolean
  expanded: boolean
  /** Schemas that a response before has shown, with its status. */
  told: Map<SchemaView, string>
}): ElementContent {
  const { response, page, expanded, told } = input
  const headers =
    response.headers.length === 0
      ? []
      : [
          h('div', { className: ['endpoint-subtitle'] }, 'Headers'),
          ...renderParameters({
            parameters: response.headers,
            page,
            prefix: `response-${response.status}-header`,
            expanded,
          }),
        ]
  const prefix = `response-${response.status.toLowerCase()}`
  const contents =
    repeated(response, told) ??
    renderContents({ contents: response.contents, page, prefix, expanded, said: response.description })
  const type = response.contents.length === 1 ? (response.contents[0]?.mediaType ?? '') : ''
  const summary = [
    h(
      'span',
      { className: ['status', `status-${response.status.charAt(0).toLowerCase()}`] },
      response.status,
    ),
    h(
      'span',
      { className: ['response-label'] },
      response.label === '' ? plainLabel(response.status) : response.label,
    ),
    type === '' ? null : h('span', { className: ['response-type'] }, type),
  ]
  // "Bad Request" need not be said twice.
  const isLabel =
    response.description.trim().replace(/\.$/, '').toLowerCase() === response.label.toLowerCase()
  const described = isLabel ? [] : renderText(response.description, page)
  if (described.length + headers.length + contents.length === 0) {
    return h('div', { className: ['response', 'response-plain'] }, summary)
  }
  return h(
    'details',
    { className: ['response'], ...(input.open ? { open: true } : {}) },
    h(
      'summary',
      null,
      h('span', { className: ['chevron'] }, renderIcon('lucide:chevron-right', page)),
      summary,
    ),
    h('div', { className: ['response-body'] }, described, headers, contents),
  )
}

/** A large schema that another response has shown is not drawn again. */
function repeated(response: ResponseView, told: Map<SchemaView, string>): ElementContent[] | undefined {
  const [content] = response.contents
  const schema = response.contents.length === 1 ? content?.schema : undefined
  if (schema === undefined || countFields(schema, 30) < 30) return undefined
  const before = told.get(schema)
  if (before === undefined) {
    told.set(schema, response.status)
    return undefined
  }
  const name = schema.name === '' ? [] : [' of ', h('code', null, schema.name)]
  return [
    h(
      'p',
      { className: ['field-notes'] },
      'The same fields',
      name,
      ' as in the response ',
      h('code', null, before),
      '.',
    ),
  ]
}

function countFields(schema: SchemaView, enough: number): number {
  let count = 1
  const children = [
    ...schema.properties.map((property) => property.schema),
    ...(schema.variants?.options.map((option) => option.schema) ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(schema.additional === undefined ? [] : [schema.additional.schema]),
  ]
  for (const child of children) if (count < enough) count += countFields(child, enough - count)
  return count
}

function plainLabel(status: string): string {
  if (status === 'default') return 'Otherwise'
  const kinds: Record<string, string> = {
    '1': 'Informational',
    '2': 'Success',
    '3': 'Redirection',
    '4': 'Client error',
    '5': 'Server error',
  }
  return kinds[status.charAt(0)] ?? ''
}

function callbackSection(model: OperationModel, page: ComponentContext): ElementContent[] {
  if (model.callbacks.length === 0) return []
  const children = model.callbacks.map((callback) => renderCallback(callback, page, model.display.expanded))
  return section({ id: endpointAnchors.callbacks, title: 'Callbacks', page, children })
}

function renderCallback(callback: CallbackView, page: ComponentContext, expanded: boolean): ElementContent {
  const prefix = `callback-${callback.name}`
  return h(
    'details',
    { className: ['response', 'callback'] },
    h(
      'summary',
      null,
      h('span', { className: ['chevron'] }, renderIcon('lucide:chevron-right', page)),
      methodBadge(callback.method),
      h('span', { className: ['response-label'] }, callback.name),
      h('code', { className: ['response-type'] }, callback.expression),
    ),
    h(
      'div',
      { className: ['response-body'] },
      renderText(callback.description, page),
      callback.body === undefined
        ? null
        : [
            h('div', { className: ['endpoint-subtitle'] }, 'Body'),
            renderText(callback.body.description, page),
            renderContents({
              contents: callback.body.contents,
              page,
              prefix,
              expanded,
              said: callback.body.description,
            }),
          ],
      callback.responses.length === 0
        ? null
        : [
            h('div', { className: ['endpoint-subtitle'] }, 'Your response'),
            callback.responses.map((response) =>
              renderResponse({ response, page, open: false, expanded, told: new Map() }),
            ),
          ],
    ),
  )
}

function furtherReading(model: OperationModel, page: ComponentContext): ElementContent[] {
  if (model.externalDocs === undefined) return []
  const { href, label } = model.externalDocs
  if (!/^(https?:|\/|#)/i.test(href)) return []
  return [h('p', null, h('a', { href: page.resolveHref(href) }, label))]
}
