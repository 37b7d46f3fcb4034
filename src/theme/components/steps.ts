import { h, plainText } from '../content/element.ts'
import { collectParts, withPart } from '../content/parts.ts'
import { flagProp, inlineProp, numberProp, outerProps, textProp } from '../content/props.ts'
import { iconOf } from '../icons/render-icon.ts'
import { slug } from '../slug.ts'
import type { Component } from '../theme-api.ts'

export const Step: Component = ({ props, children, page }) => {
  const title = inlineProp(props, page, 'title')
  const icon = iconOf(props, page)
  const number = numberProp(props, 'stepNumber')
  const size = textProp(props, 'titleSize') ?? 'p'
  const outer = outerProps(props, 'step')
  const id = outer.id ?? (title.length === 0 ? undefined : page.uniqueId(slug(plainText(title), 'step')))
  const duration = textProp(props, 'duration')
  const step = h(
    'li',
    {
      ...outer,
      ...(id === undefined ? {} : { id }),
      ...(number === undefined ? {} : { value: number, style: `counter-set:step ${number}` }),
    },
    h(
      'div',
      { className: ['step-mark', ...(icon.length === 0 ? [] : ['step-icon'])], ariaHidden: 'true' },
      icon,
    ),
    h(
      'div',
      { className: ['step-body'] },
      title.length === 0
        ? null
        : h(
            /^h[2-4]$/.test(size) ? size : 'p',
            { className: ['step-title'], dataPlain: true },
            title,
            flagProp(props, 'optional')
              ? h('span', { className: ['badge', 'badge-gray'] }, 'Optional')
              : null,
            duration === undefined ? null : h('span', { className: ['step-duration'] }, duration),
          ),
      children,
    ),
  )
  return [withPart(step, { kind: 'step' })]
}

export const Steps: Component = ({ props, children }) => {
  const { parts, rest } = collectParts(children, 'step')
  if (parts.length === 0) return rest
  return [
    h(
      'ol',
      outerProps(props, 'steps'),
      parts.map(({ element }) => element),
    ),
    ...rest,
  ]
}
