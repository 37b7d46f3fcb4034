import type { Element, ElementContent } from 'hast'
import type { WrittenField } from '../theme-api.ts'
import { isBlank } from './element.ts'

/**
 * What a component tells the component around it: a `Tab` its title to `Tabs`, a code block its title to `CodeGroup`.
 * It travels in the hast node's `data`, so it is gone from the page and safe to copy as JSON.
 */
export type Part =
  | { kind: 'tab'; title: string; label: ElementContent[]; icon: ElementContent[] }
  | { kind: 'view'; title: string; icon: ElementContent[] }
  | { kind: 'step' }
  | { kind: 'accordion' }
  | { kind: 'code'; title: string; language: string; icon: ElementContent[] }
  | { kind: 'aside'; place: 'request' | 'response' | 'panel' }
  | { kind: 'field'; field: WrittenField }

declare module 'hast' {
  interface ElementData {
    part?: Part
  }
}

export function withPart(element: Element, part: Part): Element {
  element.data = { ...element.data, part }
  return element
}

export function partOf(node: ElementContent): Part | undefined {
  return node.type === 'element' ? node.data?.part : undefined
}

export type PartElement<Kind extends Part['kind']> = { element: Element; part: Extract<Part, { kind: Kind }> }

/** The parts of one kind among the children, also where Markdown has wrapped them in a paragraph, and what is left. */
export function collectParts<Kind extends Part['kind']>(
  children: readonly ElementContent[],
  kind: Kind,
): { parts: PartElement<Kind>[]; rest: ElementContent[] } {
  const parts: PartElement<Kind>[] = []
  const rest: ElementContent[] = []
  for (const child of children) {
    if (isBlank(child)) continue
    if (child.type !== 'element') {
      rest.push(child)
      continue
    }
    const part = child.data?.part
    if (part !== undefined && isKind(part, kind)) {
      parts.push({ element: child, part })
      continue
    }
    if (part === undefined && (child.tagName === 'p' || child.tagName === 'div')) {
      const inner = collectParts(child.children, kind)
      if (inner.parts.length > 0) {
        parts.push(...inner.parts)
        rest.push(...inner.rest)
        continue
      }
    }
    rest.push(child)
  }
  return { parts, rest }
}

function isKind<Kind extends Part['kind']>(part: Part, kind: Kind): part is Extract<Part, { kind: Kind }> {
  return part.kind === kind
}
