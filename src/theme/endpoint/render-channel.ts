import type { ElementContent } from 'hast'
import { h } from '../content/element.ts'
import { renderIcon } from '../icons/render-icon.ts'
import { slug } from '../slug.ts'
import type { ComponentContext } from '../theme-api.ts'
import type { ChannelModel, ChannelOperation, MessageView } from './endpoint-api.ts'
import { endpointAnchors } from './endpoint-api.ts'
import { methodBadge, section } from './endpoint-pieces.ts'
import { renderParameters, renderSchemaFields, renderText } from './render-schema.ts'

export function channelBar(model: ChannelModel, page: ComponentContext): ElementContent[] {
  const base = (model.servers[0]?.url ?? '').replace(/\/$/, '')
  const address = model.address.startsWith('/') ? model.address : `/${model.address}`
  return [
    h(
      'div',
      { className: ['endpoint-bar'], dir: 'ltr' },
      methodBadge(model.protocol === '' ? 'CHANNEL' : model.protocol.toUpperCase()),
      h('code', { className: ['endpoint-path'] }, base === '' ? model.address : `${base}${address}`),
    ),
    ...(model.servers.length < 2
      ? []
      : [
          h(
            'details',
            { className: ['expandable', 'endpoint-servers'] },
            h(
              'summary',
              null,
              h('span', { className: ['chevron'] }, renderIcon('lucide:chevron-right', page)),
              `${model.servers.length} servers`,
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
                ),
              ),
            ),
          ),
        ]),
  ]
}

/** A channel in a simple view: who may say what, then each message with its fields. */
export function channelSections(model: ChannelModel, page: ComponentContext): ElementContent[] {
  const ids = new Map(
    model.messages.map((message) => [message.id, page.uniqueId(`message-${slug(message.id, 'message')}`)]),
  )
  const { expanded } = model.display
  const parts: ElementContent[] = []
  if (model.parameters.length > 0) {
    const children = renderParameters({ parameters: model.parameters, page, prefix: 'parameter', expanded })
    parts.push(...section({ id: endpointAnchors.parameters, title: 'Parameters', page, children }))
  }
  if (model.operations.length > 0) {
    const children = model.operations.map((operation) => renderOperation(operation, model, ids, page))
    parts.push(...section({ id: endpointAnchors.operations, title: 'Operations', page, children }))
  }
  if (model.messages.length > 0) {
    const children = model.messages.map((message) =>
      renderMessage(message, ids.get(message.id) ?? '', page, expanded),
    )
    parts.push(...section({ id: endpointAnchors.messages, title: 'Messages', page, children }))
  }
  return parts
}

function renderOperation(
  operation: ChannelOperation,
  model: ChannelModel,
  ids: ReadonlyMap<string, string>,
  page: ComponentContext,
): ElementContent {
  const links = operation.messages.flatMap((id, index) => {
    const title = model.messages.find((message) => message.id === id)?.title ?? id
    const target = ids.get(id)
    const link = target === undefined ? title : h('a', { href: `#${encodeURI(target)}` }, title)
    return [index === 0 ? '' : ', ', link]
  })
  return h(
    'div',
    { className: ['field'] },
    h(
      'div',
      { className: ['field-head'] },
      h(
        'span',
        { className: ['method', `method-${operation.action}`] },
        operation.action === 'send' ? 'Send' : 'Receive',
      ),
      h('span', { className: ['field-name'] }, operation.title),
    ),
    h(
      'div',
      { className: ['field-body'] },
      renderText(operation.description, page),
      links.length === 0 ? null : h('p', { className: ['field-notes'] }, 'Messages: ', links),
    ),
  )
}

function renderMessage(
  message: MessageView,
  id: string,
  page: ComponentContext,
  expanded: boolean,
): ElementContent {
  const fields = (schema: MessageView['payload'], prefix: string) =>
    schema === undefined ? [] : renderSchemaFields({ schema, page, prefix, expanded })
  const said = message.payload?.description === message.description ? '' : message.description
  return h(
    'details',
    { className: ['response'], open: true, id },
    h(
      'summary',
      null,
      h('span', { className: ['chevron'] }, renderIcon('lucide:chevron-right', page)),
      h('span', { className: ['response-label'] }, message.title),
      message.contentType === '' ? null : h('span', { className: ['response-type'] }, message.contentType),
    ),
    h(
      'div',
      { className: ['response-body'] },
      renderText(said, page),
      message.headers === undefined
        ? null
        : [
            h('div', { className: ['endpoint-subtitle'] }, 'Headers'),
            fields(message.headers, `${id}-header`),
          ],
      message.headers === undefined ? null : h('div', { className: ['endpoint-subtitle'] }, 'Payload'),
      fields(message.payload, id),
    ),
  )
}
