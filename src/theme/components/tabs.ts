import type { ElementContent } from 'hast'
import { h } from '../content/element.ts'
import { collectParts, type PartElement, withPart } from '../content/parts.ts'
import { flagProp, inlineProp, numberProp, outerProps, textProp } from '../content/props.ts'
import { languageLabel } from '../code/languages.ts'
import { renderCodeBlock } from '../code/code-block.ts'
import { plainText } from '../content/element.ts'
import { iconOf } from '../icons/render-icon.ts'
import { slug } from '../slug.ts'
import type { Component, ComponentContext } from '../theme-api.ts'

export const Tab: Component = ({ props, children, page }) => {
  const label = inlineProp(props, page, 'title', 'label', 'name')
  const title = plainText(label) || 'Tab'
  const outer = outerProps(props, 'tab-panel')
  return [withPart(h('div', outer, children), { kind: 'tab', title, label, icon: iconOf(props, page) })]
}

export const Tabs: Component = ({ props, children, page }) => {
  const { parts, rest } = collectParts(children, 'tab')
  if (parts.length === 0) return rest
  const first = Math.min(Math.max(numberProp(props, 'defaultTabIndex') ?? 0, 0), parts.length - 1)
  const panels = parts.map(({ element, part }) => ({
    title: part.title,
    label: part.label.length === 0 ? [{ type: 'text' as const, value: part.title }] : part.label,
    icon: part.icon,
    children: element.children,
    ...(typeof element.properties.id === 'string' ? { id: element.properties.id } : {}),
  }))
  return [
    tabSet({
      panels,
      className: 'tabs',
      outer: outerProps(props, 'tabs'),
      sync: flagProp(props, 'sync') ?? true,
      first,
      page,
    }),
    ...rest,
  ]
}

export const CodeGroup: Component = ({ props, children, page }) => {
  const { parts, rest } = collectParts(children, 'code')
  if (parts.length === 0) return rest
  const titles = distinctTitles(parts)
  const panels = parts.map(({ element, part }, index) => ({
    title: titles[index] ?? '',
    label: [{ type: 'text' as const, value: titles[index] ?? '' }],
    icon: part.icon,
    children: [withoutHeader(element)],
  }))
  const group = tabSet({
    panels,
    isDropdown: flagProp(props, 'dropdown') === true,
    className: 'code-group',
    outer: outerProps(props, 'code-group'),
    sync: true,
    first: 0,
    page,
  })
  return [
    withPart(group, {
      kind: 'code',
      title: titles[0] ?? '',
      language: parts[0]?.part.language ?? '',
      icon: [],
    }),
    ...rest,
  ]
}

/** A block without a title is called by its language, and twins are numbered, so that each tab can be told apart. */
function distinctTitles(parts: readonly PartElement<'code'>[]): string[] {
  const seen = new Map<string, number>()
  return parts.map(({ part }) => {
    const title = part.title === '' ? languageLabel(part.language) : part.title
    const count = (seen.get(title) ?? 0) + 1
    seen.set(title, count)
    return count === 1 ? title : `${title} ${count}`
  })
}

function withoutHeader(block: PartElement<'code'>['element']): ElementContent {
  const { className } = block.properties
  return {
    ...block,
    properties: {
      ...block.properties,
      className: Array.isArray(className) ? className.filter((name) => name !== 'has-title') : [],
    },
    children: block.children.filter(
      (child) =>
        !(
          child.type === 'element' &&
          Array.isArray(child.properties.className) &&
          child.properties.className.includes('code-header')
        ),
    ),
  }
}

type Panel = {
  title: string
  label: ElementContent[]
  icon: ElementContent[]
  children: ElementContent[]
  id?: string
}

/** Tabs with all their panels. Without scripts the row of tabs is hidden and every panel shows under its title. */
export function tabSet(input: {
  panels: readonly Panel[]
  className: string
  outer: { className: string[]; id?: string; style?: string }
  sync: boolean
  first: number
  /** True where the reader chooses from a list instead of a row. */
  isDropdown?: boolean
  page: ComponentContext
}) {
  const ids = input.panels.map(
    (panel) => panel.id ?? input.page.uniqueId(`tab-${slug(panel.title, 'panel')}`),
  )
  return h(
    'div',
    {
      ...input.outer,
      dataTabs: input.sync ? 'sync' : 'alone',
      ...(input.isDropdown ? { dataDropdown: true } : {}),
    },
    h(
      'div',
      {
        className: ['tab-list'],
        role: 'tablist',
        ...(input.className === 'code-group' ? { dir: 'ltr' } : {}),
      },
      input.panels.map((panel, index) =>
        h(
          'button',
          {
            type: 'button',
            role: 'tab',
            className: ['tab'],
            id: `${ids[index]}-tab`,
            ariaControls: ids[index] ?? '',
            ariaSelected: index === input.first ? 'true' : 'false',
            tabIndex: index === input.first ? 0 : -1,
            dataLabel: panel.title,
          },
          panel.icon,
          panel.label,
        ),
      ),
    ),
    input.panels.map((panel, index) =>
      h(
        'div',
        {
          className: ['tab-panel', ...(index === input.first ? ['active'] : [])],
          role: 'tabpanel',
          id: ids[index] ?? '',
          ariaLabelledBy: `${ids[index]}-tab`,
        },
        h('div', { className: ['tab-title'], ariaHidden: 'true' }, panel.title),
        panel.children,
      ),
    ),
  )
}

export const CodeBlock: Component = ({ props, children, page }) => {
  const code = textProp(props, 'code') ?? plainText(children)
  const title = textProp(props, 'filename', 'title')
  const icon = textProp(props, 'icon')
  const meta = [
    title === undefined ? '' : `title="${title.replaceAll('"', '')}"`,
    icon === undefined ? '' : `icon="${icon}"`,
    ...['wrap', 'lines', 'expandable'].filter((name) => flagProp(props, name)),
    textProp(props, 'highlight') === undefined ? '' : `highlight={${textProp(props, 'highlight')}}`,
    textProp(props, 'focus') === undefined ? '' : `focus={${textProp(props, 'focus')}}`,
  ].join(' ')
  return renderCodeBlock({ code, language: textProp(props, 'language', 'lang') ?? '', meta, page })
}

export const View: Component = ({ props, children, page }) => {
  const title = textProp(props, 'title') ?? 'View'
  const section = h(
    'section',
    { ...outerProps(props, 'view'), dataView: title },
    h('div', { className: ['view-title'] }, title),
    children,
  )
  return [withPart(section, { kind: 'view', title, icon: iconOf(props, page) })]
}
