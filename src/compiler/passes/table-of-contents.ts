import type { ElementContent } from 'hast'
import { headingText } from './plain-text.ts'

/** The headings of a page that have an id, in reading order. */
export function tableOfContents(
  nodes: readonly ElementContent[],
): { depth: number; id: string; label: string }[] {
  const found: { depth: number; id: string; label: string }[] = []
  const visit = (node: ElementContent): void => {
    if (node.type !== 'element') return
    const { id, className } = node.properties
    const hidden = Array.isArray(className) && className.includes('sr-only')
    if (/^h[1-4]$/.test(node.tagName) && typeof id === 'string' && !hidden) {
      const label = headingText(node.children).replace(/\s+/g, ' ').trim()
      if (label !== '') found.push({ depth: Number(node.tagName.slice(1)), id, label })
      return
    }
    for (const child of node.children) visit(child)
  }
  for (const node of nodes) visit(node)
  return found
}
