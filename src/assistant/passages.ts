import type { SiteIndex } from '../bundle/bundle-api.ts'
import type { SearchFilter, SearchHit, SearchRequest } from '../search/search-api.ts'
import type { SearchEntry, Source } from './answer-event.ts'
import { pageUrl } from './site-address.ts'

/** What the assistant needs of a site: its live release, opened. */
export type AnswerSite = {
  index: { search(request: SearchRequest): SearchHit[] | Promise<SearchHit[]> }
  site: SiteIndex
  siteUrl: string
  /** The page as Markdown, null where there is none. */
  readPage(path: string): Promise<string | null>
  /** What the site's owner tells the assistant; never shown. */
  instructions: string | null
}

/** A piece of a published page, numbered in the order in which this turn found it. */
export type Passage = {
  number: number
  path: string
  url: string
  title: string
  heading: string
  content: string
  score: number
  coverage: number
}

/** The passages that one turn has found, and the only ones that its answer may cite. */
export class Passages {
  readonly all: Passage[] = []
  readonly #siteUrl: string
  readonly #byPlace = new Map<string, Passage>()

  constructor(siteUrl: string) {
    this.#siteUrl = siteUrl
  }

  add(hit: SearchHit): Passage {
    return this.#remember(`${hit.path}#${hit.anchor ?? ''}`, {
      path: hit.path,
      url: pageUrl(this.#siteUrl, hit.path, hit.anchor),
      title: hit.title,
      heading: hit.heading,
      content: hit.content,
      score: hit.score,
      coverage: hit.coverage,
    })
  }

  addPage({ path, title, content }: { path: string; title: string; content: string }): Passage {
    return this.#remember(`page:${path}`, {
      path,
      url: pageUrl(this.#siteUrl, path),
      title,
      heading: title,
      content,
      score: 1,
      coverage: 1,
    })
  }

  get(number: number): Passage | undefined {
    return this.all[number - 1]
  }

  #remember(place: string, passage: Omit<Passage, 'number'>): Passage {
    const known = this.#byPlace.get(place)
    if (known) return known
    const added = { ...passage, number: this.all.length + 1 }
    this.#byPlace.set(place, added)
    this.all.push(added)
    return added
  }
}

export const toSource = (passage: Passage): Source => ({
  id: `source-${passage.number}`,
  url: passage.url,
  title: passage.title,
  path: passage.path,
})

export const toSearchEntry = (passage: Passage): SearchEntry => ({
  path: passage.path,
  url: passage.url,
  content: passage.content,
  metadata: { title: passage.title },
})

/** The filter that holds: what the caller asks, else that of the page being read, else the site's own defaults. */
export function effectiveFilter(
  asked: { version?: string; language?: string },
  currentPage: string | null,
  site: SiteIndex,
): SearchFilter {
  const page = site.pages.find((one) => one.path === currentPage)
  const version = asked.version ?? page?.version ?? site.defaultVersion
  const language = asked.language ?? page?.language ?? site.defaultLanguage
  return { ...(version === undefined ? {} : { version }), ...(language === undefined ? {} : { language }) }
}
