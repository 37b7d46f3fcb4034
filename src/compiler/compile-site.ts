import { mkdir, rm } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import {
  type ManifestEntry,
  type SiteIndex,
  searchFolder,
  settingsFile,
  settingsScript,
  siteIndexFile,
  standaloneSettings,
  writeManifest,
} from '../bundle/index.ts'
import { writeIndex } from '../search/index.ts'
import { mathFiles, mermaidFiles, renderFailedPage, themeAssets } from '../theme/index.ts'
import { createAddressBook } from './address-book.ts'
import { writeBundleFile } from './bundle-files.ts'
import { checkAnchors, correctAnchors } from './check-anchors.ts'
import { checkRedirects } from './check-redirects.ts'
import type { FailedPage, Problem } from './compiler-api.ts'
import { copyAssets } from './copy-assets.ts'
import { defined } from './loose-json.ts'
import { createPageCache, type PageCache } from './page-cache.ts'
import { createFrames } from './page-view.ts'
import { planSite } from './plan-site.ts'
import { ProblemList } from './problems.ts'
import { readSettings } from './read-settings.ts'
import { readSource } from './read-source.ts'
import { createPageTools, type RenderedPage } from './render-pages.ts'
import { renderPages } from './render-pool.ts'
import { rendererName } from './renderer-name.ts'
import { SearchSpool } from './search-spool.ts'
import type { SitePlan } from './site-plan.ts'
import { writeExtraPages } from './write-extra-pages.ts'
import { writeMachineFiles } from './write-machine-files.ts'

export type CompileOptions = {
  /** The folder with docs.json or mint.json. */
  source: string
  /** An empty folder, where the bundle is written. */
  into: string
  /** For canonical and sitemap addresses. */
  siteUrl?: string
  /** The folder of the page cache; without one every page is rendered. */
  cache?: string
  /** Only these pages; an unknown one is a CompileError that names it. */
  paths?: string[]
  /** Only this version. */
  version?: string
  /** Threads that render; 0 renders in this thread. */
  workers?: number
  /** Whether the project's own scripts run in its pages. */
  customScripts?: boolean
  /** Fetches a specification that the project names by address; without it, such a specification is reported. */
  fetchSpec?: (url: string) => Promise<string>
  onProgress?: (progress: { pagesDone: number; pagesTotal: number }) => void
  signal?: AbortSignal
}

export type CompileResult = {
  name: string
  pageCount: number
  problems: Problem[]
  failedPages: FailedPage[]
  digest: string
}

