import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { entryOf, type ManifestEntry, packKey, packMember, withFolder } from '../bundle/index.ts'
import { recordPage } from '../search/index.ts'
import type { IndexedPage } from '../search/search-api.ts'
import type { ThemeAssets } from '../theme/theme-api.ts'
import { createAddressBook } from './address-book.ts'
import { type CompiledPage, compilePage, type PageTools } from './compile-page.ts'
import type { FailedPage, Problem } from './compiler-api.ts'
import { defined } from './loose-json.ts'
import { type LoadedSpec, loadSpec } from './openapi/index.ts'
import { createFrames } from './page-view.ts'
import { PageModules } from './passes/page-modules.ts'
import { PictureSizes } from './picture-sizes.ts'
import type { PlannedPage } from './plan-pages.ts'
import type { IndexedWords } from './search-spool.ts'
import type { SitePlan } from './site-plan.ts'

/** What all workers of one build share beside the plan. */
export type RenderTask = {
  assets: ThemeAssets
  /** Where pages are written to. */
  folder?: string
  /** Whether pages are handed over compressed, for an archive and for the builds to come. */
  pack: boolean
}

/** What is left of a page when its files are written: small enough to keep for every page. */
export type RenderedPage = Omit<CompiledPage, 'html' | 'markdown' | 'indexed'> & {
  /** The page's files with their digests; none where the page failed. */
  files: ManifestEntry[]
  /** The page's words for the search index. */
  indexed?: IndexedWords
  /** The page's files as the archive holds them, with what they were made from. */
  packed?: PackedPage
  failed?: FailedPage
}

export type PackedPage = {
  /** One for each of the page's files. */
  members: Uint8Array[]
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
      if (task.folder === undefined && !task.pack) return { ...rest, files: [] }
      const made = [
        { path: `${page.path}.html`, bytes: encoder.encode(htmlText) },
        { path: `${page.path}.md`, bytes: encoder.encode(markdownText) },
      ]
      if (task.folder !== undefined)
        for (const { path, bytes } of made) writePage(join(task.folder, path), bytes)
      const files = made.map(({ path, bytes }) => entryOf(path, bytes))
      const pack = () => made.map(({ bytes }, at) => packMember(files[at] as ManifestEntry, bytes))
      return {
        ...rest,
        files,
        ...defined({
          indexed: indexed && countWords(indexed),
          packed: task.pack ? { members: pack(), ...madeFrom(page, tools) } : undefined,
        }),
      }
    },
  }
}

function countWords(page: IndexedPage): IndexedWords {
  const record = recordPage(page)
  return { record, digest: packKey(record) }
}

function writePage(file: string, bytes: Uint8Array): void {
  withFolder(file, () => writeFileSync(file, bytes))
}

function madeFrom(
  page: PlannedPage,
  { modules, pictures }: PageTools,
): Pick<PackedPage, 'includes' | 'pictures'> {
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
  const read = (path: string) => readFileSync(join(plan.root, path), 'utf8')
  const readable = new Set(plan.readable)
  const readFile = (path: string) => (readable.has(path) ? read(path) : undefined)
  const loaded = loadSpec({ file, text: fetched ?? read(file), readFile })
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
