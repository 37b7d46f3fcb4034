import type { ElementContent } from 'hast'
import { h, plainText } from '../content/element.ts'
import { cssColor, flagProp, inlineProp, listProp, outerProps, textProp } from '../content/props.ts'
import { iconOf, renderIcon } from '../icons/render-icon.ts'
import { slug } from '../slug.ts'
import type { Component } from '../theme-api.ts'

export const Update: Component = ({ props, children, page }) => {
  const label = inlineProp(props, page, 'label', 'title')
  const description = inlineProp(props, page, 'description', 'date')
  const tags = listProp(props, 'tags')
  const outer = outerProps(props, 'update')
  const id = outer.id ?? page.uniqueId(slug(plainText(label), 'update'))
  return [
    h(
      'section',
      {
        ...outer,
        id,
        ariaLabel: plainText(label) || 'Update',
        ...(tags.length === 0 ? {} : { dataTags: tags.join('|') }),
      },
      h(
        'div',
        { className: ['update-side'] },
        h(
          'a',
          { className: ['update-label'], href: `#${encodeURI(id)}` },
          label.length === 0 ? 'Update' : label,
        ),
        description.length === 0 ? null : h('div', { className: ['update-description'] }, description),
        tags.length === 0
          ? null
          : h(
              'div',
              { className: ['update-tags'] },
              tags.map((tag) => h('span', { className: ['badge', 'badge-gray'] }, tag)),
            ),
      ),
      h('div', { className: ['update-body'] }, children),
    ),
  ]
}

export const Banner: Component = ({ props, children }) => [
  h('div', outerProps(props, 'content-banner'), children),
]

export const Prompt: Component = ({ props, children, page }) => {
  const description = inlineProp(props, page, 'description', 'title')
  const icon = iconOf(props, page)
  const actions = listProp(props, 'actions')
  const text = plainText(children).trim()
  return [
    h(
      'div',
      outerProps(props, 'prompt'),
      icon.length === 0
        ? h('div', { className: ['prompt-icon'] }, renderIcon('lucide:sparkles', page))
        : h('div', { className: ['prompt-icon'] }, icon),
      h('div', { className: ['prompt-body'] }, description.length === 0 ? 'Prompt' : description),
      h(
        'div',
        { className: ['prompt-actions'] },
        actions.includes('cursor')
          ? h(
              'a',
              {
                className: ['button'],
                href: `cursor://anysphere.cursor-deeplink/prompt?text=${encodeURIComponent(text)}`,
              },
              'Open in Cursor',
            )
          : null,
        h(
          'button',
          { type: 'button', className: ['button', 'needs-script'], dataCopyPrompt: true },
          renderIcon('lucide:copy', page),
          h('span', null, 'Copy prompt'),
        ),
      ),
      h(
        'details',
        { className: ['prompt-text'] },
        h('summary', null, 'Show prompt'),
        h('div', { dataPrompt: true }, children),
      ),
    ),
  ]
}

export const Tree: Component = ({ props, children }) => [
  h('ul', outerProps(props, 'tree'), onlyItems(children)),
]

export const TreeFolder: Component = ({ props, children, page }) => {
  const open = flagProp(props, 'defaultClosed') !== true && flagProp(props, 'defaultOpen') !== false
  return [
    h(
      'li',
      { className: ['tree-folder', ...(flagProp(props, 'highlight') ? ['tree-highlight'] : [])] },
      h(
        'details',
        { className: ['tree-details'], ...(open ? { open: true } : {}) },
        h(
          'summary',
          null,
          h('span', { className: ['chevron'] }, renderIcon('lucide:chevron-right', page)),
          renderIcon('lucide:folder', page),
          h('span', null, textProp(props, 'name') ?? ''),
          comment(props),
        ),
        h('ul', null, onlyItems(children)),
      ),
    ),
  ]
}

export const TreeFile: Component = ({ props, page }) => [
  h(
    'li',
    { className: ['tree-file', ...(flagProp(props, 'highlight') ? ['tree-highlight'] : [])] },
    h(
      'span',
      { className: ['tree-row'] },
      renderIcon(props.icon ?? 'lucide:file', page),
      h('span', null, textProp(props, 'name') ?? ''),
      comment(props),
    ),
  ),
]

function comment(props: Record<string, unknown>): ElementContent | null {
  const text = textProp(props, 'comment')
  return text === undefined ? null : h('span', { className: ['tree-comment'] }, text)
}

/** Keeps a list a list, whatever stands between the files. */
function onlyItems(children: readonly ElementContent[]): ElementContent[] {
  return children.flatMap((child): ElementContent[] => {
    if (child.type !== 'element') return []
    return child.tagName === 'li'
      ? [child]
      : child.tagName === 'p'
        ? onlyItems(child.children)
        : [h('li', null, child)]
  })
}

export const Color: Component = ({ props, children }) => [
  h(
    'div',
    outerProps(props, 'colors', `colors-${textProp(props, 'variant') === 'table' ? 'table' : 'compact'}`),
    children,
  ),
]

export const ColorRow: Component = ({ props, children }) => {
  const title = textProp(props, 'title')
  return [
    h(
      'div',
      { className: ['color-row'] },
      title === undefined ? null : h('div', { className: ['color-row-title'] }, title),
      h('div', { className: ['color-row-items'] }, children),
    ),
  ]
}

export const ColorItem: Component = ({ props }) => {
  const { light, dark } = colorValues(props.value)
  const name = textProp(props, 'name')
  return [
    h(
      'div',
      { className: ['color-item'] },
      h('span', { className: ['color-swatch'], style: `--q-swatch-light:${light};--q-swatch-dark:${dark}` }),
      h('span', { className: ['color-name'] }, name ?? ''),
      h('code', { className: ['color-value'] }, light === dark ? light : `${light} / ${dark}`),
    ),
  ]
}

function colorValues(value: unknown): { light: string; dark: string } {
  if (typeof value === 'object' && value !== null) {
    const light = cssColor('light' in value && typeof value.light === 'string' ? value.light : undefined)
    const dark = cssColor('dark' in value && typeof value.dark === 'string' ? value.dark : undefined)
    return { light: light ?? dark ?? 'transparent', dark: dark ?? light ?? 'transparent' }
  }
  const one = cssColor(typeof value === 'string' ? value : undefined) ?? 'transparent'
  return { light: one, dark: one }
}
