import type { ElementContent, Root } from 'hast'

/**
 * Markup that the theme itself wrote (icons, highlighted code, formulas). Only the theme may make one: the serializer
 * prints `value` as it stands, and drops the `raw` nodes that an author's HTML would arrive in.
 */
export type TrustedHtml = {
  type: 'trustedHtml'
  value: string
  /** The same as plain words, for whoever reads the tree instead of the page. */
  text: string
  data?: Record<string, unknown>
}

declare module 'hast' {
  interface ElementContentMap {
    trustedHtml: TrustedHtml
  }
  interface RootContentMap {
    trustedHtml: TrustedHtml
  }
}

/**
 * A component of the docs format. Props arrive evaluated (JSX inside a prop arrives as a hast Root), children as hast.
 * It accepts every form people write (`cols="2"`, `cols={2}`, `horizontal`, `horizontal="true"`) and never throws:
 * what it cannot use it reports.
 */
export type Component = (call: ComponentCall) => ElementContent[]

export type ComponentCall = {
  /** As written: `Card`, `Tree.Folder`. */
  name: string
  props: Record<string, unknown>
  children: ElementContent[]
  page: ComponentContext
}

export type ComponentContext = {
  /** An id that no other element of the page has. */
  uniqueId(base: string): string
  /** A link as written on the page, turned into what stands in the HTML: relative, or absolute when foreign. */
  resolveHref(href: string): string
  /** Likewise for images, videos and other files of the project. */
  resolveAsset(source: string): string
  /** Markdown inside a prop, such as a card's description or a field of an OpenAPI document. */
  renderMarkdown(markdown: string): ElementContent[]
  report(problem: { severity?: 'error' | 'warning'; code: string; message: string; hint: string }): void
  iconLibrary: IconLibrary
  /** The page's, for the words that components say themselves; English where it is not given. */
  language?: string
}

export type IconLibrary = 'fontawesome' | 'lucide' | 'tabler'

/** A field that a page describes, as its `ParamField` was written. */
export type WrittenField = {
  /** `path`, `query`, `body`, `header` or `cookie`. */
  location: string
  name: string
  type: string
  required: boolean
  defaultValue?: string
}

/** Hrefs in these views are relative to the page or absolute when foreign: the theme writes them as they are. */
export type Link = { label: string; href: string; icon?: string; external: boolean }

export type NavigationNode =
  | {
      type: 'page'
      label: string
      href: string
      active: boolean
      icon?: string
      tag?: string
      method?: string
      deprecated?: boolean
      external: boolean
    }
  | {
      type: 'group'
      label: string
      icon?: string
      tag?: string
      /** The page of the group itself (`root`). */
      href?: string
      active: boolean
      /** True when it holds the current page or asks to be open. */
      expanded: boolean
      /** Its pages are left out; `href` leads to the first of them, where the group is open. */
      closed?: boolean
      /** Where in the section's shared file its pages are. */
      place?: string
      children: NavigationNode[]
    }

export type Switch = {
  label: string
  href: string
  active: boolean
  icon?: string
  description?: string
  tag?: string
}

export type SiteView = {
  name: string
  description: string
  /** Paths inside the bundle, without a slash in front; PageView.relativeRoot leads to them. */
  logo?: { light: string; dark: string; href?: string }
  favicon?: string
  colors: { primary: string; light?: string; dark?: string }
  background: { light?: string; dark?: string; decoration?: string; imageLight?: string; imageDark?: string }
  appearance: { default: 'system' | 'light' | 'dark'; strict: boolean }
  fonts: { heading?: FontView; body?: FontView }
  iconLibrary: IconLibrary
  codeBlockTheme: 'system' | 'dark'
  footer: { socials: { name: string; href: string }[]; columns: { header: string; links: Link[] }[] }
  banner?: { content: ElementContent[]; dismissible: boolean }
  contextualOptions: string[]
  feedback: boolean
  searchPrompt: string
  /** The project's own stylesheets, as paths inside the bundle. */
  stylesheets: string[]
  /** The project's own scripts; empty unless the site switches them on. */
  scripts: string[]
  metatags: { name: string; content: string }[]
}

export type FontView = { family: string; weight?: string; source?: string; format?: string }

export type PageView = {
  path: string
  title: string
  sidebarTitle: string
  description: string
  mode: 'default' | 'wide' | 'custom' | 'frame' | 'center'
  tag?: string
  deprecated: boolean
  language: string
  direction: 'ltr' | 'rtl'
  /** `''`, `../`, `../../`: from this page's file to the bundle's root. */
  relativeRoot: string
  /** Extensionless and absolute where the site's address is known. */
  canonicalUrl?: string
  noindex: boolean
  metatags: { name: string; content: string }[]
  content: Root
  /** Shown beside the content on wide screens: request and response examples, Panel. */
  aside?: ElementContent[]
  tableOfContents: { depth: number; id: string; label: string }[]
  sidebar: NavigationNode[]
  /** The section's name where its sidebar is too large for every page, so that a shared file holds it whole. */
  section?: string
  tabs: Switch[]
  /** Links above the sidebar (anchors, global anchors). */
  anchors: Switch[]
  dropdowns: Switch[]
  products: Switch[]
  versions: Switch[]
  languages: Switch[]
  navbar: { links: Link[]; primary?: Link & { kind: 'button' | 'github' } }
  breadcrumbs: { label: string; href?: string }[]
  previous?: { label: string; href: string }
  next?: { label: string; href: string }
  editUrl?: string
  lastUpdated?: string
  markdownHref: string
  /** A feed of this page's updates, where it is a changelog. */
  feedHref?: string
  /** The size of a picture by its address as it stands in the page: known sizes keep the page from jumping. */
  imageSize?: (source: string) => { width: number; height: number } | 'missing' | undefined
  /** True while the page needs these renderers, loaded on such pages only. */
  needs: { mermaid: boolean; math: boolean }
}

/** What a page loads, as paths inside the bundle; `files` are to be written into it. */
export type ThemeAssets = {
  stylesheet: string
  /** Runs before the first paint: colour scheme, and the mark that scripts are on. */
  headScript: string
  script: string
  /** The search engine, loaded when the reader first opens the search. */
  searchScript: string
  mathStylesheet: string
  mermaidScript: string
  /** Preloaded, because text is drawn with them at once. */
  fonts: string[]
  monoFont: string
}

export type ThemeFile = { path: string; content: Uint8Array }
