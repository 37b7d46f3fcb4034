import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { type PageMeta, readFrontmatter, readPageMeta } from './frontmatter.ts'
import { defined, type JsonObject } from './loose-json.ts'
import { mapInOrder } from './map-in-order.ts'
import type { Operation } from './openapi/index.ts'
import { ownText } from './own-text.ts'
import type { Placement } from './plan-navigation.ts'
import { type ProblemList, placeOfText } from './problems.ts'
import type { Settings } from './read-settings.ts'
import { readProjectText, type Source } from './read-source.ts'

/** A page of the site before it is rendered: small, so that a large site fits in memory. */
export type PlannedPage = {
  /** Without a slash in front and without an extension; the root page is `index`. */
  path: string
  from: PageOrigin
  meta: PageMeta
  title: string
  sidebarTitle: string
  /** Stands in the navigation and is shown there. */
  listed: boolean
  searchable: boolean
  /** May stand in the sitemap and in llms.txt. */
  indexed: boolean
  division?: number
  groups: string[]
  version?: string
  language?: string
  boost?: number
  /** The HTTP method beside the page's name. */
  method?: string
}

export type PageOrigin =
  | { type: 'file'; file: string; format: PageFormat; digest: string }
  | { type: 'operation'; operation: Operation }

export type PageFormat = 'mdx' | 'md'

/** A page file as the first look at it finds it. */
export type ScannedFile = {
  file: string
  format: PageFormat
  digest: string
  meta: PageMeta
  /** The first heading of the body, for pages without a title. */
  heading?: string
  imports: string[]
}

/** Reads every page file once, keeping only what the plan needs. */
export async function scanPageFiles(
  source: Source,
  files: string[],
  problems: ProblemList,
): Promise<ScannedFile[]> {
  return mapInOrder(files, async (file) => {
    const text = await readProjectText(source, file)
    const frontmatter = readFrontmatter(file, text, problems)
    const meta = readPageMeta(frontmatter.fields)
    const heading = meta.title === undefined ? firstHeading(text.slice(frontmatter.bodyOffset)) : undefined
    return {
      file,
      format: /\.mdx$/i.test(file) ? 'mdx' : 'md',
      digest: createHash('sha256').update(text).digest('base64url'),
      meta,
      imports: findImports(file, text),
      ...defined({ heading }),
    }
  })
}

/** Files that may be pages: not below a folder of snippets. */
export function isPageFile(path: string): boolean {
  return /\.mdx?$/i.test(path) && !/(?:^|\/)_?snippets\//.test(path)
}

export function pagePathOf(file: string): string {
  return file.replace(/\.mdx?$/i, '')
}

/** The address of a page without slashes around it: `guide/index` is at `guide`. */
export function addressOf(path: string): string {
  if (path === 'index') return ''
  return path.endsWith('/index') ? path.slice(0, -'/index'.length) : path
}