/** Turns a docs project into a bundle. Throws a CompileError only where there is no site at all. */
export async function compileSite(options: CompileOptions): Promise<CompileResult> {
  const problems = new ProblemList()
  const source = await readSource(options.source, problems)
  const settings = await readSettings(source, problems)
  const plan = await planSite({
    source,
    settings,
    into: options.into,
    problems,
    customScripts: options.customScripts ?? false,
    ...defined({
      siteUrl: options.siteUrl,
      paths: options.paths,
      version: options.version,
      fetchSpec: options.fetchSpec,
    }),
  })
  const { files: themeFiles, ...assets } = themeAssets(plan.site)
  const renderer = await rendererName()
  await mkdir(join(options.into, '_quire'), { recursive: true })
  for (const file of themeFiles) writeBundleFile(options.into, file.path, file.content)
  const copying = copyAssets(plan, problems)
  const spool = new SearchSpool(join(options.into, '_quire', 'search.partial'))
  const pages = new PageRecords(plan)
  const files = new Map<string, ManifestEntry>()
  let pagesDone = 0
  const onPage = (index: number, page: RenderedPage) => {
    pages.add(index, page, problems)
    if (page.indexed !== undefined) spool.add(index, page.indexed)
    for (const file of page.files) files.set(file.path, file)
    pagesDone += 1
    options.onProgress?.({ pagesDone, pagesTotal: plan.pages.length })
  }
  const cache =
    options.cache === undefined
      ? undefined
      : createPageCache({ folder: options.cache, renderer }, createPageTools(plan, assets))
  try {
    await renderPages({
      plan,
      task: { assets, write: true, keep: cache !== undefined },
      indexes: await placeKnownPages(plan, cache, onPage, options.signal),
      workers: options.workers ?? threadsThatFit(),
      ...defined({ signal: options.signal }),
      onPage: (index, { whole, ...page }) => {
        const planned = plan.pages[index]
        if (whole !== undefined && planned !== undefined) cache?.keep(planned, page, whole)
        onPage(index, page)
      },
    })
  } finally {
    cache?.close()
  }
  await copying
  for (const path of correctAnchors(options.into, checkAnchors(pages, problems))) files.delete(path)
  checkRedirects(plan, settings, pages.ids, problems)
  writeFailedPages(plan, pages.failed, assets)
  if (pages.needs.math) for (const file of mathFiles()) writeBundleFile(options.into, file.path, file.content)
  if (pages.needs.mermaid)
    for (const file of mermaidFiles()) writeBundleFile(options.into, file.path, file.content)
  writeExtraPages(plan, assets, settings.notFound)
  await writeMachineFiles(plan, pages.feeds)
  await writeIndex({
    pages: spool.pages((index) => plan.pages[index]?.path ?? '', pages.linkTexts),
    write: async (file) => writeBundleFile(options.into, `${searchFolder}/${file.path}`, file.content),
  })
  await spool.close()
  await rm(join(options.into, '_quire', 'search.partial'), { force: true })
  writeBundleFile(
    options.into,
    siteIndexFile,
    `${JSON.stringify({ ...siteIndexOf(plan), ...defined({ assistant: settings.assistant }) }, null, 1)}\n`,
  )
  writeBundleFile(options.into, settingsFile, settingsScript(standaloneSettings))
  const manifest = await writeManifest({
    folder: options.into,
    name: plan.name,
    renderer: renderer.split('#')[0] ?? renderer,
    pageCount: plan.pages.length,
    known: files,
  })
  return {
    name: plan.name,
    pageCount: plan.pages.length,
    problems: problems.sorted(),
    failedPages: pages.failed,
    digest: manifest.digest,
  }
}

/** Finds the author's mistakes without writing a bundle. */
export async function checkSite(options: { source: string }): Promise<Problem[]> {
  const problems = new ProblemList()
  const source = await readSource(options.source, problems)
  const settings = await readSettings(source, problems)
  const plan = await planSite({ source, settings, into: '', problems, customScripts: false })
  const { files: _files, ...assets } = themeAssets(plan.site)
  const pages = new PageRecords(plan)
  await renderPages({
    plan,
    task: { assets, write: false, keep: false },
    indexes: [...plan.pages.keys()],
    workers: Math.min(4, availableParallelism()),
    onPage: (index, page) => pages.add(index, page, problems),
  })
  checkAnchors(pages, problems)
  checkRedirects(plan, settings, pages.ids, problems)
  return problems.sorted()
}

/** Writes the pages that the cache knows into the bundle, and answers which ones are left to render. */
async function placeKnownPages(
  plan: SitePlan,
  cache: PageCache | undefined,
  onPage: (index: number, page: RenderedPage) => void,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  if (cache === undefined) return [...plan.pages.keys()]
  const missing: number[] = []
  for (const [index, planned] of plan.pages.entries()) {
    signal?.throwIfAborted()
    if (index % 50 === 49) await new Promise<void>((resolve) => setImmediate(resolve)) // A server goes on answering.
    const known = cache.find(planned)
    if (known === undefined) {
      missing.push(index)
      continue
    }
    writeBundleFile(plan.into, `${planned.path}.html`, known.html)
    writeBundleFile(plan.into, `${planned.path}.md`, known.markdown)
    onPage(index, known.page)
  }
  return missing
}

