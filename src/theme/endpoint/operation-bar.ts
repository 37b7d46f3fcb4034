import type { ElementContent } from 'hast'
import { h } from '../content/element.ts'
import { renderIcon } from '../icons/render-icon.ts'
import type { ComponentContext } from '../theme-api.ts'
import type { OperationModel } from './endpoint-api.ts'
import { methodBadge } from './endpoint-pieces.ts'

/** Method, path and servers of an operation. */
export function operationBar(model: OperationModel, page: ComponentContext): ElementContent[] {
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
export function pathCode(base: string, path: string): ElementContent {
  const parts = path.split(/(\{[^}]*\})/).filter((part) => part !== '')
  return h(
    'code',
    { className: ['endpoint-path'] },
    base === '' ? null : h('span', { className: ['server'] }, base),
    parts.map((part) =>
      part.startsWith('{') ? h('span', { className: ['parameter'] }, part) : breakable(part),
    ),
  )
}

/** A path that is too long for its line breaks before a slash, and within a name only where it must. */
function breakable(path: string): (string | ElementContent)[] {
  return path.split(/(?=\/)/).flatMap((part, index) => (index === 0 ? [part] : [h('wbr', null), part]))
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
