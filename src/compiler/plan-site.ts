import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readEditBase } from './edit-base.ts'
import { defined, type Json } from './loose-json.ts'
import {
  expandSpec,
  findChannel,
  findOperation,
  findSchema,
  findSpec,
  type LoadedSpec,
  missingEndpoint,
  type Operation,
  operationPagePath,
} from './openapi/index.ts'
import { type Division, type Entry, isOperation, type Navigation, planNavigation } from './plan-navigation.ts'
import {
  isPageFile,
  type PlannedPage,
  pagePathOf,
  planPages,
  reportDuplicates,
  type ScannedFile,
  scanPageFiles,
} from './plan-pages.ts'
import { CompileError, type Place, type ProblemList, placeOfOffset, placeOfText } from './problems.ts'
import type { Settings } from './read-settings.ts'
import { normalizeText, type Source } from './read-source.ts'
import { isWildcard } from './redirects.ts'
import type { PlannedEndpoint, SitePlan } from './site-plan.ts'
import { createSiteView, publishedAssets, themeFilesOf } from './site-view.ts'
import { loadSpecs, readSpecSetting } from './spec-library.ts'

/** Decides what the site consists of, before anything is rendered. */
export async function planSite(input: {
  source: Source
  settings: Settings
  problems: ProblemList
  siteUrl?: string
  paths?: string[]
  version?: string
  customScripts: boolean
  fetchSpec?: (url: string) => Promise<string>
}): Promise<SitePlan> {
  const { source, settings, problems } = input
  const { specs, fetched } = await loadSpecs({
    source,
    settings,
    problems,
    ...defined({ fetchSpec: input.fetchSpec }),
  })
  const pageFiles = [...source.files.keys()].filter(isPageFile)
  const extraFiles = new Set<string>()
  const operations = new Map<string, Operation>()
  const findPage = createPageFinder(source, extraFiles)
  const { navigation, placements } = await planNavigation(settings, {
    findPage,
    operationPage: async (entry, specification) => operationPage(entry, specification),
    specificationEntries: async (node) => specificationEntries(node.openapi ?? node.asyncapi),
    reportMissing: (name) =>
      problems.add(placeOfEntry(settings, name), {
        severity: 'error',
        code: 'missing_page',
        message: isOperation(name)
          ? `No specification has "${name}".`
          : `The navigation names "${name}", but there is no such page.`,
        hint: isOperation(name)
          ? 'Correct the method and path, or add the specification.'
          : `Add the file ${name.replace(/^\/+/, '')}.mdx, or take the entry out of the navigation.`,
      }),
  })
  const scanned = await scanPageFiles(source, [...new Set([...pageFiles, ...extraFiles])].sort(), problems)
  const planned = planPages({
    settings,
    scanned,
    operations,
    placements,
    isDefaultDivision: (division) => isDefaultDivision(navigation, division),
    problems,
  })
  const unique = reportDuplicates(planned, settings, problems)
  const ordered = orderByNavigation(
    unique,
    placements.map((placement) => placement.page),
  )
  const chosen = choosePages(ordered, input)
  const rendered = new Set(chosen.map((page) => page.path))
  const themeFiles = themeFilesOf(source)
  const assets = [...publishedAssets(source), ...(input.customScripts ? themeFiles.scripts : [])]
  const specsOfPage = new Map<string, string[]>()
  for (const { page, specifications } of placements)
    specsOfPage.set(page, [
      ...(specsOfPage.get(page) ?? []),
      ...specifications.flatMap((setting) => readSpecSetting(setting).files),
    ])
  return {
    root: source.root,
    name: settings.name,
    pages: chosen,
    pagesElsewhere: ordered.filter((page) => !rendered.has(page.path)).map((page) => page.path),
    navigation,
    home: findHome(chosen, navigation),
    readable: readableFiles(source, scanned),
    assets,
    redirects: settings.redirects.filter(
      (redirect) => redirect.from !== redirect.to || isWildcard(redirect.from),
    ),
    variables: settings.variables,
    site: createSiteView({
      settings,
      source,
      assets,
      customScripts: input.customScripts,
      problems,
      ...themeFiles,
    }),
    chrome: settings.chrome,
    timestamps: settings.timestamps,
    api: settings.api,
    endpoints: Object.fromEntries(
      chosen.flatMap((page) => {
        const endpoint = planEndpoint(page, {
          root: source.root,
          specs,
          preferred: specsOfPage.get(page.path) ?? readSpecSetting(settings.api.openapi).files,
          problems,
        })
        return endpoint === undefined ? [] : [[page.path, endpoint]]
      }),
    ),
    fetchedSpecs: fetched,
    ...defined({
      siteUrl: input.siteUrl?.replace(/\/+$/, ''),
      editBase: readEditBase(settings.raw, source.root),
    }),
  }

  function operationPage(entry: string, specification: Json | undefined): string | undefined {
    const { files, directory } = readSpecSetting(specification)
    const operation = findOperation(specs, entry, { preferred: files })
    const spec = operation && specs.find((candidate) => candidate.file === operation.file)
    if (operation === undefined || spec === undefined) return undefined
    const path = operationPagePath(spec, operation, defined({ directory }))
    if (path !== undefined) operations.set(path, operation)
    return path
  }

  function specificationEntries(setting: Json | undefined): Entry[] {
    const { files, directory } = readSpecSetting(setting)
    const entries: Entry[] = []
    for (const file of files) {
      const spec = findSpec(specs, file)
      if (spec === undefined) {
        if (!/^https?:/i.test(file)) reportMissingSpec(file)
        continue
      }
      const { groups, hidden } = expandSpec(spec, defined({ directory }))
      for (const { operation, path } of hidden) operations.set(path, operation)
      for (const group of groups) {
        for (const { operation, path } of group.pages) operations.set(path, operation)
        entries.push({
          type: 'group',
          label: group.label,
          hidden: false,
          expanded: false,
          entries: group.pages.map(({ path }) => ({ type: 'page', page: path })),
        })
      }
    }
    return entries
  }

  function reportMissingSpec(file: string): void {
    problems.add(placeOfText(settings.configFile, settings.configText, JSON.stringify(file)), {
      severity: 'error',
      code: 'missing_spec',
      message: `The specification "${file}" is not in the project or cannot be read.`,
      hint: 'Give the path of an OpenAPI or AsyncAPI file, from the project’s root.',
    })
  }
}

