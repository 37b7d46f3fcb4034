import type { NavigationNode } from '../theme-api.ts'
import { type NavigationMarks, renderItems } from './navigation-markup.ts'

/**
 * An entry of a large section as its shared file holds it. Addresses lead from the bundle's root; a group's leads to its
 * first page.
 */
export type SectionEntry =
  | [label: string, href: string]
  | [label: string, href: string, extras: SectionExtras]
  | [label: string, href: string, extras: SectionExtras, entries: SectionEntry[]]

export type SectionExtras = {
  icon?: string
  tag?: string
  method?: string
  deprecated?: true
  external?: true
  /** What the page of a group itself is called in the list. */
  own?: string
}

/** Of a longer list, so many at a time. */
const mostAtOnce = 200

/**
 * The items of one list of a section: `3.1` is the second entry of the fourth, a group whose children are meant, and
 * `3.1:0-460` some of them, which stood in the page as one.
 */
export function sectionItems(
  section: readonly SectionEntry[],
  asked: { place: string; depth: number; root: string; page: string },
  marks: NavigationMarks,
): string {
  const [where = '', range] = asked.place.split(':')
  let group: SectionEntry | undefined
  let list = section
  for (const index of where === '' ? [] : where.split('.')) {
    group = list[Number(index)]
    list = group?.[3] ?? []
  }
  const [from = 0, to = list.length] = range === undefined ? [] : range.split('-').map(Number)
  const isBefore = range !== undefined && from === 0 // What stands before the page grows upwards from it.
  const start = isBefore ? Math.max(from, to - mostAtOnce) : from
  const end = isBefore ? to : Math.min(to, from + mostAtOnce)
  const own = group?.[2]?.own
  const nodes = [
    ...(group === undefined || own === undefined || range !== undefined ? [] : [nodeOf([own, group[1]], 0)]),
    ...restOf(from, start),
    ...list.slice(start, end).map((entry, index) => nodeOf(entry, start + index)),
    ...restOf(end, to),
  ]
  return renderItems(nodes, asked.depth, marks)

  function nodeOf([label, href, extras = {}, entries]: SectionEntry, index: number): NavigationNode {
    const { external = false, own: _own, ...shown } = extras
    const address = external ? href : asked.root + href
    if (entries === undefined) {
      const active = decodeURIComponent(href) === `${asked.page}.html`
      return { type: 'page', label, href: address, active, external, ...shown }
    }
    return closed(label, address, where === '' ? `${index}` : `${where}.${index}`, shown)
  }

  function restOf(first: number, after: number): NavigationNode[] {
    const [head, tail] = [list[first], list[after - 1]]
    if (first >= after || head === undefined || tail === undefined) return []
    const [, href, extras] = isBefore ? tail : head
    const label = head === tail ? head[0] : `${head[0]} … ${tail[0]}`
    return [closed(label, extras?.external ? href : asked.root + href, `${where}:${first}-${after}`, {})]
  }

  function closed(
    label: string,
    href: string,
    place: string,
    shown: Pick<SectionExtras, 'icon' | 'tag'>,
  ): NavigationNode {
    const { icon, tag } = shown
    return {
      type: 'group',
      label,
      href,
      place,
      active: false,
      expanded: false,
      closed: true,
      children: [],
      ...(icon === undefined ? {} : { icon }),
      ...(tag === undefined ? {} : { tag }),
    }
  }
}
