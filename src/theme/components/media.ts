import { renderMath } from '../code/math.ts'
import { renderCodeBlock } from '../code/code-block.ts'
import { h, plainText } from '../content/element.ts'
import { withPart } from '../content/parts.ts'
import { flagProp, inlineProp, outerProps, textProp } from '../content/props.ts'
import type { Component } from '../theme-api.ts'

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
  example('request', 'Request', children, page.uniqueId('request-example')),
]

export const ResponseExample: Component = ({ children, page }) => [
  example('response', 'Response', children, page.uniqueId('response-example')),
]

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
