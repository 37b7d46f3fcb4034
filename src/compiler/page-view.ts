import type { NavigationNode, PageView, SiteView, Switch } from '../theme/theme-api.ts'
import { type AddressBook, relativeHref } from './address-book.ts'
import { createLinkView } from './link-view.ts'
import { defined } from './loose-json.ts'
import type { Division, DivisionKind, Entry } from './plan-navigation.ts'
import { addressOf, type PlannedPage } from './plan-pages.ts'
import type { ChromeSettings } from './read-settings.ts'
import { createSidebars } from './sidebar-view.ts'
import type { SitePlan } from './site-plan.ts'

/** Everything around the content of a page, with links as they stand in that page. */
export type PageFrame = {
  view: Omit<PageView, 'content' | 'tableOfContents' | 'needs'>
  site: SiteView
  banner?: string
  /** The sidebar before this page was marked in it: the same object for all pages that share it. */
  sharedSidebar: readonly NavigationNode[]
}

/** Pages one after another, and where each stands. */
type Sequence = { pages: string[]; places: Map<string, number> }

/** Answers what surrounds a page. Built once for a site; a page costs as much as its own section is long. */
export function createFrames(plan: SitePlan, book: AddressBook): (page: PlannedPage) => PageFrame {
  const pages = new Map(plan.pages.map((page) => [page.path, page]))
  const { divisions } = plan.navigation
  const firstPages = new Map<number, string | undefined>()
  const folders = new Map<number, string>()
  const sequences = new Map<number, Sequence>()
  const placed = new Map<string, number>()
  const linkView = createLinkView(book, plan.home)
  const sidebars = createSidebars({ pages, divisions, linkView })

  const firstDivision = plan.pages.find((page) => page.listed && page.division !== undefined)?.division ?? 0

  return (page) => {
    const file = `${page.path}.html`
    const divisionId = page.division ?? nearestDivision(page)
    const trail = trailOf(divisionId)
    const sequence = sequenceOf(divisionId)
    const at = sequence.places.get(page.path) ?? -1
    const chrome = trail.reduce<ChromeSettings>(
      (current, id) => divisions[id]?.chrome ?? current,
      plan.chrome,
    )
    const language = page.language ?? languageOf(trail)
    const canonical = canonicalOf(page)
    // A start page outside the navigation shows where a reader may begin.
    const shownDivision = sidebars.sectionOf(divisionId) === undefined ? firstDivision : divisionId
    const sharedSidebar = sidebars.sidebarOf(shownDivision, page, file)
    const view: PageFrame['view'] = {
      path: page.path,
      title: page.title,
      sidebarTitle: page.sidebarTitle,
      description: page.meta.description,
      mode: page.meta.mode,
      deprecated: page.meta.deprecated,
      language,
      direction: isRightToLeft(language) ? 'rtl' : 'ltr',
      relativeRoot: '../'.repeat(page.path.split('/').length - 1),
      noindex: page.meta.noindex || (page.meta.hidden ?? false),
      metatags: metatagsOf(page),
      sidebar: activate(sharedSidebar, relativeHref(file, file)),
      tabs: switches('tab', trail, page, file),
      anchors: switches('anchor', trail, page, file),
      dropdowns: [...switches('dropdown', trail, page, file), ...switches('item', trail, page, file)],
      products: switches('product', trail, page, file),
      versions: switches('version', trail, page, file),
      languages: switches('language', trail, page, file),
      navbar: {
        links: chrome.links.map((link) => linkView(link, file)),
        ...defined({
          primary: chrome.primary && { ...linkView(chrome.primary, file), kind: chrome.primary.kind },
        }),
      },
      breadcrumbs: breadcrumbsOf(page, trail, file),
      markdownHref: relativeHref(file, `${page.path}.md`),
      ...defined({
        tag: page.meta.tag,
        canonicalUrl: canonical,
        previous: at > 0 ? neighbour(sequence.pages[at - 1], file) : undefined,
        next: at >= 0 ? neighbour(sequence.pages[at + 1], file) : undefined,
        section: sidebars.sectionName(shownDivision),
        editUrl: editUrlOf(page),
        lastUpdated: page.meta.lastUpdated,
      }),
    }
    const site: SiteView = {
      ...plan.site,
      footer: {
        socials: chrome.socials,
        columns: chrome.footerColumns.map(({ header, links }) => ({
          header,
          links: links.map((link) => linkView(link, file)),
        })),
      },
      ...(plan.site.logo === undefined ? {} : { logo: { ...plan.site.logo, href: logoHref(file) } }),
    }
    return { view, site, sharedSidebar, ...defined({ banner: chrome.banner?.content }) }
  }

  function trailOf(division: number): number[] {
    const trail: number[] = []
    for (let id = division; id >= 0; id = divisions[id]?.parent ?? -1) trail.unshift(id)
    return trail
  }

  function languageOf(trail: number[]): string {
    const id = trail.findLast((candidate) => divisions[candidate]?.kind === 'language')
    return id === undefined ? 'en' : (divisions[id]?.label ?? 'en')
  }

  /** The choices of one kind along the way to the page; of nested ones the innermost. */
  function switches(kind: DivisionKind, trail: number[], page: PlannedPage, file: string): Switch[] {
    const collected: Switch[] = []
    const seen = new Set<string>()
    for (const id of [...trail].reverse()) {
      const children = (divisions[id]?.children ?? []).filter((child) => divisions[child]?.kind === kind)
      const own = children.filter((child) => !divisions[child]?.isGlobal)
      const global = children.filter((child) => divisions[child]?.isGlobal)
      const shown = collected.length === 0 || kind === 'anchor' ? [...own, ...global] : global
      for (const child of shown) {
        const made = switchOf(child, trail, page, file)
        if (made === undefined || seen.has(made.label)) continue
        seen.add(made.label)
        collected.push(made)
      }
    }
    return collected
  }

  function switchOf(id: number, trail: number[], page: PlannedPage, file: string): Switch | undefined {
    const division = divisions[id]
    const active = trail.includes(id)
    if (division === undefined || (division.hidden && !active)) return undefined
    const target = counterpart(division, id, trail, page) ?? firstPage(id)
    const href =
      target !== undefined
        ? relativeHref(file, `${target}.html`)
        : division.href === undefined
          ? undefined
          : linkView({ label: '', href: division.href }, file).href
    if (href === undefined) return undefined
    return {
      label: division.label,
      href,
      active,
      ...defined({ icon: division.icon, description: division.description, tag: division.tag }),
    }
  }

  /** The same page in another version or language, where there is one. */
  function counterpart(
    division: Division,
    id: number,
    trail: number[],
    page: PlannedPage,
  ): string | undefined {
    if (division.kind !== 'version' && division.kind !== 'language') return undefined
    const current = trail.find((candidate) => divisions[candidate]?.kind === division.kind)
    if (current === undefined || current === id) return undefined
    const from = folderOf(current)
    if (!page.path.startsWith(from)) return undefined
    const path = folderOf(id) + page.path.slice(from.length)
    return pages.has(path) && path !== page.path ? path : undefined
  }

  function firstPage(id: number): string | undefined {
    if (firstPages.has(id)) return firstPages.get(id)
    const division = divisions[id]
    let found: string | undefined
    for (const entry of division?.entries ?? []) {
      found ??= firstOf(entry)
    }
    for (const child of division?.children ?? []) {
      const inner = divisions[child]
      if (inner?.isGlobal || inner?.hidden) continue
      found ??= firstPage(child)
    }
    const preferred = (division?.children ?? []).find((child) => divisions[child]?.isDefault)
    const chosen = preferred === undefined ? found : (firstPage(preferred) ?? found)
    firstPages.set(id, chosen)
    return chosen
  }

  function firstOf(entry: Entry): string | undefined {
    if (entry.type === 'page')
      return pages.has(entry.page) && !pages.get(entry.page)?.meta.hidden ? entry.page : undefined
    if (entry.type === 'link') return undefined
    if (entry.root !== undefined && pages.has(entry.root)) return entry.root
    for (const child of entry.entries) {
      const found = firstOf(child)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The folder that all pages of a division share: `en/`, `v2/`, or nothing. */
  function folderOf(id: number): string {
    const known = folders.get(id)
    if (known !== undefined) return known
    let common: string[] | undefined
    for (const path of pagesBelow(id)) {
      const parts = path.split('/').slice(0, -1)
      if (common === undefined) common = parts
      else {
        let length = 0
        while (length < common.length && common[length] === parts[length]) length += 1
        common = common.slice(0, length)
      }
    }
    const folder = common === undefined || common.length === 0 ? '' : `${common.join('/')}/`
    folders.set(id, folder)
    return folder
  }

  function pagesBelow(id: number): string[] {
    const division = divisions[id]
    const own = (division?.entries ?? []).flatMap(allOf)
    return [...own, ...(division?.children ?? []).flatMap(pagesBelow)]
  }

  function allOf(entry: Entry): string[] {
    if (entry.type === 'page') return pages.has(entry.page) ? [entry.page] : []
    if (entry.type === 'link') return []
    return [
      ...(entry.root !== undefined && pages.has(entry.root) ? [entry.root] : []),
      ...entry.entries.flatMap(allOf),
    ]
  }

  /** The pages a reader goes through with previous and next: those of the sidebar, each once. */
  function sequenceOf(division: number): Sequence {
    const known = sequences.get(division)
    if (known !== undefined) return known
    const visible = (entry: Entry): string[] => {
      if (entry.type === 'group') {
        if (entry.hidden) return []
        const root = entry.root !== undefined && pages.has(entry.root) ? [entry.root] : []
        return [...root, ...entry.entries.flatMap(visible)]
      }
      if (entry.type === 'link') return []
      const page = pages.get(entry.page)
      return page === undefined || page.meta.hidden || page.meta.url !== undefined ? [] : [entry.page]
    }
    const inOrder = [...new Set((sidebars.sectionOf(division)?.entries ?? []).flatMap(visible))]
    const sequence = { pages: inOrder, places: new Map(inOrder.map((path, index) => [path, index])) }
    sequences.set(division, sequence)
    return sequence
  }

  function neighbour(path: string | undefined, file: string): { label: string; href: string } | undefined {
    const page = path === undefined ? undefined : pages.get(path)
    return page && { label: page.sidebarTitle, href: relativeHref(file, `${page.path}.html`) }
  }

  /** A page that the navigation does not place stands in the section whose pages lie nearest. */
  function nearestDivision(page: PlannedPage): number {
    let folder = page.path
    while (folder.includes('/')) {
      folder = folder.slice(0, folder.lastIndexOf('/'))
      const found = placedByFolder().get(folder)
      if (found !== undefined) return found
    }
    return pages.get(plan.home)?.division ?? 0
  }

  function placedByFolder(): Map<string, number> {
    if (placed.size === 0) {
      for (const page of plan.pages) {
        if (page.division === undefined) continue
        let folder = page.path
        while (folder.includes('/')) {
          folder = folder.slice(0, folder.lastIndexOf('/'))
          if (!placed.has(folder)) placed.set(folder, page.division)
        }
      }
    }
    return placed
  }

  function breadcrumbsOf(
    page: PlannedPage,
    trail: number[],
    file: string,
  ): { label: string; href?: string }[] {
    const shownKinds: DivisionKind[] = ['tab', 'item', 'dropdown', 'product', 'anchor']
    const fromDivisions = trail.flatMap((id) => {
      const division = divisions[id]
      if (division === undefined || !shownKinds.includes(division.kind)) return []
      const target = firstPage(id)
      return [
        {
          label: division.label,
          ...defined({ href: target === undefined ? undefined : relativeHref(file, `${target}.html`) }),
        },
      ]
    })
    return [...fromDivisions, ...page.groups.map((label) => ({ label }))]
  }

  function logoHref(file: string): string {
    const wanted = plan.site.logo?.href
    return wanted === undefined
      ? relativeHref(file, `${plan.home}.html`)
      : linkView({ label: '', href: wanted }, file).href
  }

  function canonicalOf(page: PlannedPage): string | undefined {
    if (page.meta.canonical !== undefined && /^https?:/i.test(page.meta.canonical)) return page.meta.canonical
    if (plan.siteUrl === undefined) return undefined
    const address = addressOf(page.path)
    return address === ''
      ? `${plan.siteUrl}/`
      : `${plan.siteUrl}/${address.split('/').map(encodeURIComponent).join('/')}`
  }

  function editUrlOf(page: PlannedPage): string | undefined {
    if (plan.editBase === undefined || page.from.type !== 'file') return undefined
    return `${plan.editBase}/${page.from.file.split('/').map(encodeURIComponent).join('/')}`
  }
}

/** Marks the page that stands at this address and opens the groups around it; everything else is shared. */
function activate(nodes: NavigationNode[], href: string): NavigationNode[] {
  let changed = false
  const marked = nodes.map((node): NavigationNode => {
    if (node.type === 'page') {
      if (node.href !== href || node.external) return node
      changed = true
      return { ...node, active: true }
    }
    const children = activate(node.children, href)
    const active = node.href === href && !node.closed
    if (children === node.children && !active) return node
    changed = true
    return { ...node, children, active, expanded: true }
  })
  return changed ? marked : nodes
}

function metatagsOf(page: PlannedPage): { name: string; content: string }[] {
  const keywords =
    page.meta.keywords.length === 0 ? [] : [{ name: 'keywords', content: page.meta.keywords.join(', ') }]
  return [...page.meta.metatags, ...keywords]
}

function isRightToLeft(language: string): boolean {
  return /^(?:ar|he|fa|ur|ps|sd|yi|dv|ckb)(?:-|$)/i.test(language)
}
