import type { Link, NavigationNode } from '../theme/theme-api.ts'
import { relativeHref } from './address-book.ts'
import { defined } from './loose-json.ts'
import type { Entry } from './plan-navigation.ts'
import type { PlannedPage } from './plan-pages.ts'

/** Sections of up to so many entries are shown whole; in larger ones only the groups around the page are open. */
const wholeSectionEntries = 250
/** Of a longer list, so many on both sides of the page. */
const neighbours = 40

type Group = Extract<Entry, { type: 'group' }>

/** A section's tree, looked through once for all its pages. */
type Section = { entries: readonly Entry[]; isLarge: boolean; groupsOf: Map<string, Group[]> }

/**
 * Answers the sidebar of a page, with no page marked in it: pages of one folder and group share the same object. However
 * large the site is, a page costs no more than its own surroundings; a closed group leads to its first page.
 */
export function createSidebars(input: {
  pages: ReadonlyMap<string, PlannedPage>
  entriesOf(division: number): readonly Entry[]
  linkView(entry: Extract<Entry, { type: 'link' }>, page: PlannedPage, file: string): Link
}): (division: number, page: PlannedPage, file: string) => NavigationNode[] {
  const { pages } = input
  const sections = new Map<readonly Entry[], Section>()
  const sidebars = new Map<string, NavigationNode[]>()
  const groupNumbers = new Map<Group, number>()

  return (division, page, file) => {
    const entries = input.entriesOf(division)
    const section = sections.get(entries) ?? lookThrough(entries)
    const open = section.isLarge ? (section.groupsOf.get(page.path) ?? []) : undefined
    const place = open === undefined ? '' : `${numberOf(open.at(-1))} ${windowOf(open, entries, page)}`
    const key = `${division} ${place} ${file.slice(0, file.lastIndexOf('/') + 1)}`
    const known = sidebars.get(key)
    if (known !== undefined) return known
    const made = listOf(entries, page, file, open)
    if (sidebars.size > 500) sidebars.clear()
    sidebars.set(key, made)
    return made
  }

  function lookThrough(entries: readonly Entry[]): Section {
    const groupsOf = new Map<string, Group[]>()
    let count = 0
    const visit = (list: readonly Entry[], groups: Group[]) => {
      for (const entry of list) {
        count += 1
        if (entry.type === 'page' && !groupsOf.has(entry.page)) groupsOf.set(entry.page, groups)
        if (entry.type !== 'group' || entry.hidden) continue
        const inner = [...groups, entry]
        if (entry.root !== undefined && !groupsOf.has(entry.root)) groupsOf.set(entry.root, inner)
        visit(entry.entries, inner)
      }
    }
    visit(entries, [])
    const section = { entries, isLarge: count > wholeSectionEntries, groupsOf }
    sections.set(entries, section)
    return section
  }

  function numberOf(group: Group | undefined): number {
    if (group === undefined) return -1
    const number = groupNumbers.get(group) ?? groupNumbers.size
    groupNumbers.set(group, number)
    return number
  }

  /** In a long list what is shown depends on where in it the page stands. */
  function windowOf(open: Group[], entries: readonly Entry[], page: PlannedPage): number {
    const list = open.at(-1)?.entries ?? entries
    return list.length <= 2 * neighbours + 1 ? 0 : list.findIndex((entry) => holds(entry, page, []))
  }

  function listOf(
    entries: readonly Entry[],
    page: PlannedPage,
    file: string,
    open: Group[] | undefined,
  ): NavigationNode[] {
    if (open === undefined || entries.length <= 2 * neighbours + 1)
      return entries.flatMap((entry) => nodesOf(entry, page, file, open))
    const at = Math.max(
      0,
      entries.findIndex((entry) => holds(entry, page, open)),
    )
    const start = at <= neighbours + 1 ? 0 : at - neighbours
    const end = at + neighbours + 2 >= entries.length ? entries.length : at + neighbours + 1
    return [
      ...restOf(entries.slice(0, start), file, 'end'),
      ...entries.slice(start, end).flatMap((entry) => nodesOf(entry, page, file, open)),
      ...restOf(entries.slice(end), file, 'start'),
    ]
  }

  /** Many entries as one, called by its first and last, which leads to the one nearest to the page. */
  function restOf(entries: readonly Entry[], file: string, nearest: 'start' | 'end'): NavigationNode[] {
    const shown = entries.filter((entry) => firstOf(entry) !== undefined)
    const [first, last] = [shown[0], shown.at(-1)]
    if (first === undefined || last === undefined) return []
    const target = firstOf(nearest === 'start' ? first : last)
    if (target === undefined) return []
    const label = first === last ? labelOf(first) : `${labelOf(first)} … ${labelOf(last)}`
    return [closedGroup({ label }, target, file)]
  }

  function nodesOf(
    entry: Entry,
    page: PlannedPage,
    file: string,
    open: Group[] | undefined,
  ): NavigationNode[] {
    if (entry.type === 'link') {
      const { href, external } = input.linkView(entry, page, file)
      const icons = defined({ icon: entry.icon, tag: entry.tag })
      return [{ type: 'page', label: entry.label, href, active: false, external, ...icons }]
    }
    if (entry.type === 'page') return pageNode(entry.page, file)
    if (entry.hidden) return []
    if (open !== undefined && !open.includes(entry)) {
      const target = firstOf(entry)
      return target === undefined ? [] : [closedGroup(entry, target, file)]
    }
    const children = listOf(entry.entries, page, file, open)
    const root = rootOf(entry)
    if (children.length === 0 && root === undefined) return []
    return [
      {
        type: 'group',
        label: entry.label,
        active: false,
        expanded: entry.expanded || open !== undefined,
        children,
        ...defined({
          icon: entry.icon,
          tag: entry.tag,
          href: root === undefined ? undefined : relativeHref(file, `${root}.html`),
        }),
      },
    ]
  }

  function pageNode(path: string, file: string): NavigationNode[] {
    const target = pages.get(path)
    if (target === undefined || (target.meta.hidden ?? false)) return []
    const address = target.meta.url
    const external = address !== undefined && /^[a-z]+:/i.test(address)
    return [
      {
        type: 'page',
        label: target.sidebarTitle,
        href: external ? address : relativeHref(file, `${target.path}.html`),
        active: false,
        external,
        ...defined({
          icon: target.meta.icon,
          tag: target.meta.tag,
          method: target.method,
          deprecated: target.meta.deprecated || undefined,
        }),
      },
    ]
  }

  function closedGroup(
    group: { label: string; icon?: string; tag?: string },
    target: string,
    file: string,
  ): NavigationNode {
    return {
      type: 'group',
      label: group.label,
      href: relativeHref(file, `${target}.html`),
      active: false,
      expanded: false,
      closed: true,
      children: [],
      ...defined({ icon: group.icon, tag: group.tag }),
    }
  }

  function rootOf(group: Group): string | undefined {
    return group.root !== undefined && pages.has(group.root) ? group.root : undefined
  }

  /** The first page that a reader would see there. */
  function firstOf(entry: Entry): string | undefined {
    if (entry.type === 'link') return undefined
    if (entry.type === 'page') {
      const page = pages.get(entry.page)
      return page === undefined || page.meta.hidden || page.meta.url !== undefined ? undefined : entry.page
    }
    if (entry.hidden) return undefined
    const root = rootOf(entry)
    if (root !== undefined) return root
    for (const child of entry.entries) {
      const found = firstOf(child)
      if (found !== undefined) return found
    }
    return undefined
  }

  function labelOf(entry: Entry): string {
    return entry.type === 'page' ? (pages.get(entry.page)?.sidebarTitle ?? '') : entry.label
  }
}

function holds(entry: Entry, page: PlannedPage, open: readonly Group[]): boolean {
  return entry.type === 'page' ? entry.page === page.path : entry.type === 'group' && open.includes(entry)
}
