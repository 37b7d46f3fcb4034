import { createRequire } from 'node:module'
import { h, trustedHtml } from '../content/element.ts'
import type { ElementContent } from 'hast'

type Katex = { renderToString(tex: string, options: Record<string, unknown>): string }

let katex: Katex | undefined

/** A formula, drawn while building; the page that holds one needs the maths stylesheet. */
export function renderMath(input: { tex: string; display: boolean }): ElementContent[] {
  katex ??= createRequire(import.meta.url)('katex') as Katex
  const markup = katex.renderToString(input.tex.trim(), {
    displayMode: input.display,
    throwOnError: false,
    strict: 'ignore',
    trust: false,
    maxSize: 50,
    maxExpand: 500,
    output: 'htmlAndMathml',
  })
  return [
    h(input.display ? 'div' : 'span', { className: ['math'], dir: 'ltr' }, trustedHtml(markup, input.tex)),
  ]
}
