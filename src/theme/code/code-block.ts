import type { ElementContent } from 'hast'
import { h, trustedHtml } from '../content/element.ts'
import { escapeAttribute, escapeText } from '../content/escape.ts'
import { withPart } from '../content/parts.ts'
import { renderIcon } from '../icons/render-icon.ts'
import type { ComponentContext } from '../theme-api.ts'
import { diagramHeight } from './diagram-height.ts'
import { readCodeMeta, type CodeMeta } from './code-meta.ts'
import { highlightLines } from './highlight.ts'

/** A fenced block of code with its title, marks and colours. Mermaid becomes a figure that a script draws. */
export function renderCodeBlock(input: {
  code: string
  language: string
  meta: string
  page: ComponentContext
}): ElementContent[] {
  const written = input.code.replace(/\r\n?/g, '\n').replace(/\n+$/, '')
  if (input.language.toLowerCase() === 'mermaid') return [renderDiagram(written)]
  const meta = readCodeMeta(input.meta)
  const { code, marks } = takeNotation(written)
  const html = renderLines({ code, language: input.language, meta, marks })
  const icon = renderIcon(meta.icon, input.page)
  const count = code === '' ? 0 : code.split('\n').length
  const block = h(
    'div',
    {
      className: [
        'code-block',
        ...(meta.title === '' ? [] : ['has-title']),
        ...(meta.wrap ? ['wrap'] : []),
        ...(meta.lineNumbers ? ['numbered'] : []),
        ...(meta.focused.size > 0 || [...marks.values()].includes('focus') ? ['has-focus'] : []),
        ...(meta.expandable && count > 12 ? ['expandable'] : []),
        ...(meta.copy ? [] : ['no-copy']),
      ],
      dir: 'ltr',
    },
    meta.title === ''
      ? null
      : h('div', { className: ['code-header'] }, h('span', { className: ['code-title'] }, icon, meta.title)),
    trustedHtml(`<pre class="code"><code${languageClass(input.language)}>${html}</code></pre>`, code),
    meta.expandable && count > 12
      ? h('button', { type: 'button', className: ['code-expand'] }, `Show all ${count} lines`)
      : null,
  )
  return [withPart(block, { kind: 'code', title: meta.title, language: input.language, icon })]
}

function languageClass(language: string): string {
  return language === '' ? '' : ` class="language-${escapeAttribute(language.toLowerCase())}"`
}

function renderDiagram(source: string): ElementContent {
  return h(
    'figure',
    { className: ['diagram'], style: `--q-diagram-height:${diagramHeight(source)}px` },
    trustedHtml(
      `<pre class="code diagram-source"><code class="language-mermaid">${escapeText(source)}</code></pre>`,
      source,
    ),
  )
}

type Mark = 'added' | 'removed' | 'highlighted' | 'focus' | 'error' | 'warning'

/** Takes `// [!code ++]` and its kin out of the code and gives the lines they speak of, counted from 1. */
function takeNotation(written: string): { code: string; marks: Map<number, Mark> } {
  const marks = new Map<number, Mark>()
  if (!written.includes('[!code')) return { code: written, marks }
  const lines: string[] = []
  for (const line of written.split('\n')) {
    const match = notation.exec(line)
    const mark = match === null ? undefined : markNames[match[1] ?? '']
    if (match === null || mark === undefined) {
      lines.push(line)
      continue
    }
    const rest = line.slice(0, match.index) + line.slice(match.index + match[0].length)
    const alone = rest.trim() === ''
    if (!alone) lines.push(rest.trimEnd())
    const first = alone ? lines.length + 1 : lines.length
    const count = Math.min(match[2] === undefined ? 1 : Number(match[2]), 1000)
    for (let offset = 0; offset < count; offset++) marks.set(first + offset, mark)
  }
  return { code: lines.join('\n'), marks }
}

const notation =
  /\s*(?:\/\/|#|--|\/\*|<!--|\{\/\*|;|%)\s*\[!code\s+([+a-z-]+)(?::(\d+))?\]\s*(?:\*\/\}?|-->)?/
const markNames: Record<string, Mark> = {
  '++': 'added',
  '--': 'removed',
  highlight: 'highlighted',
  hl: 'highlighted',
  focus: 'focus',
  error: 'error',
  warning: 'warning',
}

function renderLines(input: {
  code: string
  language: string
  meta: CodeMeta
  marks: Map<number, Mark>
}): string {
  const { meta, marks } = input
  const lines = highlightLines(input.code, input.language)
  const plain =
    marks.size === 0 && meta.highlighted.size === 0 && meta.focused.size === 0 && !meta.lineNumbers
  if (plain) return lines.join('\n')
  return lines
    .map((line, index) => {
      const names = ['line']
      const mark = marks.get(index + 1)
      if (meta.highlighted.has(index + 1)) names.push('highlighted')
      if (meta.focused.has(index + 1)) names.push('focus')
      if (mark !== undefined) names.push(mark)
      return `<span class="${names.join(' ')}">${line === '' ? ' ' : line}</span>`
    })
    .join('\n')
}
