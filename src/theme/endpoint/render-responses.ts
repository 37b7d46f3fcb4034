import type { ElementContent } from 'hast'
import { h } from '../content/element.ts'
import { renderIcon } from '../icons/render-icon.ts'
import { fieldWords } from '../field-words.ts'
import type { ComponentContext } from '../theme-api.ts'
import type { CallbackView, OperationModel, ResponseView, SchemaView } from './endpoint-api.ts'
import { endpointAnchors } from './endpoint-api.ts'
import { methodBadge, section } from './endpoint-pieces.ts'
import { renderContents } from './render-contents.ts'
import { renderParameters, renderText } from './render-schema.ts'

/** The responses of an operation, each in a disclosure, the first success open. */
export function responseSection(model: OperationModel, page: ComponentContext): ElementContent[] {
  if (model.responses.length === 0) return []
  const firstOpen = Math.max(
    0,
    model.responses.findIndex((response) => response.status.startsWith('2')),
  )
  const told = new Map<SchemaView, string>()
  const children = model.responses.map((response, index) =>
    renderResponse({ response, page, open: index === firstOpen, expanded: model.display.expanded, told }),
  )
  const title = model.type === 'webhook' ? fieldWords(page).yourResponse : fieldWords(page).response
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
          h('div', { className: ['endpoint-subtitle'] }, fieldWords(page).headers),
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

export function callbackSection(model: OperationModel, page: ComponentContext): ElementContent[] {
  if (model.callbacks.length === 0) return []
  const children = model.callbacks.map((callback) => renderCallback(callback, page, model.display.expanded))
  return section({ id: endpointAnchors.callbacks, title: fieldWords(page).callbacks, page, children })
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
            h('div', { className: ['endpoint-subtitle'] }, fieldWords(page).body),
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
            h('div', { className: ['endpoint-subtitle'] }, fieldWords(page).yourResponse),
            callback.responses.map((response) =>
              renderResponse({ response, page, open: false, expanded, told: new Map() }),
            ),
          ],
    ),
  )
}
