import type { SiteView } from '../theme/theme-api.ts'
import type { JsonObject } from './loose-json.ts'
import type { Operation } from './openapi/index.ts'
import type { Navigation } from './plan-navigation.ts'
import type { PlannedPage } from './plan-pages.ts'
import type { ChromeSettings } from './read-settings.ts'
import type { Redirect } from './redirects.ts'

/** Everything a page needs to be rendered, as plain data: it is handed to every worker once. */
export type SitePlan = {
  root: string
  siteUrl?: string
  name: string
  /** Pages of this bundle in the order of the navigation; hidden ones come last. */
  pages: PlannedPage[]
  /** Pages of the project that this bundle leaves out. */
  pagesElsewhere: string[]
  navigation: Navigation
  home: string
  /** Every file that a page may read: pages, snippets, components. */
  readable: string[]
  /** Files that are published at their own paths. */
  assets: string[]
  redirects: Redirect[]
  variables: Record<string, string>
  site: SiteView
  chrome: ChromeSettings
  /** What stands before a page's file in the address where it is edited. */
  editBase?: string
  timestamps: boolean
  api: JsonObject
  /** What the API pages show, by page. */
  endpoints: Record<string, PlannedEndpoint>
  /** Specifications that came from an address: their texts, by address. */
  fetchedSpecs: Record<string, string>
}

export type PlannedEndpoint =
  | { type: 'operation'; operation: Operation }
  | { type: 'missing'; markdown: string }
  | { type: 'manual'; api: string }
