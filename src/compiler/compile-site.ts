import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import {
  type BundleWriter,
  FolderWriter,
  type ManifestEntry,
  memberKey,
  PackStore,
  type SiteIndex,
  searchFolder,
  settingsFile,
  settingsScript,
  siteIndexFile,
  standaloneSettings,
} from '../bundle/index.ts'
import type { PassageVectors } from '../search/index.ts'
import { mathFiles, mermaidFiles, renderFailedPage, themeAssets } from '../theme/index.ts'
import { createAddressBook } from './address-book.ts'
import { checkAnchors, correctAnchors } from './check-anchors.ts'
import { checkRedirects } from './check-redirects.ts'
import type { FailedPage, Problem } from './compiler-api.ts'
import { copyAssets } from './copy-assets.ts'
import { defined } from './loose-json.ts'
import { createPageCache, hasCachedPages, type PageCache } from './page-cache.ts'
import { createFrames } from './page-view.ts'
import { planSite } from './plan-site.ts'
import { ProblemList } from './problems.ts'
import { readSettings } from './read-settings.ts'
import { readSource } from './read-source.ts'
import { createPageTools, type RenderedPage } from './render-pages.ts'
import { prepareThreads, renderPages } from './render-pool.ts'
import { rendererName } from './renderer-name.ts'
import { SearchSpool } from './search-spool.ts'
import type { SitePlan } from './site-plan.ts'
import { writeExtraPages } from './write-extra-pages.ts'
import { writeMachineFiles } from './write-machine-files.ts'
import { writeSearchIndex } from './write-search-index.ts'

export type CompileOptions = {
  /** The folder with docs.json or mint.json. */
  source: string
  /** An empty folder where the bundle is written, or whoever else takes its files. */
  into: string | BundleWriter
  /** For canonical and sitemap addresses. */
  siteUrl?: string
  /** The folder of the page cache; without one, or where members are not kept, every page is rendered. */
  cache?: string
  /** Only these pages; an unknown one is a CompileError that names it. */
  paths?: string[]
  /** Only this version. */
  version?: string
  /** Threads that render; 0 renders in this thread. */
  workers?: number
  /** Threads that take less memory and a little more time, for a server. */
  thrifty?: boolean
  /** Whether the project's own scripts run in its pages. */
  customScripts?: boolean
  /** Fetches a specification that the project names by address; without it, such a specification is reported. */
  fetchSpec?: (url: string) => Promise<string>
  /** Makes vectors of the passages, which are written beside the search index. */
  vectors?: Pick<PassageVectors, 'take' | 'finish'>
  onProgress?: (progress: { pagesDone: number; pagesTotal: number }) => void
  /** Called when the pages can be read, before the search index and the texts for machines are made. */
  onReadable?: (result: CompileResult) => Promise<void>
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
  if (typeof options.into !== 'string') return compileInto(options.into, options)
  const members = options.cache === undefined ? undefined : new PackStore(join(options.cache, 'members'))
  try {
    return await compileInto(new FolderWriter(options.into, members), options)
  } finally {
    members?.close()
  }
}

