import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ThemeAssets } from '../theme/theme-api.ts'
import { createAddressBook } from './address-book.ts'
import { writeBundleFile } from './bundle-files.ts'
import type { FailedPage, Problem } from './compiler-api.ts'
import { type CompiledPage, compilePage, type PageTools } from './compile-page.ts'
import { type LoadedSpec, loadSpec } from './openapi/index.ts'
import { createPageCache } from './page-cache.ts'
import { createFrames } from './page-view.ts'
import { PageModules } from './passes/page-modules.ts'
import { PictureSizes } from './picture-sizes.ts'
import type { SitePlan } from './site-plan.ts'

/** What all workers of one build share beside the plan. */
export type RenderTask = {
  assets: ThemeAssets
  /** False when only the problems are wanted. */
  write: boolean
  /** The folder of the page cache and what the renderer is called in it. */
  cache?: { folder: string; renderer: string }
}

/** What is left of a page when its files are written: small enough to keep for every page. */
export type RenderedPage = Omit<CompiledPage, 'html' | 'markdown' | 'indexed'> & {
  /** The page as the search index takes it, as JSON. */
  indexed?: string
  failed?: FailedPage
}

export type Renderer = { render(index: number): RenderedPage }

export function createRenderer(plan: SitePlan, task: RenderTask): Renderer {
  const book = createAddressBook({
    pages: plan.pages.map((page) => page.path),
    pagesElsewhere: plan.pagesElsewhere,
    files: plan.assets,
    redirects: plan.redirects,
  })
  const specs = new Map<string, LoadedSpec | undefined>()
  const modules = new PageModules({
    root: plan.root,
    files: new Set(plan.readable),
    variables: plan.variables,
  })
  const pictures = new PictureSizes({ root: plan.root, files: new Set(plan.assets) })
  const tools: PageTools = {
    plan,
    pages: new Map(plan.pages.map((page) => [page.path, page])),
    book,
    modules,
    pictures,
    assets: task.assets,
    frame: rememberLast(createFrames(plan, book)),
    loadSpec: (file) => {
      if (!specs.has(file)) specs.set(file, readSpec(plan, file))
      return specs.get(file)
    },
  }
  const cache = task.cache && createPageCache(task.cache, tools)
  return {
    render: (index) => {
      const page = plan.pages[index]
      if (page === undefined) throw new Error(`The plan has no page ${index}.`)
      modules.used.clear()
      const known = cache?.find(page)
      if (known !== undefined) {
        if (task.write) known.place(plan.into)
        return known.page
      }
      modules.used.clear()
      pictures.used.clear()
      const compiled = compilePage(page, tools)
      const { html, markdown, indexed, ...rest } = compiled
      const rendered: RenderedPage =
        indexed === undefined ? rest : { ...rest, indexed: JSON.stringify(indexed) }
      const placed = cache?.keep(page, rendered, { html, markdown })
      if (task.write) {
        if (placed !== undefined) placed(plan.into)
        else {
          writeBundleFile(plan.into, `${page.path}.html`, html)
          writeBundleFile(plan.into, `${page.path}.md`, markdown)
        }
      }
      return rendered
    },
  }
}

/** The cache asks for a page's frame to name it, and the renderer asks for the same one right after. */
function rememberLast<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  let last: { key: Key; value: Value } | undefined
  return (key) => {
    if (last?.key !== key) last = { key, value: make(key) }
    return last.value
  }
}

function readSpec(plan: SitePlan, file: string): LoadedSpec | undefined {
  const fetched = plan.fetchedSpecs[file]
  const loaded = loadSpec({ file, text: fetched ?? readFileSync(join(plan.root, file), 'utf8') })
  return 'document' in loaded ? loaded : undefined
}

/** A page of which nothing can be shown. */
export function failedPage(
  plan: SitePlan,
  index: number,
  message: string,
): { failed: FailedPage; problem: Problem } {
  const page = plan.pages[index]
  const file = page?.from.type === 'file' ? page.from.file : (page?.from.operation.file ?? '')
  const hint = 'Make the page simpler, or split it; the rest of the site was built.'
  const place = { file, line: 1, column: 1 }
  return {
    failed: { path: page?.path ?? '', ...place, message, hint },
    problem: { severity: 'error', code: 'page_failed', ...place, message, hint },
  }
}
