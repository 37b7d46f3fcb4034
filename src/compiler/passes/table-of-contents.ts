import type { ElementContent } from 'hast'
import { headingText } from './plain-text.ts'

/**
 * The headings of a page that have an id, in reading order. An update of a changelog stands for the headings in it, which
 * are the same from one to the next.
 */
export function tableOfContents(
  nodes: readonly ElementContent[],
): { depth: number; id: string; label: string }[] {
  const found: { depth: number; id: string; label: string }[] = []
  const isChangelog = nodes.filter(isUpdate).length > 1
  const visit = (node: ElementContent): void => {
    if (node.type !== 'element') return
    const { id, className } = node.properties
    const classes = Array.isArray(className) ? className : []
    if (isChangelog && isUpdate(node)) {
      found.push({ depth: 2, id: String(id), label: String(node.properties.ariaLabel ?? '') })
      return
    }
    const hidden = classes.includes('sr-only')
    if (/^h[1-4]$/.test(node.tagName) && typeof id === 'string' && !hidden) {
      const label = headingText(node.children)
        .replace(/\s+/g, ' ')
        .replace(/\s[-–—:|·]\s*$/, '') // What stood before a badge.
        .trim()
      if (label !== '') found.push({ depth: Number(node.tagName.slice(1)), id, label })
      return
    }
    for (const child of node.children) visit(child)
  }
  for (const node of nodes) visit(node)
  return found
}

function isUpdate(node: ElementContent): boolean {
  return (
    node.type === 'element' &&
    node.tagName === 'section' &&
    Array.isArray(node.properties.className) &&
    node.properties.className.includes('update')
  )
}
