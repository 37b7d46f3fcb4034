import type { ElementContent } from 'hast'
import { renderField } from '../components/fields.ts'
import { Expandable } from '../components/accordions.ts'
import { tabSet } from '../components/tabs.ts'
import { h } from '../content/element.ts'
import { type FieldWords, fieldWords } from '../field-words.ts'
import { slug } from '../slug.ts'
import type { ComponentContext } from '../theme-api.ts'
import type { EnumValue, JsonValue, ParameterView, SchemaView } from './endpoint-api.ts'

const shownEnumValues = 24
const mostTabs = 8

type Drawing = { page: ComponentContext; prefix: string; expanded: boolean }

export function renderParameters(input: Drawing & { parameters: ParameterView[] }): ElementContent[] {
  const { page, prefix, expanded } = input
  return input.parameters.map(({ name, required, deprecated, description, schema }) =>
    field({ page, prefix, expanded, name, required, deprecated, description, schema }),
  )
}

/** A schema at the top of a body or response: the fields of an object stand by themselves, anything else as one field. */
export function renderSchemaFields(
  input: Drawing & { schema: SchemaView /** What stands above and need not be said again. */; said?: string },
): ElementContent[] {
  const { schema, page } = input
  const said = isSame(schema.description, input.said ?? '') ? [] : renderText(schema.description, page)
  if (schema.properties.length > 0 && schema.variants === undefined && schema.items === undefined) {
    return [...said, ...propertyFields(input), ...additionalField(input)]
  }
  const type = typeText(schema)
  const head = h('div', { className: ['field-head'] }, h('span', { className: ['field-type'] }, type))
  const open = { ...input, expanded: true }
  return [
    h(
      'div',
      { className: ['field', 'field-root'] },
      head,
      h('div', { className: ['field-body'] }, said, notes(schema, page), nested(open, { inline: true })),
    ),
  ]
}

function isSame(one: string, other: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[\s.]+/g, ' ')
      .trim()
  return plain(one) === plain(other)
}

