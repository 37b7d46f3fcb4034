import type { Element, ElementContent, Properties, Root } from 'hast'
import type { TrustedHtml } from '../theme-api.ts'

export type Child = ElementContent | string | null | undefined | false | readonly Child[]

/** Makes a hast element; strings become text, and nothing becomes of `null`, `undefined` and `false`. */
export function h(
  tagName: string,
  properties: Readonly<Record<string, Properties[string]>> | null,
  ...children: Child[]
): Element {
  return {
    type: 'element',
    tagName,
    properties: properties === null ? {} : { ...properties },
    children: flatten(children),
  }
}

export function flatten(children: readonly Child[]): ElementContent[] {
  const result: ElementContent[] = []
  for (const child of children) {
    if (child === null || child === undefined || child === false || child === '') continue
    if (typeof child === 'string') result.push({ type: 'text', value: child })
    else if (isList(child)) result.push(...flatten(child))
    else result.push(child)
  }
  return result
}

function isList(child: ElementContent | readonly Child[]): child is readonly Child[] {
  return Array.isArray(child)
}

export function trustedHtml(value: string, text = ''): TrustedHtml {
  return { type: 'trustedHtml', value, text }
}

/** The words of a piece of the tree, without its markup. */
export function plainText(nodes: readonly ElementContent[]): string {
  let text = ''
  for (const node of nodes) {
    if (node.type === 'text') text += node.value
    else if (node.type === 'trustedHtml') text += node.text
    else if (node.type === 'element') text += plainText(node.children)
  }
  return text
}

export function isBlank(node: ElementContent): boolean {
  return node.type === 'comment' || (node.type === 'text' && node.value.trim() === '')
}

export function hasClass(node: Element, name: string): boolean {
  const { className } = node.properties
  return Array.isArray(className) ? className.includes(name) : className === name
}

/** What of a root can stand inside an element. */
export function contentOf(root: Root): ElementContent[] {
  return root.children.flatMap((node): ElementContent[] =>
    node.type === 'element' || node.type === 'text' || node.type === 'trustedHtml' ? [node] : [],
  )
}