/** Brings files, specifications and placements together into the list of pages, in a fixed order. */
export function planPages(input: {
  settings: Settings
  scanned: ScannedFile[]
  operations: Map<string, Operation>
  placements: Placement[]
  isDefaultDivision(division: number): boolean
  problems: ProblemList
}): PlannedPage[] {
  const { settings, problems } = input
  const placements = choosePlacements(input.placements, input.isDefaultDivision)
  const pages: PlannedPage[] = []
  const imported = new Set(input.scanned.flatMap((page) => page.imports))
  for (const file of input.scanned) {
    const path = pagePathOf(file.file)
    const placement = placements.get(path)
    if (placement === undefined && imported.has(file.file)) continue
    const title = file.meta.title ?? file.heading ?? file.meta.sidebarTitle ?? humanize(path)
    if (file.meta.title === undefined && file.heading === undefined && !hasSpecification(file.meta)) {
      problems.add(
        { file: file.file, line: 1, column: 1 },
        {
          code: 'missing_title',
          message: `The page has no title and is called "${title}".`,
          hint: 'Add a frontmatter with a title: ---\\ntitle: "…"\\n---',
        },
      )
    }
    pages.push(
      finishPage(settings, placement, {
        path,
        from: { type: 'file', file: file.file, format: file.format, digest: file.digest },
        meta: file.meta,
        title,
      }),
    )
  }
  const written = new Set(pages.map((page) => page.path))
  for (const [path, operation] of input.operations) {
    if (written.has(path)) continue
    const meta = readPageMeta({ ...operation.metadata } as JsonObject)
    const title = meta.title ?? operation.title
    pages.push(
      finishPage(settings, placements.get(path), {
        path,
        from: { type: 'operation', operation },
        meta: { ...meta, deprecated: meta.deprecated || operation.deprecated },
        title,
        ...(operation.kind === 'operation' ? { method: operation.method } : {}),
      }),
    )
  }
  return pages.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** A page may stand in several versions or languages: the default one is its home, otherwise the first. */
function choosePlacements(
  all: Placement[],
  isDefault: (division: number) => boolean,
): Map<string, Placement> {
  const chosen = new Map<string, Placement>()
  for (const placement of all) {
    const before = chosen.get(placement.page)
    const better =
      before === undefined ||
      (before.hidden && !placement.hidden) ||
      (!isDefault(before.division) && isDefault(placement.division) && !placement.hidden)
    if (better) chosen.set(placement.page, placement)
  }
  return chosen
}

function finishPage(
  settings: Settings,
  placement: Placement | undefined,
  page: { path: string; from: PageOrigin; meta: PageMeta; title: string; method?: string },
): PlannedPage {
  const { meta } = page
  const hidden = meta.hidden ?? placement?.hidden ?? true
  const shown = placement !== undefined && !(meta.hidden ?? false) && !placement.hidden
  const visible = !hidden || settings.indexHidden || placement?.searchable === true
  const method = page.method ?? methodOf(meta)
  return {
    path: page.path,
    from: page.from,
    meta,
    title: page.title,
    sidebarTitle: meta.sidebarTitle ?? page.title,
    listed: shown,
    searchable: visible && !meta.noindex && (meta.searchable ?? placement?.searchable ?? true),
    indexed: visible && !meta.noindex,
    groups: placement?.groups ?? [],
    ...defined({
      division: placement?.division,
      version: placement?.version ?? meta.version,
      language: placement?.language,
      boost: meta.boost ?? placement?.boost,
      method,
    }),
  }
}

function methodOf(meta: PageMeta): string | undefined {
  const wanted = meta.openapi ?? meta.api
  const match = /(?:^|\s)(get|post|put|patch|delete|head|options|trace|webhook)\s+\S/i.exec(wanted ?? '')
  return match?.[1]?.toUpperCase()
}

function hasSpecification(meta: PageMeta): boolean {
  return [meta.openapi, meta.asyncapi, meta.openapiSchema].some((value) => value !== undefined)
}

/** `guide/getting-started` becomes "Getting started". */
export function humanize(path: string): string {
  const name = posix.basename(addressOf(path) === '' ? 'home' : addressOf(path)).replace(/[-_]+/g, ' ')
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

function firstHeading(body: string): string | undefined {
  const match = /^(?:\s*(?:import|export)\s.*\n|\s*\n)*\s*#\s+(.+?)\s*(?:\{#[^}]*\})?\s*$/m.exec(
    body.slice(0, 4000),
  )
  if (match === null || (match.index > 0 && body.slice(0, match.index).trim() !== '')) return undefined
  return ownText((match[1] ?? '').replace(/[*_`]/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
}

function findImports(file: string, text: string): string[] {
  if (!text.includes('import')) return []
  const found: string[] = []
  for (const match of text.matchAll(/^import\s[^;'"]*?from\s*["']([^"']+)["']/gm)) {
    if (match[1] !== undefined) found.push(ownText(resolveImport(file, match[1])))
  }
  return found
}

/** The path of an imported file in the project: `/` is the project's root. */
export function resolveImport(file: string, address: string): string {
  const path = address.startsWith('/') ? address.slice(1) : posix.join(posix.dirname(file), address)
  return posix.normalize(path)
}

/** Two files that would be the same page; the first keeps the address. */
export function reportDuplicates(
  pages: PlannedPage[],
  settings: Settings,
  problems: ProblemList,
): PlannedPage[] {
  const taken = new Map<string, PlannedPage>()
  return pages.filter((page) => {
    const key = page.path.toLowerCase()
    const other = taken.get(key)
    if (other === undefined) {
      taken.set(key, page)
      return true
    }
    const file = page.from.type === 'file' ? page.from.file : settings.configFile
    problems.add(
      page.from.type === 'file'
        ? { file, line: 1, column: 1 }
        : placeOfText(file, settings.configText, page.path),
      {
        severity: 'error',
        code: 'duplicate_page',
        message: `The address /${addressOf(page.path)} already belongs to ${other.from.type === 'file' ? other.from.file : 'an API page'}.`,
        hint: 'Rename one of the two.',
      },
    )
    return false
  })
}