/** Markdown of the specification; the many short texts without any mark take a short way. */
export function renderText(text: string, page: ComponentContext): ElementContent[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  if (/^[^\s#>+\-=\d|~:][^*_`[\]<>&\\!|~\n]*$/.test(trimmed) && !/:\/\/|www\.|@/.test(trimmed)) {
    return [h('p', null, trimmed)]
  }
  return page.renderMarkdown(trimmed)
}

function propertyFields(input: Drawing & { schema: SchemaView }): ElementContent[] {
  const { page, prefix, expanded } = input
  return input.schema.properties.map(({ name, required, schema }) =>
    field({
      page,
      prefix,
      expanded,
      name,
      required,
      deprecated: schema.deprecated,
      description: schema.description,
      schema,
    }),
  )
}

function additionalField(input: Drawing & { schema: SchemaView }): ElementContent[] {
  const { additional } = input.schema
  if (additional === undefined) return []
  const { pattern, schema } = additional
  const name = pattern === undefined ? '{key}' : `/${pattern}/`
  const { page, prefix, expanded } = input
  const { deprecated, description } = schema
  return [field({ page, prefix, expanded, name, required: false, deprecated, description, schema })]
}

function field(
  input: Drawing & {
    name: string
    required: boolean
    deprecated: boolean
    description: string
    schema: SchemaView
  },
): ElementContent {
  const { page, schema, name } = input
  const prefix = `${input.prefix}-${slug(name, 'field')}`
  const marks = [
    ...(schema.readOnly ? ['read-only'] : []),
    ...(schema.writeOnly ? ['write-only'] : []),
    ...schema.marks.after,
  ]
  return renderField({
    page,
    id: page.uniqueId(prefix),
    className: ['field'],
    name,
    type: typeText(schema),
    location: undefined,
    required: input.required,
    optional: false,
    deprecated: input.deprecated,
    defaultValue:
      schema.default === undefined || schema.default === null ? undefined : valueText(schema.default),
    before: schema.marks.before,
    after: marks,
    children: [
      ...renderText(input.description, page),
      ...notes(schema, page),
      ...nested({ page, prefix, expanded: input.expanded, schema }, { inline: false }),
    ],
  })
}

function typeText(schema: SchemaView): string {
  return schema.nullable && !/\bnull\b/.test(schema.type) ? `${schema.type} | null` : schema.type
}

/** What belongs to a schema below its own line: fields, choices, and why some are not there. */
function nested(input: Drawing & { schema: SchemaView }, options: { inline: boolean }): ElementContent[] {
  const { schema, page } = input
  if (schema.cut !== undefined) return [cutNote(schema)]
  if (schema.items?.cut !== undefined && schema.properties.length === 0) return [cutNote(schema.items)]
  const inner = [
    ...propertyFields(input),
    ...additionalField(input),
    ...itemFields(input),
    ...variantTabs(input),
  ]
  if (inner.length === 0) return []
  if (options.inline) return inner
  return Expandable({
    name: 'Expandable',
    props: { title: childTitle(schema, page), ...(input.expanded ? { defaultOpen: true } : {}) },
    children: inner,
    page,
  })
}

function childTitle(schema: SchemaView, page: ComponentContext): string {
  if (schema.variants !== undefined && schema.properties.length === 0)
    return `${schema.variants.options.length} options`
  return fieldWords(page).childAttributes
}

/** The fields of a list's items stand directly under the list, without a field for the item between. */
function itemFields(input: Drawing & { schema: SchemaView }): ElementContent[] {
  const { items } = input.schema
  if (items === undefined) return []
  return [
    ...(items.description === '' ? [] : renderText(items.description, input.page)),
    ...(items.enum.length > 0 && input.schema.enum.length > 0 ? [] : notes(items, input.page)),
    ...nested({ ...input, schema: items }, { inline: true }),
  ]
}

function variantTabs(input: Drawing & { schema: SchemaView }): ElementContent[] {
  const { variants } = input.schema
  if (variants === undefined) return []
  const { page, expanded } = input
  const panels = variants.options.map((option) => {
    const prefix = `${input.prefix}-${slug(option.label, 'option')}`
    const inner = nested({ page, prefix, expanded, schema: option.schema }, { inline: true })
    const type = typeText(option.schema)
    return {
      title: option.label,
      label: [{ type: 'text' as const, value: option.label }],
      icon: [],
      children: [
        ...(inner.length > 0 || type === option.label
          ? []
          : [h('p', null, h('span', { className: ['field-type'] }, type))]),
        ...renderText(option.schema.description, page),
        ...notes(option.schema, page),
        ...inner,
      ],
    }
  })
  const lead = variants.keyword === 'oneOf' ? fieldWords(page).oneOf : fieldWords(page).anyOf
  const note = h(
    'p',
    { className: ['field-notes'] },
    lead,
    variants.discriminator === undefined
      ? ':'
      : [', told apart by ', h('code', null, variants.discriminator), ':'],
  )
  if (panels.length > mostTabs) {
    return [
      note,
      ...panels.flatMap((panel) =>
        panel.children.length === 0
          ? [h('p', null, panel.title)]
          : Expandable({ name: 'Expandable', props: { title: panel.title }, children: panel.children, page }),
      ),
    ]
  }
  const outer = { className: ['tabs', 'variants'] }
  return [note, tabSet({ panels, className: 'tabs', outer, sync: false, first: 0, page })]
}

function cutNote(schema: SchemaView): ElementContent {
  if (schema.cut === 'cycle') {
    const name = schema.name === '' ? 'this object' : schema.name
    return h('p', { className: ['field-notes'] }, 'The fields of ', h('code', null, name), ' again.')
  }
  const name = schema.name === '' ? [] : [' of ', h('code', null, schema.name)]
  return h('p', { className: ['field-notes'] }, 'Further fields', name, ' are not shown here.')
}

/** The small print: allowed values, limits, an example. */
function notes(schema: SchemaView, page: ComponentContext): ElementContent[] {
  const words = fieldWords(page)
  const rows: ElementContent[] = [...enumNote(schema.enum, words)]
  if (schema.const !== undefined) rows.push(note('Always', h('code', null, valueText(schema.const))))
  if (schema.constraints.length > 0) {
    const parts = schema.constraints.map(({ label, value }) =>
      h('span', { className: ['field-limit'] }, `${label}: `, h('code', null, value)),
    )
    rows.push(h('p', { className: ['constraints'] }, parts))
  }
  const [example] = schema.examples
  if (example !== undefined && isShort(example))
    rows.push(note(words.example, h('code', null, valueText(example, true))))
  return rows
}

function enumNote(values: EnumValue[], words: FieldWords): ElementContent[] {
  if (values.length === 0) return []
  if (values.some((entry) => entry.description !== '')) {
    return [
      h(
        'ul',
        { className: ['field-values'] },
        values.map((entry) =>
          h(
            'li',
            null,
            h('code', null, valueText(entry.value)),
            entry.description === '' ? null : ` – ${entry.description}`,
          ),
        ),
      ),
    ]
  }
  const codes = values.map((entry) => h('code', null, valueText(entry.value)))
  const shown = codes.slice(0, shownEnumValues).flatMap((code) => [code, ' '])
  if (codes.length <= shownEnumValues)
    return [h('p', { className: ['enum-values'] }, `${words.allowed}: `, shown)]
  return [
    h('p', { className: ['enum-values'] }, `${words.allowed}: `, shown),
    h(
      'details',
      { className: ['field-more'] },
      h('summary', null, `${codes.length - shownEnumValues} more`),
      h(
        'p',
        { className: ['field-notes'] },
        codes.slice(shownEnumValues).flatMap((code) => [code, ' ']),
      ),
    ),
  ]
}

function note(label: string, value: ElementContent): ElementContent {
  return h('p', { className: ['field-notes'] }, `${label}: `, value)
}

function isShort(value: JsonValue): boolean {
  return valueText(value, true).length <= 120
}

function valueText(value: JsonValue, quoted = false): string {
  return typeof value === 'string' && value !== '' && !quoted ? value : JSON.stringify(value)
}
