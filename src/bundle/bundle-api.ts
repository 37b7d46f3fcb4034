/**
 * The shape of a bundle: a folder of plain files, immutable and named by its content.
 *
 *   index.html, guide/install.html     one page each, relative links only
 *   index.md, guide/install.md         the same page as Markdown
 *   images/…                           the project's own assets, at their own paths
 *   _quire/assets/…                    the theme's styles and scripts, hashed names
 *   _quire/search/…                    the search index
 *   _quire/site.json                   SiteIndex: what the server needs to know of the pages
 *   _quire/sections.js                 where the sidebars of large sections are, if there are any
 *   _quire/settings.js                 the one small file that says which features are on
 *   _quire/manifest.json               Manifest: a digest of every other file
 */
export const bundleFolder = '_quire'
export const manifestFile = '_quire/manifest.json'
export const siteIndexFile = '_quire/site.json'
export const settingsFile = '_quire/settings.js'
export const searchFolder = '_quire/search'

export type ManifestEntry = { path: string; sizeBytes: number; sha256: string }

export type Manifest = {
  format: 1
  /** The renderer that wrote the bundle, such as `quire 0.1.0`. */
  renderer: string
  /** SHA-256 over the sorted `path`, `sizeBytes` and `sha256` of all files: the bundle's name by content. */
  digest: string
  name: string
  pageCount: number
  files: ManifestEntry[]
}

/** A page as the bundle lists it. `path` has no slash in front and no extension; the root page is `index`. */
export type BundlePage = {
  path: string
  title: string
  description: string
  /** Absent where the site has no versions or languages. */
  version?: string
  language?: string
  tag?: string
  /** False for hidden pages and those that ask not to be found. */
  searchable: boolean
}

export type SiteIndex = {
  name: string
  description: string
  /** The page that a reader sees first. */
  home: string
  defaultVersion?: string
  defaultLanguage?: string
  versions: string[]
  languages: string[]
  pages: BundlePage[]
  /** `from` may end in a wildcard (`/old/*`); both sides begin with a slash. */
  redirects: { from: string; to: string; permanent: boolean }[]
  /** What a chat may offer to begin with, and where readers find help when the pages have no answer. */
  assistant?: { starterQuestions: string[]; supportUrl?: string }
}

/**
 * What `_quire/settings.js` says to the page's scripts, as `globalThis.quireSettings`. It is the one file that a server
 * answers otherwise than the bundle holds it, so that one bundle serves every deployment.
 */
export type SiteSettings = {
  deployment: DeploymentType
  /** `bundle`: the index inside the bundle, which needs no server. */
  search: { type: 'bundle' } | { type: 'server'; endpoint: string; key?: string }
  assistant: { type: 'off' } | { type: 'server'; endpoint: string; key?: string }
  analytics: { type: 'off' } | { type: 'server'; endpoint: string; key?: string }
  playground: { type: 'on' } | { type: 'off' }
  /** Where readers may say whether a page helped; absent where nobody would store it. */
  feedback?: { endpoint: string }
}

export type DeploymentType = 'cloud' | 'client-hosted' | 'air-gapped'

/** What a bundle says of itself before a server says otherwise: it works from a plain folder, alone. */
export const standaloneSettings: SiteSettings = {
  deployment: 'client-hosted',
  search: { type: 'bundle' },
  assistant: { type: 'off' },
  analytics: { type: 'off' },
  playground: { type: 'on' },
}
