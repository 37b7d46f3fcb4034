import type { IndexedPage, IndexedSection } from './search-api.ts'

/** A piece of a page, small enough to be about one thing. */
export type Passage = {
  heading: string
  /** The headings above it, the outermost first, without the page's own title. */
  parents: string[]
  /** The headings of further sections that joined this one. */
  joined: string[]
  anchor: string
  text: string
  code: { language: string; text: string }[]
}

const longestPassage = 1600
const shortestPassage = 200

/** Cuts a page at its headings: sections under 200 characters join their neighbour, those over 1,600 are cut further. */
export function splitPassages(page: IndexedPage): Passage[] {
  const passages: Passage[] = []
  for (const section of page.sections) {
    for (const piece of cutSection(section, page.title)) {
      const last = passages.at(-1)
      if (last !== undefined && joins(last, piece)) join(last, piece)
      else passages.push(piece)
    }
  }
  return passages.length > 0
    ? passages
    : [{ heading: '', parents: [], anchor: '', joined: [], text: page.description, code: [] }]
}

function joins(last: Passage, next: Passage): boolean {
  const a = size(last)
  const b = size(next)
  return (a < shortestPassage || b < shortestPassage) && a + b <= longestPassage
}

/** The larger section gives the heading; the other's stays in the text, where a reader sees it. */
function join(last: Passage, next: Passage): void {
  const other = size(next) > size(last) ? last.heading : next.heading
  if (size(next) > size(last)) {
    last.heading = next.heading
    last.parents = next.parents
    last.anchor = next.anchor
    last.text = [other, last.text, next.text].filter((part) => part !== '').join('\n\n')
  } else {
    last.text = [last.text, other, next.text].filter((part) => part !== '').join('\n\n')
  }
  if (other !== '') last.joined.push(other)
  last.code.push(...next.code)
}

function cutSection(section: IndexedSection, title: string): Passage[] {
  const { heading, anchor = '' } = section
  const parents = (section.parents ?? []).filter((parent) => parent !== title)
  const empty = (): Passage => ({ heading, parents, anchor, joined: [], text: '', code: [] })
  const text = section.text.trim()
  const pieces: Passage[] = []
  let current = empty()
  const flush = () => {
    if (current.text !== '' || current.code.length > 0) pieces.push(current)
    current = empty()
  }
  for (const paragraph of cutText(text)) {
    if (current.text !== '' && size(current) + paragraph.length > longestPassage) flush()
    current.text = current.text === '' ? paragraph : `${current.text}\n\n${paragraph}`
  }
  for (const block of section.code) {
    for (const code of cutLines(block.text)) {
      if (size(current) > 0 && size(current) + code.length > longestPassage) flush()
      current.code.push({ language: block.language, text: code })
    }
  }
  flush()
  if (pieces.length === 0 && heading !== '') pieces.push(empty())
  return pieces
}

/** Paragraphs, and sentences where a paragraph alone is too long. */
function cutText(text: string): string[] {
  const pieces: string[] = []
  for (const paragraph of text.split(/\n+/)) {
    if (paragraph.trim() === '') continue
    if (paragraph.length <= longestPassage) pieces.push(paragraph)
    else pieces.push(...packUnits(paragraph.split(/(?<=[.!?])\s+|(?<=[。！？])/), ' '))
  }
  return pieces
}

function cutLines(code: string): string[] {
  return code.length <= longestPassage ? [code] : packUnits(code.split('\n'), '\n')
}

function packUnits(units: string[], glue: string): string[] {
  const packed: string[] = []
  let current = ''
  for (const unit of units) {
    for (let start = 0; start < Math.max(1, unit.length); start += longestPassage) {
      const piece = unit.slice(start, start + longestPassage)
      if (current !== '' && current.length + glue.length + piece.length > longestPassage) {
        packed.push(current)
        current = ''
      }
      current = current === '' ? piece : current + glue + piece
    }
  }
  if (current !== '') packed.push(current)
  return packed
}

function size(passage: Passage): number {
  return passage.code.reduce((sum, block) => sum + block.text.length, passage.text.length)
}
