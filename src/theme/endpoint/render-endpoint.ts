import type { ElementContent } from 'hast'
import { Warning } from '../components/callouts.ts'
import { h } from '../content/element.ts'
import { fieldWords } from '../field-words.ts'
import type { ComponentContext } from '../theme-api.ts'
import type { ContentView, EndpointModel, OperationModel } from './endpoint-api.ts'
import { endpointAnchors } from './endpoint-api.ts'
import { methodBadge, section } from './endpoint-pieces.ts'
import { operationBar, pathCode } from './operation-bar.ts'
import { authSection } from './render-auth.ts'
import { channelBar, channelSections } from './render-channel.ts'
import { bodySection } from './render-contents.ts'
import { exampleTabs, requestExamples, responseExamples } from './render-examples.ts'
import { callbackSection, responseSection } from './render-responses.ts'
import { renderParameters, renderSchemaFields, renderText } from './render-schema.ts'

/** An API reference page in three places. */
export type RenderedEndpoint = {
  /** Method and path, to stand before the page's own text. */
  bar: ElementContent[]
  /** Credentials, where the page describes its fields itself: to stand before the first of them. */
  credentials: ElementContent[]
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
    return { bar: [], credentials: [], main: [...intro, ...fields], aside }
  }
  if (model.type === 'channel') {
    const aside =
      options.hasResponseExample === true ? [] : exampleTabs(channelExamples(model.messages), page)
    const main = [...intro, ...channelSections(model, page)]
    return { bar: channelBar(model, page), credentials: [], main, aside }
  }
  const isManual = model.responses.length === 0 && model.body === undefined && !hasParameters(model)
  return {
    bar: operationBar(model, page),
    credentials: isManual ? authSection(model, page) : [],
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

function operationSections(model: OperationModel, page: ComponentContext): ElementContent[] {
  const { expanded } = model.display
  const words = fieldWords(page)
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
    ...list(endpointAnchors.path, words.pathParameters, path, 'path'),
    ...list(endpointAnchors.query, words.queryParameters, query, 'query'),
    ...list(endpointAnchors.header, words.headers, header, 'header'),
    ...list(endpointAnchors.cookie, words.cookies, cookie, 'cookie'),
    ...bodySection(model, page),
    ...responseSection(model, page),
    ...callbackSection(model, page),
    ...furtherReading(model, page),
  ]
}

function furtherReading(model: OperationModel, page: ComponentContext): ElementContent[] {
  if (model.externalDocs === undefined) return []
  const { href, label } = model.externalDocs
  if (!/^(https?:|\/|#)/i.test(href)) return []
  return [h('p', null, h('a', { href: page.resolveHref(href) }, label))]
}
