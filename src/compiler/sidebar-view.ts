import type { Section, SectionEntry, SectionExtras } from '../theme/index.ts'
import type { NavigationNode } from '../theme/theme-api.ts'
import { relativeHref } from './address-book.ts'
import type { LinkView } from './link-view.ts'
import { defined } from './loose-json.ts'
import type { Division, Entry } from './plan-navigation.ts'
import type { PlannedPage } from './plan-pages.ts'

/** Sections of up to so many entries are shown whole; in larger ones only the groups around the page are open. */
const wholeSectionEntries = 250
/** Of a longer list, so many on both sides of the page. */
const neighbours = 40

type Group = Extract<Entry, { type: 'group' }>

/** A section's tree, looked through once for all its pages. */
type LookedThrough = {
  entries: readonly Entry[]
  isLarge: boolean
  groupsOf: Map<string, Group[]>
  /** Where its groups stand: `3.1` is the second entry that is shown of the fourth. */
  places: Map<Group, string>
}

export type Sidebars = {
  /**
   * The sidebar of a page, with no page marked in it: pages of one folder and group share the same object. However
   * large the site is, a page costs no more than its own surroundings; a closed group leads to its first page.
   */
  sidebarOf(division: number, page: PlannedPage, file: string): NavigationNode[]
  /** What the sidebar of a division shows: its own entries or those of the nearest division around it. */
  sectionOf(division: number): { entries: readonly Entry[] } | undefined
  /** The name of a section that is too large for every page. */
  sectionName(division: number): string | undefined
  /** All such sections, whole. */
  largeSections(): Section[]
}

