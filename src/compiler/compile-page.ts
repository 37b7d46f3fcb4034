import type { ElementContent } from 'hast'
import type { IndexedPage, IndexedSection } from '../search/search-api.ts'
import type { EndpointModel } from '../theme/endpoint/endpoint-api.ts'
import { renderEndpoint, renderPage } from '../theme/index.ts'
import type { PageView, ThemeAssets } from '../theme/theme-api.ts'
import type { AddressBook } from './address-book.ts'
import type { Problem } from './compiler-api.ts'
import { endpointSettings, manualApi } from './endpoint-settings.ts'
import { defined } from './loose-json.ts'
import {
  endpointFromApiFrontmatter,
  endpointMarkdown,
  endpointModel,
  endpointSearchSections,
  type LoadedSpec,
} from './openapi/index.ts'
import type { PageFrame } from './page-view.ts'
import { directoryListing } from './passes/directory-listing.ts'
import { type FeedItem, feedItems } from './passes/feed-items.ts'
import type { AnchorUse } from './passes/page-links.ts'
import type { PageModule, PageModules } from './passes/page-modules.ts'
import { ContentRenderer } from './passes/render-content.ts'
import { searchSections } from './passes/search-sections.ts'
import { tableOfContents } from './passes/table-of-contents.ts'
import { toMarkdown } from './passes/to-markdown.ts'
import type { PictureSizes } from './picture-sizes.ts'
import type { PlannedPage } from './plan-pages.ts'
import { ProblemList } from './problems.ts'
import type { SitePlan } from './site-plan.ts'

/** A page as it goes into the bundle, with what the rest of the build needs to know of it. */
export type CompiledPage = {
  path: string
  html: string
  markdown: string
  indexed?: IndexedPage
  /** Ids that links may lead to. */
  ids: string[]
  anchorUses: AnchorUse[]
  linkTexts: { page: string; text: string }[]
  feed: FeedItem[]
  needs: { mermaid: boolean; math: boolean }
  problems: Problem[]
}

export type PageTools = {
  plan: SitePlan
  pages: ReadonlyMap<string, PlannedPage>
  book: AddressBook
  modules: PageModules
  pictures: PictureSizes
  assets: ThemeAssets
  frame(page: PlannedPage): PageFrame
  loadSpec(file: string): LoadedSpec | undefined
}

/** Renders one page: its content, what stands around it, its Markdown and its words for the search. */
export function compilePage(page: PlannedPage, tools: PageTools): CompiledPage {
  const { plan } = tools
  const problems = new ProblemList()
  const module = loadModule(page, tools, problems)
  const { view, site, banner } = tools.frame(page)
  const renderer = new ContentRenderer({
    pagePath: page.path,
    title: page.title,
    module,
    modules: tools.modules,
    addressBook: tools.book,
    iconLibrary: plan.site.iconLibrary,
    language: view.language,
    problems,
    siteUrl: plan.siteUrl,
  })
  const written = renderer.render()
  const endpoint = buildEndpoint(page, tools, written)
  const reference =
    endpoint === undefined
      ? undefined
      : renderEndpoint(endpoint, renderer.context, {
          shownDescription: view.description || describe(endpoint),
          hasRequestExample: hasExample(written, 'request'),
          hasResponseExample: hasExample(written, 'response'),
        })
  const missing = plan.endpoints[page.path]
  const notice = missing?.type === 'missing' ? renderer.renderMarkdown(missing.markdown) : []
  const content: ElementContent[] = [
    ...(reference?.bar ?? []),
    ...withCredentials(written, reference?.credentials ?? []),
    ...notice,
    ...(reference?.main ?? []),
    ...directoryListing(page, plan.navigation, tools.pages, renderer.context),
  ]
  const contents = tableOfContents(content)
  const feed = feedItems(content)
  const pageView: PageView = {
    ...view,
    description: view.description || describe(endpoint),
    content: { type: 'root', children: content },
    tableOfContents: contents,
    needs: renderer.needs,
    imageSize: tools.pictures.seenFrom(page.path),
    ...defined({
      aside: reference === undefined ? undefined : reference.aside,
      feedHref: feed.length === 0 ? undefined : `${view.relativeRoot}${page.path}.xml`,
    }),
  }
  const siteView =
    banner === undefined
      ? site
      : {
          ...site,
          banner: {
            content: inlineOnly(renderer.renderMarkdown(banner)),
            dismissible: plan.chrome.banner?.dismissible ?? false,
          },
        }
  const html = renderPage(pageView, siteView, tools.assets)
  const body = [...written, ...notice]
  const sections = [...searchSections(body), ...(endpoint === undefined ? [] : endpointSections(endpoint))]
  return {
    path: page.path,
    html,
    markdown: pageMarkdown(page, body, endpoint),
    ids: collectIds(content, renderer.ids.all()),
    anchorUses: renderer.links.anchorUses,
    linkTexts: renderer.links.linkTexts,
    feed,
    needs: renderer.needs,
    problems: problems.sorted(),
    ...defined({ indexed: page.searchable ? indexedPage(page, pageView, sections) : undefined }),
  }
}