/**
 * Names in the navigation may have a slash in front, an extension, or mean a folder's index page. Where no file has the
 * name in these letters, one in other letters is meant, as on disks that do not tell them apart.
 */
function createPageFinder(source: Source, extraFiles: Set<string>): (name: string) => string | undefined {
  const inAnyLetters = new Map<string, string>()
  for (const file of [...source.unlistedFiles.keys(), ...source.files.keys()])
    if (/\.mdx?$/i.test(file)) inAnyLetters.set(file.toLowerCase(), file)

  return (name) => {
    const plain = name.replace(/^\/+|\/+$/g, '').replace(/\.mdx?$/i, '')
    const files = (plain === '' ? ['index'] : [plain, `${plain}/index`]).flatMap((path) => [
      `${path}.mdx`,
      `${path}.md`,
    ])
    const found =
      files.find((file) => source.files.has(file) || source.unlistedFiles.has(file)) ??
      files.map((file) => inAnyLetters.get(file.toLowerCase())).find((file) => file !== undefined)
    if (found === undefined) return undefined
    const unlisted = source.unlistedFiles.get(found)
    if (unlisted !== undefined) source.files.set(found, unlisted)
    if (unlisted !== undefined || !isPageFile(found)) extraFiles.add(found)
    return pagePathOf(found)
  }
}

function placeOfEntry(settings: Settings, name: string) {
  return placeOfText(settings.configFile, settings.configText, JSON.stringify(name))
}

function isDefaultDivision(navigation: Navigation, division: number): boolean {
  for (let id = division; id > 0; ) {
    const current = navigation.divisions[id]
    if (current === undefined) return true
    if (current.kind === 'version' || current.kind === 'language') {
      const siblings = siblingsOf(navigation, current)
      const chosen = siblings.find((sibling) => sibling.isDefault) ?? siblings[0]
      if (chosen !== current) return false
    }
    id = current.parent
  }
  return true
}

function siblingsOf(navigation: Navigation, division: Division): Division[] {
  const children = navigation.divisions[division.parent]?.children ?? []
  return children
    .flatMap((id) => navigation.divisions[id] ?? [])
    .filter((child) => child.kind === division.kind)
}

function orderByNavigation(pages: PlannedPage[], order: string[]): PlannedPage[] {
  const rank = new Map<string, number>()
  for (const [index, path] of order.entries()) if (!rank.has(path)) rank.set(path, index)
  const rankOf = (page: PlannedPage) => rank.get(page.path) ?? Number.POSITIVE_INFINITY
  return [...pages].sort((a, b) => {
    const [left, right] = [rankOf(a), rankOf(b)]
    return left === right ? (a.path < b.path ? -1 : 1) : left - right
  })
}

