import { createHash } from 'node:crypto'
import { existsSync, linkSync, copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { withFolder } from './bundle-files.ts'
import type { PageTools } from './compile-page.ts'
import type { PlannedPage } from './plan-pages.ts'
import type { RenderedPage } from './render-pages.ts'

/** Rendered pages, named by everything they were made from. */
export type PageCache = {
  find(page: PlannedPage): { page: RenderedPage; place(into: string): void } | undefined
  /** Keeps a page and answers how to place it into a bundle. */
  keep(
    page: PlannedPage,
    rendered: RenderedPage,
    texts: { html: string; markdown: string },
  ): (into: string) => void
}

type Entry = { includes: [string, string][]; pictures: [string, string][]; page: RenderedPage }

export function createPageCache(cache: { folder: string; renderer: string }, tools: PageTools): PageCache {
  const { plan, modules, pictures } = tools
  const common = digest(
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
  return { find, keep }

  function find(page: PlannedPage): ReturnType<PageCache['find']> {
    const base = baseOf(page)
    let entry: Entry
    try {
      entry = JSON.parse(readFileSync(`${base}.json`, 'utf8')) as Entry
    } catch {
      return undefined
    }
    const current =
      entry.includes.every(([file, known]) => includeDigest(file) === known) &&
      entry.pictures.every(([file, known]) => pictures.describe(file) === known)
    if (!current || !existsSync(`${base}.html`) || !existsSync(`${base}.md`)) return undefined
    return { page: entry.page, place: (into) => place(base, page, into) }
  }

  function keep(
    page: PlannedPage,
    rendered: RenderedPage,
    texts: { html: string; markdown: string },
  ): (into: string) => void {
    const base = baseOf(page)
    const own = page.from.type === 'file' ? page.from.file : ''
    const includes: [string, string][] = []
    for (const [file, text] of modules.used) if (file !== own) includes.push([file, digest(text)])
    includes.sort(([a], [b]) => (a < b ? -1 : 1))
    write(`${base}.html`, texts.html)
    write(`${base}.md`, texts.markdown)
    write(
      `${base}.json`,
      JSON.stringify({ includes, pictures: [...pictures.used], page: rendered } satisfies Entry),
    )
    return (into) => place(base, page, into)
  }

  function baseOf(page: PlannedPage): string {
    const endpoint = plan.endpoints[page.path]
    const spec = endpoint?.type === 'operation' ? specDigest(endpoint.operation.file) : ''
    const { view, site, sharedSidebar, banner } = tools.frame(page)
    const around = { ...view, sidebar: sidebarDigest(sharedSidebar) }
    const key = digest(JSON.stringify([common, page, around, site.footer, site.logo, banner, endpoint, spec]))
    return join(cache.folder, 'pages', key.slice(0, 2), key)
  }

  /** Most of what surrounds a page is its sidebar, which it shares, so that is digested once. */
  function sidebarDigest(sidebar: readonly object[]): string {
    const known = sidebarDigests.get(sidebar)
    if (known !== undefined) return known
    const made = digest(JSON.stringify(sidebar))
    sidebarDigests.set(sidebar, made)
    return made
  }

  function specDigest(file: string): string {
    const known = specDigests.get(file)
    if (known !== undefined) return known
    const made = digest(plan.fetchedSpecs[file] ?? readFileSync(join(plan.root, file), 'utf8'))
    specDigests.set(file, made)
    return made
  }

  function includeDigest(file: string): string | undefined {
    const known = includeDigests.get(file)
    if (known !== undefined) return known
    if (!modules.has(file)) return undefined
    const made = digest(modules.readText(file))
    includeDigests.set(file, made)
    return made
  }
}

/** A bundle's files never change, so they may be the cache's own files under a second name. */
function place(base: string, page: PlannedPage, into: string): void {
  for (const kind of ['html', 'md']) {
    const target = join(into, `${page.path}.${kind}`)
    withFolder(target, () => linkOrCopy(`${base}.${kind}`, target))
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    const elsewhere =
      error instanceof Error &&
      'code' in error &&
      ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(String(error.code))
    if (!elsewhere) throw error
    copyFileSync(from, to)
  }
}

function write(file: string, text: string): void {
  const partial = `${file}.${process.pid}.${threadId}.partial`
  withFolder(partial, () => writeFileSync(partial, text))
  renameSync(partial, file) // Another build sees the whole file or none of it.
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
