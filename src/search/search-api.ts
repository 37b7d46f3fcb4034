/** A page as the index takes it, already cleaned of markup. */
export type IndexedPage = {
  path: string
  title: string
  description: string
  version?: string
  language?: string
  tag?: string
  /** Multiplies the page's score; 1 when absent. */
  boost?: number
  /** In reading order; the first may have no heading. */
  sections: IndexedSection[]
  /** Texts of links on other pages that point to this one. */
  linkTexts?: string[]
}

export type IndexedSection = {
  /** The id of the heading in the page, absent before the first heading. */
  anchor?: string
  heading: string
  /** The headings it stands under, the outermost first. */
  parents?: string[]
  /** Plain prose without code blocks. */
  text: string
  /** The code blocks of the section, as written. */
  code: { language: string; text: string }[]
}

export type SearchFilter = { version?: string; language?: string; tag?: string }

export type SearchRequest = {
  query: string
  /** How many pages at most; each page appears once, with its best passage. */
  limit: number
  filter?: SearchFilter
  /** 0–1: results whose score relative to a perfect match lies under it are left out. */
  scoreThreshold?: number
  /** The page the reader is on; a gentle preference for its neighbourhood. */
  currentPath?: string
  /** The last word may be unfinished: words that begin with it are found too. */
  asYouType?: boolean
}

export type SearchHit = {
  path: string
  title: string
  description: string
  /** Headings from the page's title down to the passage. */
  heading: string
  anchor?: string
  /** The passage: prose and code, readable as Markdown. */
  content: string
  /** 0–1, comparable within one query. */
  score: number
  /** 0–1: how much of the question's weight (by rarity) the passage covers. */
  coverage: number
  version?: string
  language?: string
  tag?: string
}

/**
 * What the engine's script puts on `window.quireSearch`. The function itself is for the files of the index, which call
 * it when they load; a page calls `open` once:
 *
 *   const search = window.quireSearch.open({ folder: relativeRoot + '_quire/search/' })
 *   await search.warm({ language: 'en' })            // when the dialog opens; fetches a few kilobytes
 *   const hits = await search.search({ query: 'deploy', limit: 8, asYouType: true, filter: { language: 'en' } })
 *   window.quireSearch.mark(window.quireSearch.snippet(hits[0].content, 'deploy', 160), 'deploy')
 */
export type QuireSearch = {
  (name: string, content: unknown): void
  /** `folder` is the address of `_quire/search/` as seen from the page. */
  open(input: { folder: string }): BrowserSearch
  /** The text in pieces, those that the question asks for marked; joined they are the text again. */
  mark(text: string, query: string): { text: string; matched: boolean }[]
  /** The stretch of a passage that has most of the question, in at most so many characters, as plain text. */
  snippet(content: string, query: string, longest: number): string
}

export type BrowserSearch = {
  /** Loads what every query needs, so that the first one is quick. Rejects when the files cannot be loaded. */
  warm(filter?: SearchFilter): Promise<void>
  /** Ranks as the server does. Answers may overtake each other: drop those of an older query. */
  search(request: SearchRequest): Promise<SearchHit[]>
}
