import type { ElementContent } from 'hast'
import { h } from '../content/element.ts'
import { fieldWords } from '../field-words.ts'
import type { ComponentContext } from '../theme-api.ts'

export function methodBadge(method: string): ElementContent | null {
  if (method === '') return null
  const kind = method.toLowerCase().replace(/[^a-z]/g, '')
  return h('span', { className: ['method', `method-${kind}`] }, method)
}

/** A part of the reference under a heading that can be linked to. */
export function section(input: {
  id: string
  title: string
  note?: string
  required?: boolean
  page: ComponentContext
  children: ElementContent[]
}): ElementContent[] {
  const { note = '' } = input
  return [
    h(
      'section',
      { className: ['endpoint-section'] },
      h(
        'header',
        { className: ['endpoint-heading'] },
        h('h2', { id: input.page.uniqueId(input.id) }, input.title),
        note === '' ? null : h('code', { className: ['media-type'] }, note),
        input.required === true
          ? h('span', { className: ['field-required'] }, fieldWords(input.page).required)
          : null,
      ),
      input.children,
    ),
  ]
}
