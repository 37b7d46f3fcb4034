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