function choosePages(
  pages: PlannedPage[],
  input: { paths?: string[]; version?: string; settings: Settings },
): PlannedPage[] {
  let chosen = pages
  const refuse = (code: string, message: string, hint: string) =>
    new CompileError([
      { severity: 'error', code, file: input.settings.configFile, line: 1, column: 1, message, hint },
    ])
  if (input.version !== undefined) {
    const versions = [...new Set(pages.flatMap((page) => page.version ?? []))]
    if (!versions.includes(input.version)) {
      throw refuse(
        'unknown_version',
        `The site has no version "${input.version}".`,
        `It has: ${versions.join(', ') || 'no versions'}.`,
      )
    }
    chosen = chosen.filter((page) => page.version === undefined || page.version === input.version)
  }
  if (input.paths !== undefined) {
    const wanted = new Set<string>()
    for (const written of input.paths) {
      const plain = written.replace(/^\/+|\/+$/g, '').replace(/\.(?:mdx?|html)$/, '')
      const page = chosen.find(
        (candidate) =>
          candidate.path === plain || candidate.path === (plain === '' ? 'index' : `${plain}/index`),
      )
      if (page === undefined)
        throw refuse(
          'unknown_path',
          `The site has no page "${written}".`,
          'Give paths as they stand in the navigation.',
        )
      wanted.add(page.path)
    }
    chosen = chosen.filter((page) => wanted.has(page.path))
  }
  return chosen
}

function findHome(pages: PlannedPage[], navigation: Navigation): string {
  if (pages.some((page) => page.path === 'index')) return 'index'
  const inDefault = pages.find(
    (page) => page.listed && page.division !== undefined && isDefaultDivision(navigation, page.division),
  )
  return (inDefault ?? pages.find((page) => page.listed) ?? pages[0])?.path ?? 'index'
}

/** What a page may include: Markdown, code of components, and data. */
function readableFiles(source: Source, scanned: ScannedFile[]): string[] {
  const extra = scanned.map((page) => page.file)
  return [
    ...new Set([
      ...[...source.files.keys()].filter((file) =>
        /\.(?:mdx?|[jt]sx?|json|ya?ml|svg|png|jpe?g|gif|webp)$/i.test(file),
      ),
      ...extra,
    ]),
  ]
}

function planEndpoint(
  page: PlannedPage,
  input: { root: string; specs: LoadedSpec[]; preferred: string[]; problems: ProblemList },
): PlannedEndpoint | undefined {
  const { specs, preferred, problems } = input
  if (page.from.type === 'operation') return { type: 'operation', operation: page.from.operation }
  const { file } = page.from
  const { meta } = page
  const context = { from: file, preferred }
  const wanted = meta.openapi ?? meta.asyncapi ?? meta.openapiSchema
  if (wanted !== undefined) {
    const operation =
      meta.openapi !== undefined
        ? findOperation(specs, meta.openapi, context)
        : meta.asyncapi !== undefined
          ? findChannel(specs, meta.asyncapi, context)
          : findSchema(specs, meta.openapiSchema ?? '', context)
    if (operation !== undefined) {
      if (page.title === '' || meta.title === undefined) {
        page.title = operation.title
        page.sidebarTitle = meta.sidebarTitle ?? operation.title
      }
      return { type: 'operation', operation }
    }
    if (meta.openapi !== undefined && findSpec(specs, meta.openapi, context) !== undefined) return undefined
    const missing = missingEndpoint(wanted, { ...placeOfReference(input.root, file), specs })
    problems.addAll([missing.problem])
    if (missing.substitute !== undefined) return { type: 'operation', operation: missing.substitute }
    return { type: 'missing', markdown: missing.markdown }
  }
  return meta.api === undefined ? undefined : { type: 'manual', api: meta.api }
}

/** Where a page's frontmatter names an operation. */
function placeOfReference(root: string, file: string): Place {
  const text = normalizeText(readFileSync(join(root, file), 'utf8'))
  const line = /^["']?(?:openapi|asyncapi|openapi-schema)["']?:[ \t]*/m.exec(text)
  return line === null ? { file, line: 1, column: 1 } : placeOfOffset(file, text, line.index + line[0].length)
}
