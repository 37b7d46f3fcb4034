import {
  asFlag,
  asList,
  asNumber,
  asObject,
  asText,
  defined,
  type Json,
  type JsonObject,
} from './loose-json.ts'
import { type ChromeSettings, readChrome, type Settings } from './read-settings.ts'

/** The navigation as a flat list of divisions, so that it travels between threads and a page points into it by number. */
export type Navigation = { divisions: Division[] }

export type DivisionKind =
  | 'root'
  | 'language'
  | 'version'
  | 'product'
  | 'dropdown'
  | 'tab'
  | 'anchor'
  | 'item'

/** A part of the site that readers switch to: a tab, a version, a language. */
export type Division = {
  kind: DivisionKind
  label: string
  parent: number
  children: number[]
  entries: Entry[]
  hidden: boolean
  isDefault: boolean
  /** True where it comes from `global` and stands beside whatever is shown. */
  isGlobal: boolean
  icon?: string
  description?: string
  tag?: string
  href?: string
  chrome?: ChromeSettings
}

export type Entry =
  | { type: 'page'; page: string }
  | { type: 'link'; label: string; href: string; icon?: string; tag?: string }
  | {
      type: 'group'
      label: string
      entries: Entry[]
      hidden: boolean
      expanded: boolean
      icon?: string
      tag?: string
      root?: string
      directory?: DirectoryStyle
    }

export type DirectoryStyle = 'accordion' | 'card'

/** Where the navigation places a page, with what the page inherits from there. */
export type Placement = {
  page: string
  division: number
  groups: string[]
  hidden: boolean
  searchable?: boolean
  boost?: number
  tag?: string
  version?: string
  language?: string
  /** The specifications of the divisions and groups around it, the nearest first. */
  specifications: Json[]
}

export type NavigationPlan = { navigation: Navigation; placements: Placement[] }

/** What the planner asks of the rest: which page a name means, and which pages a specification gives. */
export type NavigationSources = {
  /** The page that an entry names, or nothing where there is no such file. */
  findPage(name: string): string | undefined
  /** Pages of operations: one for `METHOD /path`, all of them where a node has a specification and no pages. */
  operationPage(entry: string, specification: Json | undefined): Promise<string | undefined>
  specificationEntries(node: JsonObject): Promise<Entry[]>
  reportMissing(name: string): void
}

const kinds: { kind: DivisionKind; list: string; label: string }[] = [
  { kind: 'language', list: 'languages', label: 'language' },
  { kind: 'version', list: 'versions', label: 'version' },
  { kind: 'product', list: 'products', label: 'product' },
  { kind: 'dropdown', list: 'dropdowns', label: 'dropdown' },
  { kind: 'tab', list: 'tabs', label: 'tab' },
  { kind: 'anchor', list: 'anchors', label: 'anchor' },
  { kind: 'item', list: 'menu', label: 'item' },
]

type Inherited = Omit<Placement, 'page' | 'division' | 'groups'> & {
  directory?: DirectoryStyle
}