/** What is kept of every page while the others are rendered. */
export class PageRecords {
  readonly failed: FailedPage[] = []
  readonly needs = { mermaid: false, math: false }
  readonly feeds = new Map<string, RenderedPage['feed']>()
  readonly ids = new Map<string, Set<string>>()
  readonly anchorUses: RenderedPage['anchorUses'] = []
  readonly linkTexts = new Map<string, Set<string>>()
  readonly plan: SitePlan

  constructor(plan: SitePlan) {
    this.plan = plan
  }

  add(_index: number, page: RenderedPage, problems: ProblemList): void {
    problems.addAll(page.problems)
    if (page.failed !== undefined) this.failed.push(page.failed)
    if (page.needs.math) this.needs.math = true
    if (page.needs.mermaid) this.needs.mermaid = true
    if (page.feed.length > 0) this.feeds.set(page.path, page.feed)
    this.ids.set(page.path, new Set(page.ids))
    for (const use of page.anchorUses) this.anchorUses.push(use)
    for (const { page: target, text } of page.linkTexts) {
      const texts = this.linkTexts.get(target) ?? new Set<string>()
      texts.add(text)
      // The first of the alphabet stay, so that the order in which pages arrive does not matter.
      this.linkTexts.set(target, texts.size > 40 ? new Set([...texts].sort().slice(0, 20)) : texts)
    }
  }
}

function writeFailedPages(
  plan: SitePlan,
  failed: FailedPage[],
  assets: Parameters<typeof renderFailedPage>[2],
): void {
  if (failed.length === 0) return
  failed.sort((a, b) => (a.path < b.path ? -1 : 1))
  const book = createAddressBook({
    pages: plan.pages.map((page) => page.path),
    pagesElsewhere: plan.pagesElsewhere,
    files: plan.assets,
    redirects: plan.redirects,
  })
  const frame = createFrames(plan, book)
  for (const failure of failed) {
    const page = plan.pages.find((candidate) => candidate.path === failure.path)
    if (page === undefined) continue
    const { view, site } = frame(page)
    const full = {
      ...view,
      content: { type: 'root' as const, children: [] },
      tableOfContents: [],
      needs: { mermaid: false, math: false },
    }
    writeBundleFile(plan.into, `${page.path}.html`, renderFailedPage(full, site, assets, failure))
    writeBundleFile(
      plan.into,
      `${page.path}.md`,
      `# ${page.title}\n\nThis page could not be rendered: ${failure.message}\n`,
    )
  }
}

function siteIndexOf(plan: SitePlan): SiteIndex {
  const inOrder = (kind: 'version' | 'language') => [
    ...new Set(
      plan.navigation.divisions
        .filter((division) => division.kind === kind && !division.isGlobal)
        .map((division) => division.label),
    ),
  ]
  const chosen = (kind: 'version' | 'language') => {
    const all = plan.navigation.divisions.filter((division) => division.kind === kind && !division.isGlobal)
    return (all.find((division) => division.isDefault) ?? all[0])?.label
  }
  return {
    name: plan.name,
    description: plan.site.description,
    home: plan.home,
    ...defined({ defaultVersion: chosen('version'), defaultLanguage: chosen('language') }),
    versions: inOrder('version'),
    languages: inOrder('language'),
    pages: plan.pages.map((page) => ({
      path: page.path,
      title: page.title,
      description: page.meta.description,
      searchable: page.searchable,
      ...defined({ version: page.version, language: page.language, tag: page.meta.tag }),
    })),
    redirects: plan.redirects,
  }
}

/** As many threads as there are cores, at most four, and no more than the memory of the machine or its container holds. */
function threadsThatFit(): number {
  const memoryMb = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()) / 1024 ** 2
  return Math.max(1, Math.min(4, availableParallelism(), Math.floor(memoryMb / 400)))
}
