import { h } from '../content/element.ts'
import { cssColor, inlineProp, outerProps, textProp } from '../content/props.ts'
import { iconOf, renderIcon } from '../icons/render-icon.ts'
import type { Component } from '../theme-api.ts'

type Kind = { className: string; icon: string; label: string }

const kinds = {
  note: { className: 'note', icon: 'lucide:info', label: 'Note' },
  info: { className: 'info', icon: 'lucide:info', label: 'Info' },
  tip: { className: 'tip', icon: 'lucide:lightbulb', label: 'Tip' },
  check: { className: 'check', icon: 'lucide:circle-check', label: 'Success' },
  warning: { className: 'warning', icon: 'lucide:triangle-alert', label: 'Warning' },
  danger: { className: 'danger', icon: 'lucide:octagon-alert', label: 'Danger' },
  callout: { className: 'note', icon: '', label: 'Note' },
} satisfies Record<string, Kind>

export const Note = callout('note')
export const Info = callout('info')
export const Tip = callout('tip')
export const Check = callout('check')
export const Warning = callout('warning')
export const Danger = callout('danger')
export const Callout = callout('callout')

function callout(fallback: keyof typeof kinds): Component {
  return ({ props, children, page }) => {
    const kind = kinds[kindNamed(textProp(props, 'type', 'kind', 'intent')) ?? fallback]
    const own = textProp(props, 'color')
    const color = cssColor(own)
    const title = inlineProp(props, page, 'title')
    const icon = props.icon === undefined ? renderIcon(kind.icon, page) : iconOf(props, page, color)
    const outer = outerProps(props, 'callout', `callout-${kind.className}`)
    return [
      h(
        'div',
        {
          ...outer,
          role: 'note',
          ariaLabel: kind.label,
          ...(color === undefined ? {} : { style: `--q-callout:${color};--q-callout-wash:${color}` }),
        },
        icon.length === 0 ? null : h('div', { className: ['callout-icon'] }, icon),
        h(
          'div',
          { className: ['callout-body'] },
          title.length === 0 ? null : h('p', { className: ['callout-title'] }, title),
          children,
        ),
      ),
    ]
  }
}

function kindNamed(type: string | undefined): keyof typeof kinds | undefined {
  switch (type?.toLowerCase()) {
    case 'note':
      return 'note'
    case 'info':
    case 'information':
      return 'info'
    case 'tip':
    case 'hint':
      return 'tip'
    case 'check':
    case 'success':
      return 'check'
    case 'warning':
    case 'warn':
    case 'caution':
    case 'important':
      return 'warning'
    case 'danger':
    case 'error':
    case 'critical':
      return 'danger'
    default:
      return undefined
  }
}
