import type { ElementContent, Root } from 'hast'
import { toNodes } from '../evaluator/evaluate.ts'
import { isValueObject, Markup, type Value, type ValueObject } from '../evaluator/values.ts'

/** What a component was called with, kept beside what the theme made of it, for whoever reads the page as text. */
export type ComponentRecord = { name: string; props: Record<string, unknown>; children: ElementContent[] }

/** What only agents read is in no page, and what only people read may be words alone: something must carry the record. */
export function carriers(nodes: ElementContent[]): ElementContent[] {
  if (nodes.every((node) => node.type === 'text' && node.value.trim() === ''))
    return [{ type: 'element', tagName: 'template', properties: {}, children: [] }]
  return nodes.some((node) => node.type === 'text' && node.value.trim() !== '')
    ? [{ type: 'element', tagName: 'span', properties: {}, children: nodes }]
    : nodes
}

/** Keeps what a component was called with on the first node it made; the others are covered by it. */
export function recordCall(nodes: ElementContent[], call: ComponentRecord): ElementContent[] {
  const first = nodes.findIndex((node) => node.type === 'element')
  return nodes.map((node, index) => {
    if (node.type !== 'element') return node
    const data = index === first ? { ...node.data, call } : { ...node.data, covered: true }
    return { ...node, data }
  })
}

/** Props as the theme takes them: plain data, with JSX as a root. A page cannot forge such a root. */
export function toPlainProps(props: ValueObject): Record<string, unknown> {
  const plain: Record<string, unknown> = Object.create(null)
  for (const [key, value] of Object.entries(props)) {
    const converted = toPlain(value, 0)
    if (converted !== undefined) plain[key] = converted
  }
  return plain
}

function toPlain(value: Value, depth: number): unknown {
  if (value instanceof Markup) return { type: 'root', children: value.nodes } satisfies Root
  if (Array.isArray(value)) {
    return value.some((item) => item instanceof Markup)
      ? ({ type: 'root', children: toNodes(value) } satisfies Root)
      : depth > 20
        ? undefined
        : value.map((item) => toPlain(item, depth + 1))
  }
  if (typeof value !== 'object' || value === null) return value
  if (!isValueObject(value) || depth > 20) return undefined
  const plain: Record<string, unknown> = Object.create(null)
  for (const [key, item] of Object.entries(value)) plain[key] = toPlain(item, depth + 1)
  if (plain.type === 'root') delete plain.type
  return plain
}
