import { h, plainText } from '../content/element.ts'
import { cssColor, flagProp, inlineProp, numberProp, outerProps, textProp } from '../content/props.ts'
import { iconOf, renderIcon } from '../icons/render-icon.ts'
import type { Component } from '../theme-api.ts'

export const Icon: Component = ({ props, page }) => {
  const size = numberProp(props, 'size')
  const color = textProp(props, 'color')
  const type =
    textProp(props, 'iconType') ??
    (typeof props.style === 'string' && /^[a-z-]+$/.test(props.style) ? props.style : undefined)
  const library = textProp(props, 'iconLibrary', 'library')
  const className = textProp(props, 'className', 'class')
  return renderIcon(props.icon ?? props.name, page, {
    ...(size === undefined ? {} : { size }),
    ...(color === undefined ? {} : { color }),
    ...(type === undefined ? {} : { type }),
    ...(library === undefined ? {} : { library }),
    ...(className === undefined ? {} : { className }),
  })
}

const badgeColors = new Set([
  'gray',
  'blue',
  'green',
  'yellow',
  'orange',
  'red',
  'purple',
  'pink',
  'white',
  'surface',
  'white-destructive',
  'surface-destructive',
  'teal',
  'cyan',
  'indigo',
])

export const Badge: Component = ({ props, children, page }) => {
  const named = textProp(props, 'color') ?? 'gray'
  const custom = badgeColors.has(named) ? undefined : cssColor(named)
  const outer = outerProps(
    props,
    'badge',
    `badge-${badgeColors.has(named) ? named : custom === undefined ? 'gray' : 'custom'}`,
    ...(textProp(props, 'shape') === 'pill' ? ['badge-pill'] : []),
    ...(flagProp(props, 'stroke') ? ['badge-stroke'] : []),
    ...(flagProp(props, 'disabled') ? ['badge-disabled'] : []),
    `badge-${/^(xs|sm|md|lg)$/.exec(textProp(props, 'size') ?? '')?.[0] ?? 'md'}`,
  )
  return [
    h(
      'span',
      { ...outer, ...(custom === undefined ? {} : { style: `--q-badge:${custom}` }) },
      iconOf(props, page),
      children,
    ),
  ]
}

export const Tooltip: Component = ({ props, children, page }) => {
  const tip = inlineProp(props, page, 'tip', 'content')
  const headline = inlineProp(props, page, 'headline')
  if (tip.length === 0 && headline.length === 0) return children
  const id = page.uniqueId('tooltip')
  const href = textProp(props, 'href')
  const action = inlineProp(props, page, 'cta')
  return [
    h(
      'span',
      { className: ['tooltip'] },
      h(
        'span',
        {
          className: ['tooltip-word'],
          tabIndex: 0,
          ariaDescribedBy: [id],
          role: 'button',
          ariaLabel: plainText(children),
        },
        children,
      ),
      h(
        'span',
        { className: ['tooltip-box'], role: 'tooltip', id },
        headline.length === 0 ? null : h('span', { className: ['tooltip-headline'] }, headline),
        h('span', null, tip),
        href === undefined
          ? null
          : h(
              'a',
              { className: ['tooltip-action'], href: page.resolveHref(href) },
              action.length === 0 ? 'Learn more' : action,
              renderIcon('lucide:chevron-right', page),
            ),
      ),
    ),
  ]
}

export const Visibility: Component = ({ props, children }) =>
  ['agents', 'agent', 'llms', 'ai'].includes((textProp(props, 'for') ?? '').toLowerCase()) ? [] : children
