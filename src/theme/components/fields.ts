import type { Element, ElementContent } from 'hast'
import { h } from '../content/element.ts'
import { withPart } from '../content/parts.ts'
import { flagProp, listProp, outerProps, textProp } from '../content/props.ts'
import { fieldWords } from '../field-words.ts'
import { slug } from '../slug.ts'
import type { Component, ComponentContext } from '../theme-api.ts'

export const ParamField: Component = ({ props, children, page }) => {
  const location = ['path', 'query', 'body', 'header', 'cookie'].find(
    (name) => textProp(props, name) !== undefined,
  )
  const name = (location === undefined ? textProp(props, 'name', 'param') : textProp(props, location)) ?? ''
  // `body` and `path` stand on fields of every kind, arguments of functions included, and tell a reader nothing.
  const shown = location === 'body' || location === 'path' ? undefined : location
  return field({ props, children, page, name, location: shown }).map((element) =>
    withPart(element, {
      kind: 'field',
      field: {
        location: location ?? 'body',
        name,
        type: textProp(props, 'type') ?? '',
        required: flagProp(props, 'required') === true,
        ...(defaultOf(props) === undefined ? {} : { defaultValue: defaultOf(props) ?? '' }),
      },
    }),
  )
}

export const ResponseField: Component = ({ props, children, page }) =>
  field({ props, children, page, name: textProp(props, 'name', 'body', 'field') ?? '', location: undefined })

function defaultOf(props: Record<string, unknown>): string | undefined {
  return props.default === undefined
    ? undefined
    : (textProp(props, 'default') ?? JSON.stringify(props.default))
}

function field(input: {
  props: Record<string, unknown>
  children: ElementContent[]
  page: ComponentContext
  name: string
  location: string | undefined
}): Element[] {
  const { props, page } = input
  const outer = outerProps(props, 'field')
  const defaultValue = defaultOf(props)
  return [
    renderField({
      page,
      id: outer.id ?? page.uniqueId(`param-${slug(input.name, 'field')}`),
      className: outer.className,
      name: input.name,
      type: textProp(props, 'type'),
      location: input.location,
      required: flagProp(props, 'required') === true,
      optional: flagProp(props, 'optional') === true,
      deprecated: flagProp(props, 'deprecated') === true,
      defaultValue,
      before: listProp(props, 'pre'),
      after: listProp(props, 'post'),
      children: [
        ...(textProp(props, 'description') === undefined
          ? []
          : page.renderMarkdown(textProp(props, 'description') ?? '')),
        ...input.children,
      ],
    }),
  ]
}

/** One parameter or property: what it is called and what it is on a line, what it means below. */
export function renderField(input: {
  page: ComponentContext
  id: string
  className: string[]
  name: string
  type: string | undefined
  location: string | undefined
  required: boolean
  optional: boolean
  deprecated: boolean
  defaultValue: string | undefined
  before: string[]
  after: string[]
  children: ElementContent[]
}): Element {
  const words = fieldWords(input.page)
  return h(
    'div',
    { className: input.className, id: input.id },
    h(
      'div',
      { className: ['field-head'] },
      input.before.map((mark) => h('span', { className: ['field-mark'] }, mark)),
      input.name === ''
        ? null
        : h('a', { className: ['field-name'], href: `#${encodeURI(input.id)}` }, input.name),
      input.type === undefined || input.type === ''
        ? null
        : h('span', { className: ['field-type'] }, input.type),
      input.location === undefined ? null : h('span', { className: ['field-mark'] }, input.location),
      input.defaultValue === undefined || input.defaultValue === ''
        ? null
        : h(
            'span',
            { className: ['field-mark'] },
            h('span', { className: ['muted'] }, `${words.default}: `),
            input.defaultValue,
          ),
      input.required ? h('span', { className: ['field-required'] }, words.required) : null,
      input.optional ? h('span', { className: ['field-mark'] }, words.optional) : null,
      input.deprecated ? h('span', { className: ['field-deprecated'] }, words.deprecated) : null,
      input.after.map((mark) => h('span', { className: ['field-mark'] }, mark)),
    ),
    input.children.length === 0 ? null : h('div', { className: ['field-body'] }, input.children),
  )
}
