import type { ElementContent } from 'hast'
import { plainText } from './plain-text.ts'
import { propWords, recordOf } from './text-of-components.ts'

/** One entry of a changelog, for its feed. */
export type FeedItem = { title: string; description: string; anchor: string; tags: string[] }

/** The updates of a page, in reading order. */
export function feedItems(nodes: readonly ElementContent[]): FeedItem[] {
  const items: FeedItem[] = []
  const visit = (node: ElementContent): void => {
    if (node.type !== 'element') return
    const record = recordOf(node)
    if (record?.name === 'Update') {
      const rss = record.props.rss
      const own = typeof rss === 'object' && rss !== null ? (rss as Record<string, unknown>) : {}
      const tags = Array.isArray(record.props.tags)
        ? record.props.tags.filter((tag): tag is string => typeof tag === 'string')
        : []
      const text = plainText(record.children).replace(/\s+/g, ' ').trim()
      items.push({
        title: propWords(own, 'title') || propWords(record.props, 'label') || 'Update',
        description: propWords(own, 'description') || (text.length > 600 ? `${text.slice(0, 597)}…` : text),
        anchor: idWithin(node),
        tags,
      })
      return
    }
    for (const child of record?.children ?? node.children) visit(child)
  }
  for (const node of nodes) visit(node)
  return items
}

function idWithin(node: ElementContent): string {
  if (node.type !== 'element') return ''
  if (typeof node.properties.id === 'string') return node.properties.id
  for (const child of node.children) {
    const found = idWithin(child)
    if (found !== '') return found
  }
  return ''
}