async function compileInto(bundle: BundleWriter, options: CompileOptions): Promise<CompileResult> {
  const problems = new ProblemList()
  const source = await readSource(options.source, problems)
  const workers = options.workers ?? threadsThatFit()
  const size = options.thrifty ? 'thrifty' : 'quick'
  if (options.cache === undefined || !hasCachedPages(options.cache)) {
    const pages = [...source.files.keys()].filter((file) => /\.mdx?$/.test(file))
    prepareThreads(options.paths?.length ?? pages.length, workers, size)
  }
  const settings = await readSettings(source, problems)
  const plan = await planSite({
    source,
    settings,
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
  await writeAll(bundle, themeFiles)
  const pages = new PageRecords(plan)
  const linkTextsOf = (index: number) => pages.linkTexts.get(plan.pages[index]?.path ?? '') ?? []
  const spool = new SearchSpool(join(bundle.scratch, 'search.partial'), linkTextsOf)
  const copying = copyAssets(plan, bundle, problems)
  copying.catch(() => {}) // It is awaited, and its error thrown, when the pages are rendered.
  try {
    let pagesDone = 0
    const onPage = (index: number, page: RenderedPage) => {
      pages.add(index, page, problems)
      if (page.indexed !== undefined) spool.add(index, page.indexed)
      pagesDone += 1
      options.onProgress?.({ pagesDone, pagesTotal: plan.pages.length })
    }
    const cache =
      options.cache === undefined || bundle.members === undefined
        ? undefined
        : createPageCache({ folder: options.cache, renderer }, createPageTools(plan, assets))
    try {
      await renderPages({
        plan,
        task: { assets, pack: bundle.members !== undefined, ...defined({ folder: bundle.folder }) },
        indexes: await placeKnownPages(plan, { cache, bundle, onPage, signal: options.signal }),
        workers,
        size,
        ...defined({ signal: options.signal }),
        onPage: (index, { packed, ...page }) => {
          for (const [at, member] of packed?.members.entries() ?? [])
            bundle.members?.add(memberKey(page.files[at] as ManifestEntry), member)
          for (const file of page.files) bundle.note(file)
          const planned = plan.pages[index]
          if (packed !== undefined && planned !== undefined) cache?.keep(planned, page, packed)
          onPage(index, page)
        },
      })
    } finally {
      cache?.close()
    }
    await copying
    await correctAnchors(bundle, checkAnchors(pages, problems))
    checkRedirects(plan, settings, pages.ids, problems)
    await writeFailedPages(plan, bundle, pages.failed, assets)
    if (pages.needs.math) await writeAll(bundle, mathFiles())
    if (pages.needs.mermaid) await writeAll(bundle, mermaidFiles())
    await writeExtraPages(plan, bundle, assets, settings.notFound)
    const siteIndex = { ...siteIndexOf(plan), ...defined({ assistant: settings.assistant }) }
    await bundle.write(siteIndexFile, `${JSON.stringify(siteIndex, null, 1)}\n`)
    await bundle.write(settingsFile, settingsScript(standaloneSettings))
    const finish = async (): Promise<CompileResult> => {
      const manifest = await bundle.finish({
        name: plan.name,
        renderer: renderer.split('#')[0] ?? renderer,
        pageCount: plan.pages.length,
      })
      return {
        name: plan.name,
        pageCount: plan.pages.length,
        problems: problems.sorted(),
        failedPages: pages.failed,
        digest: manifest.digest,
      }
    }
    if (options.onReadable !== undefined) await options.onReadable(await finish())
    await writeMachineFiles(plan, bundle, pages.feeds)
    const { vectors } = options
    await writeSearchIndex({
      bundle,
      spool,
      renderer,
      signal: options.signal,
      onFile: vectors && ((file) => vectors.take(file)),
    })
    for (const file of (await vectors?.finish()) ?? [])
      await bundle.write(`${searchFolder}/${file.path}`, file.content)
    return await finish()
  } finally {
    // Also where the build failed: nobody reads or writes in its folders afterwards.
    await Promise.allSettled([copying])
    spool.close()
  }
}

async function writeAll(
  bundle: BundleWriter,
  files: readonly { path: string; content: string | Uint8Array }[],
): Promise<void> {
  for (const { path, content } of files) await bundle.write(path, content)
}

/** Finds the author's mistakes without writing a bundle. */
export async function checkSite(options: { source: string }): Promise<Problem[]> {
  const problems = new ProblemList()
  const source = await readSource(options.source, problems)
  const settings = await readSettings(source, problems)
  const plan = await planSite({ source, settings, problems, customScripts: false })
  const { files: _files, ...assets } = themeAssets(plan.site)
  const pages = new PageRecords(plan)
  await renderPages({
    plan,
    task: { assets, pack: false },
    indexes: [...plan.pages.keys()],
    workers: Math.min(4, availableParallelism()),
    size: 'quick',
    onPage: (index, page) => pages.add(index, page, problems),
  })
  checkAnchors(pages, problems)
  checkRedirects(plan, settings, pages.ids, problems)
  return problems.sorted()
}

/** Takes the pages that the cache knows into the bundle, and answers which ones are left to render. */
async function placeKnownPages(
  plan: SitePlan,
  input: {
    cache: PageCache | undefined
    bundle: BundleWriter
    onPage(index: number, page: RenderedPage): void
    signal: AbortSignal | undefined
  },
): Promise<number[]> {
  const { cache, bundle } = input
  if (cache === undefined) return [...plan.pages.keys()]
  const missing: number[] = []
  for (const [index, planned] of plan.pages.entries()) {
    input.signal?.throwIfAborted()
    if (index % 50 === 49) await new Promise<void>((resolve) => setImmediate(resolve)) // A server goes on answering.
    const known = cache.find(planned)
    if (known?.files.every((file) => bundle.keep(file))) input.onPage(index, known)
    else missing.push(index)
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

async function writeFailedPages(
  plan: SitePlan,
  bundle: BundleWriter,
  failed: FailedPage[],
  assets: Parameters<typeof renderFailedPage>[2],
): Promise<void> {
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
    await bundle.write(`${page.path}.html`, renderFailedPage(full, site, assets, failure))
    await bundle.write(
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
