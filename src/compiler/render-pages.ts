import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ManifestEntry, packKey } from '../bundle/index.ts'
import { recordPage } from '../search/index.ts'
import type { ThemeAssets } from '../theme/theme-api.ts'
import { createAddressBook } from './address-book.ts'
import { writeBundleFile } from './bundle-files.ts'
import type { FailedPage, Problem } from './compiler-api.ts'
import { type CompiledPage, compilePage, type PageTools } from './compile-page.ts'
import { defined } from './loose-json.ts'
import { type LoadedSpec, loadSpec } from './openapi/index.ts'
import { createFrames } from './page-view.ts'
import { PageModules } from './passes/page-modules.ts'
import { PictureSizes } from './picture-sizes.ts'
import type { PlannedPage } from './plan-pages.ts'
import type { SitePlan } from './site-plan.ts'

/** What all workers of one build share beside the plan. */
export type RenderTask = {
  assets: ThemeAssets
  /** False when only the problems are wanted. */
  write: boolean
  /** Whether pages are sent back whole, for the cache. */
  keep: boolean
}

/** What is left of a page when its files are written: small enough to keep for every page. */
export type RenderedPage = Omit<CompiledPage, 'html' | 'markdown' | 'indexed'> & {
  /** The page's files with their digests; none where the page failed. */
  files: ManifestEntry[]
  /** The page's words, counted for the search index. */
  indexed?: Uint8Array
  /** The whole page with what it was made from, on its way to the cache. */
  whole?: WholePage
  failed?: FailedPage
}

export type WholePage = {
  html: Uint8Array
  markdown: Uint8Array
  /** Files that the page reads beside its own, with the digest of each. */
  includes: [string, string][]
  /** Pictures with their sizes as they were. */
  pictures: [string, string][]
}

export type Renderer = { render(index: number): RenderedPage }

export function createPageTools(plan: SitePlan, assets: ThemeAssets): PageTools {
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
  return {
    plan,
    pages: new Map(plan.pages.map((page) => [page.path, page])),
    book,
    modules,
    pictures,
    assets,
    frame: rememberLast(createFrames(plan, book)),
    loadSpec: (file) => {
      if (!specs.has(file)) specs.set(file, readSpec(plan, file))
      return specs.get(file)
    },
  }
}

export function createRenderer(plan: SitePlan, task: RenderTask): Renderer {
  const tools = createPageTools(plan, task.assets)
  const { modules, pictures } = tools
  const encoder = new TextEncoder()
  return {
    render: (index) => {
      const page = plan.pages[index]
      if (page === undefined) throw new Error(`The plan has no page ${index}.`)
      modules.used.clear()
      pictures.used.clear()
      const compiled = compilePage(page, tools)
      const { html: htmlText, markdown: markdownText, indexed, ...rest } = compiled
      if (!task.write) return { ...rest, files: [] }
      const html = encoder.encode(htmlText)
      const markdown = encoder.encode(markdownText)
      writeBundleFile(plan.into, `${page.path}.html`, html)
      writeBundleFile(plan.into, `${page.path}.md`, markdown)
      return {
        ...rest,
        files: [fileEntry(`${page.path}.html`, html), fileEntry(`${page.path}.md`, markdown)],
        ...defined({
          indexed: indexed && recordPage(indexed),
          whole: task.keep ? { html, markdown, ...madeFrom(page, tools) } : undefined,
        }),
      }
    },
  }
}

function fileEntry(path: string, bytes: Uint8Array): ManifestEntry {
  return { path, sizeBytes: bytes.length, sha256: hash('sha256', bytes, 'hex') }
}

function madeFrom(
  page: PlannedPage,
  { modules, pictures }: PageTools,
): Pick<WholePage, 'includes' | 'pictures'> {
  const own = page.from.type === 'file' ? page.from.file : ''
  const includes: [string, string][] = []
  for (const [file, text] of modules.used) if (file !== own) includes.push([file, packKey(text)])
  return { includes: includes.sort(([a], [b]) => (a < b ? -1 : 1)), pictures: [...pictures.used] }
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
