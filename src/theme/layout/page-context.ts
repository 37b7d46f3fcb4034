import type { PageView, SiteView, ThemeAssets } from '../theme-api.ts'
import type { Words } from './words.ts'

/** Everything a piece of the layout may want to know. */
export type PageContext = { page: PageView; site: SiteView; assets: ThemeAssets; words: Words }