function loadModule(page: PlannedPage, { modules }: PageTools, problems: ProblemList): PageModule {
  const module =
    page.from.type === 'file'
      ? modules.parse(page.from.file, modules.readText(page.from.file))
      : modules.parse(
          `${page.from.operation.file}`.replace(/\.(?:json|ya?ml)$/, '.mdx'),
          page.from.operation.content ?? '',
        )
  problems.addAll(module.problems)
  return module
}

/** They stand after what introduces the page, and before its first heading or field. */
function withCredentials(written: ElementContent[], credentials: ElementContent[]): ElementContent[] {
  const found = written.findIndex(
    (node) => node.type === 'element' && (/^h[1-6]$/.test(node.tagName) || node.data?.part?.kind === 'field'),
  )
  const at = found === -1 ? written.length : found
  return [...written.slice(0, at), ...credentials, ...written.slice(at)]
}

function buildEndpoint(
  page: PlannedPage,
  tools: PageTools,
  content: readonly ElementContent[],
): EndpointModel | undefined {
  const planned = tools.plan.endpoints[page.path]
  const settings = endpointSettings(tools.plan.api)
  if (planned?.type === 'operation') {
    const spec = tools.loadSpec(planned.operation.file)
    return spec && endpointModel(spec, planned.operation, settings)
  }
  if (planned?.type !== 'manual') return undefined
  return endpointFromApiFrontmatter({
    api: planned.api,
    title: page.title,
    description: '',
    deprecated: page.meta.deprecated,
    manual: manualApi(tools.plan.api),
    content,
    settings,
    ...defined({ authMethod: page.meta.authMethod }),
  })
}

function hasExample(nodes: ElementContent[], place: 'request' | 'response'): boolean {
  return nodes.some((node) => {
    const part = node.type === 'element' ? node.data?.part : undefined
    return part?.kind === 'aside' && part.place === place
  })
}

function describe(endpoint: EndpointModel | undefined): string {
  if (endpoint === undefined) return ''
  const first = endpoint.description.split(/\n\s*\n/)[0] ?? ''
  return first.length <= 300 && !/[#|`<*_[\]]/.test(first) ? first.replace(/\s+/g, ' ') : ''
}

function pageMarkdown(
  page: PlannedPage,
  body: ElementContent[],
  endpoint: EndpointModel | undefined,
): string {
  const head = [
    `# ${page.title}`,
    page.meta.description === '' ? '' : `> ${page.meta.description.replace(/\s+/g, ' ')}`,
  ]
  const parts = [
    ...head,
    toMarkdown(body).trim(),
    endpoint === undefined ? '' : endpointMarkdown(endpoint).trim(),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function endpointSections(endpoint: EndpointModel): IndexedSection[] {
  return endpointSearchSections(endpoint).map(({ heading, anchor, text }) => ({
    heading,
    text,
    code: [],
    ...(anchor === '' ? {} : { anchor }),
  }))
}

function indexedPage(page: PlannedPage, view: PageView, sections: IndexedSection[]): IndexedPage {
  return {
    path: page.path,
    title: page.title,
    description: view.description,
    sections,
    ...defined({
      version: page.version,
      language: page.language,
      tag: page.meta.tag,
      boost: page.boost,
    }),
  }
}

/** Every id in the page: those of headings and components, and those an author wrote. */
function collectIds(nodes: readonly ElementContent[], known: string[]): string[] {
  const ids = new Set(known)
  const visit = (node: ElementContent) => {
    if (node.type !== 'element') return
    const { id, name } = node.properties
    if (typeof id === 'string') ids.add(id)
    if (node.tagName === 'a' && typeof name === 'string') ids.add(name)
    for (const child of node.children) visit(child)
  }
  for (const node of nodes) visit(node)
  return [...ids]
}

function inlineOnly(nodes: ElementContent[]): ElementContent[] {
  const [only] = nodes
  return nodes.length === 1 && only?.type === 'element' && only.tagName === 'p' ? only.children : nodes
}
