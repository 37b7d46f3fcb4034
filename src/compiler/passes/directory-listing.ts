import type { ElementContent } from 'hast'
import { components } from '../../theme/index.ts'
import type { ComponentContext } from '../../theme/theme-api.ts'
import type { Entry, Navigation } from '../plan-navigation.ts'
import type { PlannedPage } from '../plan-pages.ts'

/** The pages of a group, shown on the group's root page where the navigation asks for it. */
export function directoryListing(
  page: PlannedPage,
  navigation: Navigation,
  pages: ReadonlyMap<string, PlannedPage>,
  context: ComponentContext,
): ElementContent[] {
  const group =
    page.division === undefined
      ? undefined
      : groupsByRoot(navigation.divisions[page.division]?.entries ?? []).get(page.path)
  if (group?.directory === undefined) return []
  const draw = (name: string, props: Record<string, unknown>, children: ElementContent[]): ElementContent[] =>
    components[name]?.({ name, props, children, page: context }) ?? children
  const card = (entry: Entry): ElementContent[] => {
    const target =
      entry.type === 'page'
        ? pages.get(entry.page)
        : entry.type === 'group'
          ? pages.get(entry.root ?? firstPage(entry) ?? '')
          : undefined
    if (target === undefined || (target.meta.hidden ?? false) || target.path === page.path) return []
    const title = entry.type === 'group' ? entry.label : target.sidebarTitle
    const text: ElementContent[] =
      target.meta.description === '' ? [] : [{ type: 'text', value: target.meta.description }]
    const icon = entry.type === 'group' ? entry.icon : target.meta.icon
    return draw(
      'Card',
      { title, href: `/${target.path}`, horizontal: true, ...(icon === undefined ? {} : { icon }) },
      text,
    )
  }
  if (group.directory === 'card') return draw('Columns', { cols: 2 }, group.entries.flatMap(card))
  const sections = group.entries.flatMap((entry) =>
    entry.type === 'group'
      ? draw('Accordion', { title: entry.label }, entry.entries.flatMap(card))
      : card(entry),
  )
  return draw('AccordionGroup', {}, sections)
}

type Group = Extract<Entry, { type: 'group' }>

const knownGroups = new WeakMap<readonly Entry[], Map<string, Group>>()

/** The groups of a section by their root page; of two with the same, the first. Every page asks, so it is kept. */
function groupsByRoot(entries: readonly Entry[]): Map<string, Group> {
  const known = knownGroups.get(entries)
  if (known !== undefined) return known
  const groups = new Map<string, Group>()
  const visit = (entry: Entry) => {
    if (entry.type !== 'group') return
    if (entry.root !== undefined && !groups.has(entry.root)) groups.set(entry.root, entry)
    entry.entries.forEach(visit)
  }
  entries.forEach(visit)
  knownGroups.set(entries, groups)
  return groups
}

function firstPage(group: Group): string | undefined {
  for (const entry of group.entries) {
    const found =
      entry.type === 'page'
        ? entry.page
        : entry.type === 'group'
          ? (entry.root ?? firstPage(entry))
          : undefined
    if (found !== undefined) return found
  }
  return undefined
}