/** Walks the navigation of docs.json, in any nesting of its containers. */
export async function planNavigation(
  settings: Settings,
  sources: NavigationSources,
): Promise<NavigationPlan> {
  const divisions: Division[] = []
  const placements: Placement[] = []
  const root = asObject(settings.raw.navigation) ?? {}
  const api = settings.api.openapi
  const specifications = api === undefined ? [] : [api]
  await addDivision('root', '', root, -1, { hidden: false, specifications }, false)
  return { navigation: { divisions }, placements }

  async function addDivision(
    kind: DivisionKind,
    label: string,
    node: JsonObject,
    parent: number,
    above: Inherited,
    isGlobal: boolean,
  ): Promise<number> {
    const inherited = inherit(node, above)
    if (kind === 'version') inherited.version = label
    if (kind === 'language') inherited.language = label
    const id = divisions.length
    const division: Division = {
      kind,
      label,
      parent,
      children: [],
      entries: [],
      hidden: asFlag(node.hidden) ?? false,
      isDefault: asFlag(node.default) ?? false,
      isGlobal,
      ...defined({
        icon: asText(node.icon),
        description: asText(node.description),
        tag: asText(node.tag),
        href: asText(node.href) ?? asText(node.url),
        chrome:
          kind === 'language' && (node.navbar || node.footer || node.banner)
            ? readChrome(node, settings.chrome)
            : undefined,
      }),
    }
    divisions.push(division)
    const global = asObject(node.global)
    for (const { kind: childKind, list, label: labelKey } of kinds) {
      for (const child of asList(node[list])) {
        const object = asObject(child)
        const name = asText(object?.[labelKey]) ?? asText(object?.name)
        if (object === undefined || name === undefined) continue
        division.children.push(await addDivision(childKind, name, object, id, inherited, false))
      }
      for (const child of asList(global?.[list])) {
        const object = asObject(child)
        const name = asText(object?.[labelKey]) ?? asText(object?.name)
        if (object === undefined || name === undefined) continue
        division.children.push(await addDivision(childKind, name, object, id, inherited, true))
      }
    }
    const listed = [...asList(node.pages), ...asList(node.groups)]
    division.entries = await readEntries(listed, id, [], inherited)
    const ownSpecification = node.openapi ?? node.asyncapi
    if (
      division.entries.length === 0 &&
      division.children.length === 0 &&
      ownSpecification &&
      kind !== 'root'
    ) {
      division.entries = place(await sources.specificationEntries(node), id, [], inherited)
    }
    return id
  }

  async function readEntries(
    list: Json[],
    division: number,
    groups: string[],
    above: Inherited,
  ): Promise<Entry[]> {
    const entries: Entry[] = []
    for (const item of list) {
      const name = asText(item)
      if (name !== undefined) {
        const page = isOperation(name)
          ? await sources.operationPage(name, above.specifications[0])
          : sources.findPage(name)
        if (page === undefined) sources.reportMissing(name)
        else entries.push(...place([{ type: 'page', page }], division, groups, above))
        continue
      }
      const object = asObject(item)
      if (object === undefined) continue
      entries.push(...(await readObjectEntry(object, division, groups, above)))
    }
    return entries
  }

  async function readObjectEntry(
    object: JsonObject,
    division: number,
    groups: string[],
    above: Inherited,
  ): Promise<Entry[]> {
    const label = asText(object.group) ?? asText(object.label) ?? asText(object.title) ?? asText(object.name)
    const href = asText(object.href) ?? asText(object.url)
    const children = [...asList(object.pages), ...asList(object.groups)]
    const single = asText(object.page)
    if (single !== undefined && children.length === 0) return readEntries([single], division, groups, above)
    if (href !== undefined && children.length === 0 && object.openapi === undefined) {
      return [
        {
          type: 'link',
          label: label ?? href,
          href,
          ...defined({ icon: asText(object.icon), tag: asText(object.tag) }),
        },
      ]
    }
    const inherited = inherit(object, above)
    const trail = label === undefined ? groups : [...groups, label]
    const rootName = asText(object.root)
    const rootPage = rootName === undefined ? undefined : sources.findPage(rootName)
    if (rootName !== undefined && rootPage === undefined) sources.reportMissing(rootName)
    if (rootPage !== undefined) place([{ type: 'page', page: rootPage }], division, trail, inherited)
    let entries = await readEntries(children, division, trail, inherited)
    if (children.length === 0 && (object.openapi !== undefined || object.asyncapi !== undefined)) {
      entries = place(await sources.specificationEntries(object), division, trail, inherited)
    }
    if (label === undefined) return entries
    return [
      {
        type: 'group',
        label,
        entries,
        hidden: asFlag(object.hidden) ?? false,
        expanded: asFlag(object.expanded) ?? asFlag(object.isDefaultOpen) ?? object.collapsed === false,
        ...defined({
          icon: asText(object.icon),
          tag: asText(object.tag),
          root: rootPage,
          directory: inherited.directory,
        }),
      },
    ]
  }

  function place(entries: Entry[], division: number, groups: string[], inherited: Inherited): Entry[] {
    const { directory: _directory, ...inheritedFields } = inherited
    for (const entry of entries) {
      if (entry.type === 'page') placements.push({ page: entry.page, division, groups, ...inheritedFields })
      if (entry.type === 'group') place(entry.entries, division, [...groups, entry.label], inherited)
    }
    return entries
  }
}

function inherit(node: JsonObject, above: Inherited): Inherited {
  const directory = asText(node.directory)
  const inherited: Inherited = {
    ...above,
    hidden: above.hidden || (asFlag(node.hidden) ?? false),
    ...defined({
      searchable: asFlag(node.searchable) ?? above.searchable,
      boost: asNumber(node.boost) ?? above.boost,
    }),
    specifications: [
      ...[node.openapi, node.asyncapi].filter((own) => own !== undefined),
      ...above.specifications,
    ],
  }
  if (directory === 'accordion' || directory === 'card') inherited.directory = directory
  else if (directory !== undefined) delete inherited.directory
  return inherited
}

/** `GET /users`, `openapi.json POST /users`, `webhook name` and their like. */
export function isOperation(name: string): boolean {
  return /^(?:\S+\s+)?(?:get|post|put|patch|delete|head|options|trace|webhook|query)\s+\S/i.test(name)
}
