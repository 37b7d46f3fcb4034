import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PackStore, packKey } from '../bundle/index.ts'
import type { PageTools } from './compile-page.ts'
import { defined } from './loose-json.ts'
import type { PlannedPage } from './plan-pages.ts'
import type { PackedPage, RenderedPage } from './render-pages.ts'

/** Rendered pages, named by everything they were made from; their files lie in the store of members. */
export type PageCache = {
  find(page: PlannedPage): RenderedPage | undefined
  keep(page: PlannedPage, rendered: RenderedPage, packed: PackedPage): void
  /** Writes what was kept to disk. */
  close(): void
}

/** What stands in front of a page's words. */
type Head = Pick<PackedPage, 'includes' | 'pictures'> & {
  page: Omit<RenderedPage, 'indexed' | 'packed'>
  /** The digest of the words that follow, where the page is searched. */
  indexed?: string
}

/** False where every page must be rendered. */
export function hasCachedPages(folder: string): boolean {
  return existsSync(packsIn(folder))
}

const packsIn = (folder: string) => join(folder, 'packs')

export function createPageCache(cache: { folder: string; renderer: string }, tools: PageTools): PageCache {
  const { plan, modules, pictures } = tools
  const store = new PackStore(packsIn(cache.folder))
  const common = packKey(
    JSON.stringify([
      cache.renderer,
      plan.site,
      plan.siteUrl,
      plan.variables,
      plan.api,
      plan.redirects,
      plan.assets,
      plan.pages.map((page) => page.path),
      plan.pagesElsewhere,
      tools.assets,
    ]),
  )
  const specDigests = new Map<string, string>()
  const includeDigests = new Map<string, string>()
  const sidebarDigests = new WeakMap<readonly object[], string>()
  const keys = new Map<PlannedPage, string>()
  return { find, keep, close: () => store.close() }

  function find(page: PlannedPage): RenderedPage | undefined {
    const bytes = store.read(keyOf(page))
    if (bytes === undefined) return undefined
    const start = 4 + bytes.readUInt32LE(0)
    const head = JSON.parse(bytes.toString('utf8', 4, start)) as Head
    const isCurrent =
      head.includes.every(([file, known]) => includeDigest(file) === known) &&
      head.pictures.every(([file, known]) => pictures.describe(file) === known)
    if (!isCurrent) return undefined
    if (head.indexed === undefined) return head.page
    return { ...head.page, indexed: { record: bytes.subarray(start), digest: head.indexed } }
  }

  function keep(page: PlannedPage, rendered: RenderedPage, packed: PackedPage): void {
    const { indexed, packed: _packed, ...rest } = rendered
    const { includes, pictures: sizes } = packed
    const head: Head = { includes, pictures: sizes, page: rest, ...defined({ indexed: indexed?.digest }) }
    const headBytes = Buffer.from(JSON.stringify(head))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(headBytes.length)
    store.add(keyOf(page), length, headBytes, indexed?.record ?? new Uint8Array())
  }

  function keyOf(page: PlannedPage): string {
    const known = keys.get(page)
    if (known !== undefined) return known
    const endpoint = plan.endpoints[page.path]
    const spec = endpoint?.type === 'operation' ? specDigest(endpoint.operation.file) : ''
    const { view, site, sharedSidebar, banner } = tools.frame(page)
    const around = { ...view, sidebar: sidebarDigest(sharedSidebar) }
    const key = packKey(
      JSON.stringify([common, page, around, site.footer, site.logo, banner, endpoint, spec]),
    )
    keys.set(page, key)
    return key
  }

  /** Most of what surrounds a page is its sidebar, which it shares, so that is digested once. */
  function sidebarDigest(sidebar: readonly object[]): string {
    const known = sidebarDigests.get(sidebar)
    if (known !== undefined) return known
    const made = packKey(JSON.stringify(sidebar))
    sidebarDigests.set(sidebar, made)
    return made
  }

  function specDigest(file: string): string {
    const known = specDigests.get(file)
    if (known !== undefined) return known
    const made = packKey(plan.fetchedSpecs[file] ?? readFileSync(join(plan.root, file), 'utf8'))
    specDigests.set(file, made)
    return made
  }

  function includeDigest(file: string): string | undefined {
    const known = includeDigests.get(file)
    if (known !== undefined) return known
    if (!modules.has(file)) return undefined
    const made = packKey(modules.readText(file))
    includeDigests.set(file, made)
    return made
  }
}
