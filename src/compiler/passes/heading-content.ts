import type { RootContent } from 'hast'
import { plainText } from './plain-text.ts'

/** The id that an author wrote behind a heading, and the heading without it. */
export function takeCustomId(children: readonly RootContent[]): { id?: string; children: RootContent[] } {
  const last = children.at(-1)
  if (last?.type === 'mdxTextExpression') {
    const id = /^\/\*#(.+)\*\/$/.exec(last.value)?.[1]
    if (id !== undefined) return { id: id.trim(), children: trimEnd(children.slice(0, -1)) }
  }
  if (last?.type === 'text') {
    const match = /^(.*?)\s*\{#([^{}]+)\}\s*$/s.exec(last.value)
    if (match?.[2] !== undefined) {
      return {
        id: match[2].trim(),
        children: [...children.slice(0, -1), { type: 'text', value: match[1] ?? '' }],
      }
    }
  }
  return { children: [...children] }
}

function trimEnd(children: RootContent[]): RootContent[] {
  const last = children.at(-1)
  return last?.type === 'text'
    ? [...children.slice(0, -1), { ...last, value: last.value.trimEnd() }]
    : children
}

/** The theme shows the title, so a first heading that says the same is left out. */
export function dropTitle(nodes: readonly RootContent[], title: string): readonly RootContent[] {
  const index = nodes.findIndex(
    (node) => !(node.type === 'text' && node.value.trim() === '') && node.type !== 'mdxjsEsm',
  )
  const node = nodes[index]
  const isTitle =
    node?.type === 'element' && node.tagName === 'h1' && normal(plainText(node.children)) === normal(title)
  return isTitle ? [...nodes.slice(0, index), ...nodes.slice(index + 1)] : nodes
}

function normal(text: string): string {
  return text
    .replace(/\{#[^}]*\}\s*$/, '')
    .replace(/[*_`]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}
