import type { ElementContent } from 'hast'
import { renderMath } from '../code/math.ts'
import { renderCodeBlock } from '../code/code-block.ts'
import { h, plainText } from '../content/element.ts'
import { collectParts, withPart } from '../content/parts.ts'
import { flagProp, inlineProp, outerProps, textProp } from '../content/props.ts'
import type { Component, ComponentContext } from '../theme-api.ts'
import { CodeGroup } from './tabs.ts'

export const Frame: Component = ({ props, children, page }) => {
  const caption = inlineProp(props, page, 'caption', 'title')
  const hint = inlineProp(props, page, 'hint')
  return [
    h(
      'figure',
      outerProps(props, 'frame'),
      hint.length === 0 ? null : h('p', { className: ['frame-hint'] }, hint),
      h('div', { className: ['frame-picture'] }, children),
      caption.length === 0 ? null : h('figcaption', null, caption),
    ),
  ]
}

export const Latex: Component = ({ props, children }) =>
  renderMath({
    tex: textProp(props, 'formula', 'math') ?? plainText(children),
    display: flagProp(props, 'block', 'display') === true,
  })

export const Mermaid: Component = ({ props, children, page }) =>
  renderCodeBlock({
    code: textProp(props, 'chart', 'code') ?? plainText(children),
    language: 'mermaid',
    meta: '',
    page,
  })

export const RequestExample: Component = ({ children, page }) => [
  example('request', 'Request', asTabs(children, page), page.uniqueId('request-example')),
]

export const ResponseExample: Component = ({ children, page }) => [
  example('response', 'Response', asTabs(children, page), page.uniqueId('response-example')),
]

/** Several blocks of code in one example are tabs, also without a group around them. */
function asTabs(children: ElementContent[], page: ComponentContext): ElementContent[] {
  if (collectParts(children, 'code').parts.length < 2) return children
  return CodeGroup({ name: 'CodeGroup', props: {}, children, page })
}

function example(
  place: 'request' | 'response',
  label: string,
  children: Parameters<Component>[0]['children'],
  id: string,
) {
  return withPart(
    h('section', { className: ['example', `example-${place}`], id, ariaLabel: `${label} example` }, children),
    {
      kind: 'aside',
      place,
    },
  )
}

export const Panel: Component = ({ props, children }) =>
  [withPart(h('section', outerProps(props, 'panel')), { kind: 'aside', place: 'panel' })].map((element) => ({
    ...element,
    children,
  }))
