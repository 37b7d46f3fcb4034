import { bundleFolder, type Manifest, type ManifestEntry } from './bundle-api.ts'

/** What a reader would notice between two bundles. Pages are named by their path, without an extension. */
export type BundleDiff = {
  same: boolean
  pages: {
    added: string[]
    removed: string[]
    /** The same content at another address. */
    moved: { from: string; to: string }[]
    changed: string[]
    /** The content is the same; what stands around it, such as navigation or theme, is not. */
    reframed: string[]
  }
  assets: { added: string[]; removed: string[]; changed: string[] }
  /** Files that follow from the rest: theme, search index, lists of pages. */
  derived: { added: string[]; removed: string[]; changed: string[] }
}

/** Compares two bundles by their manifests alone: what has the same digest is the same. */
export function diffBundles(before: Manifest, after: Manifest): BundleDiff {
  const old = filesOf(before)
  const current = filesOf(after)
  const pages: BundleDiff['pages'] = { added: [], removed: [], moved: [], changed: [], reframed: [] }
  for (const page of unionOf(old.pages, current.pages)) {
    const was = old.pages.get(page)
    const is = current.pages.get(page)
    if (was === undefined) pages.added.push(page)
    else if (is === undefined) pages.removed.push(page)
    else if (was.markdown !== is.markdown) pages.changed.push(page)
    else if (was.html !== is.html) pages.reframed.push(page)
  }
  findMoves(pages, old.pages, current.pages)
  return {
    same: before.digest === after.digest,
    pages,
    assets: diffFiles(old.assets, current.assets),
    derived: diffFiles(old.derived, current.derived),
  }
}

type Page = { html: string; markdown: string }

/** A page is an HTML file with a Markdown twin; an HTML file without one is an asset of the project. */
function filesOf(manifest: Manifest) {
  const all = new Map(manifest.files.map((file) => [file.path, file]))
  const pages = new Map<string, Page>()
  const assets = new Map<string, ManifestEntry>()
  const derived = new Map<string, ManifestEntry>()
  for (const file of manifest.files) {
    const page = /^(.+)\.(html|md)$/.exec(file.path)?.[1]
    const html = page === undefined ? undefined : all.get(`${page}.html`)
    const markdown = page === undefined ? undefined : all.get(`${page}.md`)
    if (file.path.startsWith(`${bundleFolder}/`) || derivedFiles.test(file.path)) derived.set(file.path, file)
    else if (page !== undefined && html !== undefined && markdown !== undefined)
      pages.set(page, { html: html.sha256, markdown: markdown.sha256 })
    else assets.set(file.path, file)
  }
  return { pages, assets, derived }
}

function findMoves(pages: BundleDiff['pages'], old: Map<string, Page>, current: Map<string, Page>): void {
  const leftBy = Map.groupBy(pages.removed, (page) => old.get(page)?.markdown)
  for (const to of [...pages.added]) {
    const from = leftBy.get(current.get(to)?.markdown)?.shift()
    if (from === undefined) continue
    pages.moved.push({ from, to })
    pages.added.splice(pages.added.indexOf(to), 1)
    pages.removed.splice(pages.removed.indexOf(from), 1)
  }
}

function diffFiles(old: Map<string, ManifestEntry>, current: Map<string, ManifestEntry>) {
  const difference: BundleDiff['assets'] = { added: [], removed: [], changed: [] }
  for (const path of unionOf(old, current)) {
    const was = old.get(path)
    const is = current.get(path)
    if (was === undefined) difference.added.push(path)
    else if (is === undefined) difference.removed.push(path)
    else if (was.sha256 !== is.sha256) difference.changed.push(path)
  }
  return difference
}

const unionOf = (old: Map<string, unknown>, current: Map<string, unknown>) =>
  [...new Set([...old.keys(), ...current.keys()])].sort()

const derivedFiles = /^(404\.(html|md)|llms(-full)?\.txt|sitemap\.xml|robots\.txt)$/
