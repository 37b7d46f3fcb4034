import { h } from './content/element.ts'
import type { ComponentContext, PageView, SiteView, ThemeAssets } from './theme-api.ts'

export type Report = Parameters<ComponentContext['report']>[0]

/** A page's context for tests: ids are counted, links stay as they are, reports are kept. */
export function testContext(given: Partial<ComponentContext> = {}): ComponentContext & { reports: Report[] } {
  const used = new Map<string, number>()
  const reports: Report[] = []
  return {
    uniqueId(base) {
      const count = (used.get(base) ?? 0) + 1
      used.set(base, count)
      return count === 1 ? base : `${base}-${count}`
    },
    resolveHref: (href) => href,
    resolveAsset: (source) => source.replace(/^\//, ''),
    renderMarkdown: (markdown) => [h('p', null, markdown)],
    report: (problem) => void reports.push(problem),
    iconLibrary: 'fontawesome',
    reports,
    ...given,
  }
}

export function testSite(given: Partial<SiteView> = {}): SiteView {
  return {
    name: 'Harbor',
    description: 'Documentation of Harbor.',
    colors: { primary: '#4338ca' },
    background: {},
    appearance: { default: 'system', strict: false },
    fonts: {},
    iconLibrary: 'fontawesome',
    codeBlockTheme: 'system',
    footer: { socials: [], columns: [] },
    contextualOptions: [],
    feedback: false,
    searchPrompt: '',
    stylesheets: [],
    scripts: [],
    metatags: [],
    ...given,
  }
}

export function testPage(given: Partial<PageView> = {}): PageView {
  return {
    path: 'guide/start',
    title: 'Start',
    sidebarTitle: 'Start',
    description: '',
    mode: 'default',
    deprecated: false,
    language: 'en',
    direction: 'ltr',
    relativeRoot: '../',
    noindex: false,
    metatags: [],
    content: { type: 'root', children: [] },
    tableOfContents: [],
    sidebar: [],
    tabs: [],
    anchors: [],
    dropdowns: [],
    products: [],
    versions: [],
    languages: [],
    navbar: { links: [] },
    breadcrumbs: [],
    markdownHref: 'start.md',
    needs: { mermaid: false, math: false },
    ...given,
  }
}

export const testAssets: ThemeAssets = {
  stylesheet: '_quire/assets/quire.css',
  headScript: '_quire/assets/head.js',
  script: '_quire/assets/quire.js',
  searchScript: '_quire/assets/search.js',
  mathStylesheet: '_quire/assets/math.css',
  mermaidScript: '_quire/assets/mermaid.js',
  fonts: [],
  monoFont: 'fonts/mono.woff2',
}
