import type { ElementContent } from 'hast'
import { h } from '../content/element.ts'
import { fieldWords } from '../field-words.ts'
import type { ComponentContext } from '../theme-api.ts'
import type { AuthScheme, OperationModel } from './endpoint-api.ts'
import { endpointAnchors } from './endpoint-api.ts'
import { section } from './endpoint-pieces.ts'
import { renderText } from './render-schema.ts'

/** The ways to authenticate, one under the other. */
export function authSection(model: OperationModel, page: ComponentContext): ElementContent[] {
  if (model.auth.length === 0) return []
  const words = fieldWords(page)
  const children: ElementContent[] = []
  model.auth.forEach((schemes, index) => {
    if (index > 0) children.push(h('div', { className: ['endpoint-or'] }, words.or))
    for (const scheme of schemes) children.push(authField(scheme, model.authOptional, page))
  })
  return section({ id: endpointAnchors.auth, title: words.authorization, page, children })
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
        ? h('span', { className: ['field-mark'] }, fieldWords(page).optional)
        : h('span', { className: ['field-required'] }, fieldWords(page).required),
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
            `${fieldWords(page).scopes}: `,
            scheme.scopes.flatMap((scope) => [h('code', null, scope), ' ']),
          ),
    ),
  )
}

function flowName(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}:`
}
