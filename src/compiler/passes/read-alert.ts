import type { Element, ElementContent } from 'hast'

/** A quotation that begins with `[!NOTE]` or its kin: a callout, as other places that show Markdown read it. */
export type Alert = { component: string; title: string; children: ElementContent[] }

const componentsByKind = new Map([
  ['note', 'Note'],
  ['info', 'Info'],
  ['important', 'Info'],
  ['tip', 'Tip'],
  ['success', 'Check'],
  ['check', 'Check'],
  ['warning', 'Warning'],
  ['caution', 'Danger'],
  ['danger', 'Danger'],
])

export function readAlert(quotation: Element): Alert | undefined {
  const at = quotation.children.findIndex((child) => child.type !== 'text' || child.value.trim() !== '')
  const paragraph = quotation.children[at]
  if (paragraph?.type !== 'element' || paragraph.tagName !== 'p') return undefined
  const [first, ...rest] = paragraph.children
  const mark = first?.type === 'text' ? /^\[!(\w+)\][-+]?[ \t]*([^\n]*)(?:\n|$)/.exec(first.value) : null
  const component = componentsByKind.get(mark?.[1]?.toLowerCase() ?? '')
  if (first?.type !== 'text' || mark === null || component === undefined) return undefined
  const left = first.value.slice(mark[0].length)
  const words: ElementContent[] = left === '' ? rest : [{ ...first, value: left }, ...rest]
  const body = words.length === 0 ? [] : [{ ...paragraph, children: words }]
  return { component, title: mark[2]?.trim() ?? '', children: [...body, ...quotation.children.slice(at + 1)] }
}
