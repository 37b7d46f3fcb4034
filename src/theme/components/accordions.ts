import { h, plainText } from '../content/element.ts'
import { flagProp, inlineProp, outerProps } from '../content/props.ts'
import { iconOf, renderIcon } from '../icons/render-icon.ts'
import { fieldWords } from '../field-words.ts'
import { slug } from '../slug.ts'
import type { Component } from '../theme-api.ts'

export const Accordion: Component = ({ props, children, page }) => {
  const title = inlineProp(props, page, 'title')
  const description = inlineProp(props, page, 'description')
  const icon = iconOf(props, page)
  const outer = outerProps(props, 'accordion')
  const id = outer.id ?? page.uniqueId(slug(plainText(title), 'details'))
  return [
    h(
      'details',
      { ...outer, id, ...(flagProp(props, 'defaultOpen', 'open') ? { open: true } : {}) },
      h(
        'summary',
        { className: ['accordion-summary'] },
        h('span', { className: ['chevron'] }, renderIcon('lucide:chevron-right', page)),
        icon.length === 0 ? null : h('span', { className: ['accordion-icon'] }, icon),
        h(
          'span',
          { className: ['accordion-title'] },
          title.length === 0 ? 'Details' : title,
          description.length === 0 ? null : h('span', { className: ['accordion-description'] }, description),
        ),
      ),
      h('div', { className: ['accordion-body'] }, children),
    ),
  ]
}

export const AccordionGroup: Component = ({ props, children }) => [
  h('div', outerProps(props, 'accordion-group'), children),
]

export const Expandable: Component = ({ props, children, page }) => {
  const title = inlineProp(props, page, 'title')
  const words = fieldWords(page)
  const open = flagProp(props, 'defaultOpen') === true && flagProp(props, 'defaultClosed') !== true
  return [
    h(
      'details',
      { ...outerProps(props, 'expandable'), ...(open ? { open: true } : {}) },
      h(
        'summary',
        null,
        h('span', { className: ['chevron'] }, renderIcon('lucide:chevron-right', page)),
        h(
          'span',
          { className: ['when-closed'] },
          `${words.show} `,
          title.length === 0 ? words.childAttributes : title,
        ),
        h(
          'span',
          { className: ['when-open'] },
          `${words.hide} `,
          title.length === 0 ? words.childAttributes : title,
        ),
      ),
      h('div', { className: ['expandable-body'] }, children),
    ),
  ]
}