export function createSidebars(input: {
  pages: ReadonlyMap<string, PlannedPage>
  divisions: readonly Division[]
  linkView: LinkView
}): Sidebars {
  const { pages, divisions } = input
  const sections = new Map<number, LookedThrough>()
  const sidebars = new Map<string, NavigationNode[]>()
  const shownLists = new WeakMap<readonly Entry[], Entry[]>()

  return {
    sidebarOf(division, page, file) {
      const owner = ownerOf(division)
      const section = owner === undefined ? undefined : lookThrough(owner)
      if (section === undefined) return []
      const open = section.isLarge ? (section.groupsOf.get(page.path) ?? []) : undefined
      const place = open === undefined ? '' : placeOf(section, open.at(-1), page)
      const key = `${owner} ${place} ${file.slice(0, file.lastIndexOf('/') + 1)}`
      const known = sidebars.get(key)
      if (known !== undefined) return known
      const made = listOf({ section, page, file, open }, section.entries, '')
      if (sidebars.size > 500) sidebars.clear()
      sidebars.set(key, made)
      return made
    },
    sectionOf: (division) => {
      const owner = ownerOf(division)
      return owner === undefined ? undefined : divisions[owner]
    },
    sectionName: (division) => {
      const owner = ownerOf(division)
      return owner !== undefined && lookThrough(owner).isLarge ? `${owner}` : undefined
    },
    largeSections: () =>
      [...divisions.keys()]
        .filter((division) => ownerOf(division) === division && lookThrough(division).isLarge)
        .map((division) => ({
          name: `${division}`,
          entries: shownOf(lookThrough(division).entries).flatMap(sectionEntry),
        })),
  }

  function ownerOf(division: number): number | undefined {
    for (let id = division; id >= 0; id = divisions[id]?.parent ?? -1)
      if ((divisions[id]?.entries.length ?? 0) > 0) return id
    return undefined
  }

  function lookThrough(division: number): LookedThrough {
    const known = sections.get(division)
    if (known !== undefined) return known
    const entries = divisions[division]?.entries ?? []
    const groupsOf = new Map<string, Group[]>()
    const places = new Map<Group, string>()
    let count = 0
    const visit = (list: readonly Entry[], groups: Group[], place: string) => {
      count += list.length
      for (const [index, entry] of shownOf(list).entries()) {
        if (entry.type !== 'group') continue
        places.set(entry, `${place}${index}`)
        const inner = [...groups, entry]
        if (entry.root !== undefined && !groupsOf.has(entry.root)) groupsOf.set(entry.root, inner)
        visit(entry.entries, inner, `${place}${index}.`)
      }
      for (const entry of list)
        if (entry.type === 'page' && !groupsOf.has(entry.page)) groupsOf.set(entry.page, groups)
    }
    visit(entries, [], '')
    const section = { entries, isLarge: count > wholeSectionEntries, groupsOf, places }
    sections.set(division, section)
    return section
  }

  /** The innermost open group, and in a long list where in it the page stands: what is shown depends on it. */
  function placeOf(section: LookedThrough, group: Group | undefined, page: PlannedPage): string {
    const list = shownOf(group?.entries ?? section.entries)
    const place = group === undefined ? '' : (section.places.get(group) ?? '')
    return list.length <= 2 * neighbours + 1
      ? place
      : `${place}:${list.findIndex((entry) => holds(entry, page, []))}`
  }

  /** What a reader sees of a list. */
  function shownOf(entries: readonly Entry[]): Entry[] {
    const known = shownLists.get(entries)
    if (known !== undefined) return known
    const shown = entries.filter((entry) => {
      if (entry.type === 'link') return true
      if (entry.type === 'page') return !(pages.get(entry.page)?.meta.hidden ?? !pages.has(entry.page))
      return !entry.hidden && (rootOf(entry) !== undefined || shownOf(entry.entries).length > 0)
    })
    shownLists.set(entries, shown)
    return shown
  }

  function listOf(view: View, all: readonly Entry[], place: string): NavigationNode[] {
    const { page, open } = view
    const entries = shownOf(all)
    if (open === undefined || entries.length <= 2 * neighbours + 1)
      return entries.map((entry) => nodeOf(view, entry))
    const at = Math.max(
      0,
      entries.findIndex((entry) => holds(entry, page, open)),
    )
    const start = at <= neighbours + 1 ? 0 : at - neighbours
    const end = at + neighbours + 2 >= entries.length ? entries.length : at + neighbours + 1
    return [
      ...restOf(view, entries, { place, from: 0, to: start }),
      ...entries.slice(start, end).map((entry) => nodeOf(view, entry)),
      ...restOf(view, entries, { place, from: end, to: entries.length }),
    ]
  }

  /** Many entries as one, called by its first and last, which leads to the one nearest to the page. */
  function restOf(
    { file }: View,
    entries: readonly Entry[],
    rest: { place: string; from: number; to: number },
  ): NavigationNode[] {
    const [first, last] = [entries[rest.from], entries[rest.to - 1]]
    if (rest.from >= rest.to || first === undefined || last === undefined) return []
    const label = first === last ? labelOf(first) : `${labelOf(first)} … ${labelOf(last)}`
    const { href } = targetOf(rest.from === 0 ? last : first, file)
    return [closedGroup({ label }, href, `${rest.place}:${rest.from}-${rest.to}`)]
  }

  function nodeOf(view: View, entry: Entry): NavigationNode {
    const { file, open, section } = view
    if (entry.type !== 'group') {
      const { href, external } = targetOf(entry, file)
      return { type: 'page', label: labelOf(entry), href, active: false, external, ...marksOf(entry) }
    }
    const place = section.places.get(entry) ?? ''
    if (open !== undefined && !open.includes(entry))
      return closedGroup(entry, targetOf(entry, file).href, place)
    const root = rootOf(entry)
    return {
      type: 'group',
      label: entry.label,
      active: false,
      expanded: entry.expanded || open !== undefined,
      children: listOf(view, entry.entries, place),
      ...defined({
        icon: entry.icon,
        tag: entry.tag,
        href: root === undefined ? undefined : relativeHref(file, `${root}.html`),
      }),
    }
  }

  function closedGroup(
    group: { label: string; icon?: string; tag?: string },
    href: string,
    place: string,
  ): NavigationNode {
    return {
      type: 'group',
      label: group.label,
      href,
      place,
      active: false,
      expanded: false,
      closed: true,
      children: [],
      ...defined({ icon: group.icon, tag: group.tag }),
    }
  }

  function sectionEntry(entry: Entry): SectionEntry[] {
    const { href, external } = targetOf(entry, '')
    const extras: SectionExtras = { ...marksOf(entry), ...(external ? { external } : {}) }
    if (entry.type !== 'group')
      return [Object.keys(extras).length === 0 ? [labelOf(entry), href] : [labelOf(entry), href, extras]]
    const root = rootOf(entry)
    const own = root === undefined ? {} : { own: labelOf({ type: 'page', page: root }) }
    return [[entry.label, href, { ...extras, ...own }, shownOf(entry.entries).flatMap(sectionEntry)]]
  }

  function marksOf(entry: Entry): Omit<SectionExtras, 'external' | 'own'> {
    if (entry.type !== 'page') return defined({ icon: entry.icon, tag: entry.tag })
    const page = pages.get(entry.page)
    return defined({
      icon: page?.meta.icon,
      tag: page?.meta.tag,
      method: page?.method,
      deprecated: page?.meta.deprecated || undefined,
    })
  }

  function labelOf(entry: Entry): string {
    return entry.type === 'page' ? (pages.get(entry.page)?.sidebarTitle ?? '') : entry.label
  }

  /** Where an entry leads; a group leads to the first page in it. */
  function targetOf(entry: Entry, file: string): { href: string; external: boolean } {
    if (entry.type === 'link') return input.linkView(entry, file)
    if (entry.type === 'page') {
      const address = pages.get(entry.page)?.meta.url
      return address !== undefined && /^[a-z]+:/i.test(address)
        ? { href: address, external: true }
        : { href: relativeHref(file, `${entry.page}.html`), external: false }
    }
    const root = rootOf(entry)
    if (root !== undefined) return { href: relativeHref(file, `${root}.html`), external: false }
    let away: { href: string; external: boolean } | undefined
    for (const child of shownOf(entry.entries)) {
      const target = targetOf(child, file)
      if (!target.external) return target
      away ??= target
    }
    return away ?? { href: '', external: false }
  }

  function rootOf(group: Group): string | undefined {
    return group.root !== undefined && pages.has(group.root) ? group.root : undefined
  }
}

/** The page whose sidebar is made, and the groups that are open around it; all of them where the section is small. */
type View = { section: LookedThrough; page: PlannedPage; file: string; open: Group[] | undefined }

function holds(entry: Entry, page: PlannedPage, open: readonly Group[]): boolean {
  return entry.type === 'page' ? entry.page === page.path : entry.type === 'group' && open.includes(entry)
}
