import type { Element, ElementContent } from 'hast'
import type { ComponentRecord } from './component-calls.ts'
import { plainText } from './plain-text.ts'

/** What a component was called with, where an element came from one. */
export function recordOf(node: ElementContent): ComponentRecord | undefined {
  return node.type === 'element' ? (node as Element).data?.call : undefined
}

/** A prop as words: text, or the words of JSX. */
export function propWords(props: Record<string, unknown>, ...names: string[]): string {
  for (const name of names) {
    const value = props[name]
    if (typeof value === 'string') return value.trim()
    if (typeof value === 'number') return String(value)
    if (isRoot(value)) return plainText(value.children).trim()
  }
  return ''
}

export function propNodes(props: Record<string, unknown>, ...names: string[]): ElementContent[] {
  for (const name of names) {
    const value = props[name]
    if (isRoot(value)) return value.children
  }
  return []
}

/** The words that a reader sees of a component beside its children. */
export function componentWords({ name, props }: ComponentRecord): string {
  switch (name) {
    case 'ParamField':
    case 'Param':
    case 'ResponseField':
      return [
        propWords(props, 'path', 'query', 'body', 'header', 'cookie', 'name'),
        propWords(props, 'type'),
        propWords(props, 'description'),
      ]
        .filter((word) => word !== '')
        .join(' ')
    case 'Update':
      return [propWords(props, 'label'), propWords(props, 'description')]
        .filter((word) => word !== '')
        .join(' ')
    case 'Tooltip':
      return ''
    case 'Tree.Folder':
    case 'Tree.File':
    case 'Color.Item':
      return propWords(props, 'name')
    case 'Frame':
      return propWords(props, 'caption')
    case 'GitHub.Repo':
      return propWords(props, 'repo')
    case 'Icon':
      return ''
    default:
      return [propWords(props, 'title'), propWords(props, 'description')]
        .filter((word) => word !== '')
        .join('\n')
  }
}

function isRoot(value: unknown): value is { type: 'root'; children: ElementContent[] } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === 'root' &&
    'children' in value
  )
}
