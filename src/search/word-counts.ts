import { ByteWriter } from './core/bytes.ts'
import { mostPositions } from './core/postings.ts'
import { stopWords } from './core/query.ts'
import { tokenize } from './core/tokenize.ts'

/** The terms of one page, counted by field and passage. */
export class WordCounts {
  readonly #lexicon: Lexicon
  readonly #found: Term[] = []
  readonly #page: number

  constructor(lexicon: Lexicon) {
    this.#lexicon = lexicon
    this.#page = lexicon.nextPage()
  }

  /** Counts words in a field that all passages share, and answers how many positions they take. */
  countShared(field: number, text: string): number {
    return this.#lexicon.read(text, 0, (term) => {
      const { shared } = this.#of(term)
      shared[field] = (shared[field] ?? 0) + 1
    })
  }

  /** Counts words in a field of a passage from a position on, and answers the position after them. */
  countPassage(field: number, local: number, text: string, start: number): number {
    return this.#lexicon.read(text, start, (term, position) => {
      const { passages } = this.#of(term)
      if (passages.length === 0 || passages[term.last] !== local) {
        term.last = passages.length
        passages.push(local, 0, 0, 0, 0)
      }
      passages[term.last + 1 + field]! += 1
      if (passages[term.last + 4]! < mostPositions) {
        passages[term.last + 4]! += 1
        passages.push(position)
      }
    })
  }

  get terms(): string[] {
    return this.#found.map((term) => term.text)
  }

  /** Raw counts, each term's behind their length; weights need the average lengths of the whole index. */
  write(): Uint8Array {
    const all = new ByteWriter(16_384)
    const out = new ByteWriter(1024)
    for (const term of this.#found) {
      out.length = 0
      writeCounts(out, term)
      all.varint(out.length)
      all.append(out.view())
    }
    return all.view()
  }

  #of(term: Term): Term {
    if (term.page === this.#page) return term
    term.page = this.#page
    term.shared.fill(0)
    term.passages = []
    term.last = 0
    this.#found.push(term)
    return term
  }
}

function writeCounts(out: ByteWriter, { shared, passages, isStopWord }: Term): void {
  let fields = 0
  for (let field = 0; field < shared.length; field++) if (shared[field]! > 0) fields |= 1 << field
  out.varint(fields)
  for (const count of shared) if (count > 0) out.varint(count)
  const countAt = out.length
  out.byte(0)
  let count = 0
  let previous = 0
  for (let at = 0; at < passages.length; count++) {
    const local = passages[at]!
    out.varint(local - previous)
    previous = local
    for (let field = 1; field <= 3; field++) out.varint(passages[at + field]!)
    const positions = passages[at + 4]!
    at += 5
    out.varint(isStopWord ? 0 : positions)
    if (!isStopWord) writePositions(out, passages, at, at + positions)
    at += positions
  }
  out.setVarint(countAt, count)
}

/** Positions as steps. Forms of one identifier may come out of order: `a.b.a` gives its parts, then itself. */
function writePositions(out: ByteWriter, all: number[], from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    for (let j = i; j > from && all[j - 1]! > all[j]!; j--) {
      const later = all[j - 1]!
      all[j - 1] = all[j]!
      all[j] = later
    }
  }
  let before = 0
  for (let i = from; i < to; i++) {
    out.varint(all[i]! - before)
    before = all[i]!
  }
}

/** A term with what was found of it in the page that is being counted. */
type Term = {
  text: string
  isStopWord: boolean
  /** Which page the counts below are of. */
  page: number
  /** Counts by shared field. */
  shared: number[]
  /** For each passage: its number, counts by field, how many positions, and these. */
  passages: number[]
  /** Where the last passage begins. */
  last: number
}

/** What a word between spaces gives: its terms, each with its offset, and how many positions it takes. */
type Word = { terms: Term[]; offsets: number[]; width: number }

/**
 * Words and terms that were seen before, since most words of a page are those of the page before. Terms come out
 * exactly as `tokenize` gives them; text in ASCII is cut by hand, several times faster than by its pattern.
 */
export class Lexicon {
  readonly #words = new Map<string, Word>()
  readonly #terms = new Map<string, Term>()
  #page = 0

  /** A page begins: the numbers of pages tell fresh counts from old ones. */
  nextPage(): number {
    if (this.#words.size > mostWords) this.#words.clear()
    if (this.#terms.size > mostWords) {
      this.#terms.clear()
      this.#words.clear()
    }
    this.#page += 1
    return this.#page
  }

  /** Tells each term of a text with its position, and answers the position after the last. */
  read(text: string, start: number, tell: (term: Term, position: number) => void): number {
    if (notAscii.test(text))
      return tokenize(text, (term, position) => tell(this.#term(term), position), start)
    let position = start
    for (let at = 0; at < text.length; ) {
      const from = wordStart(text, at)
      if (from < 0) break
      at = wordEnd(text, from)
      const word = this.#word(text.slice(from, at))
      for (let i = 0; i < word.terms.length; i++) tell(word.terms[i]!, position + word.offsets[i]!)
      position += word.width
    }
    return position
  }

  #word(text: string): Word {
    const known = this.#words.get(text)
    if (known !== undefined) return known
    const word: Word = { terms: [], offsets: [], width: 0 }
    word.width = tokenize(text, (term, offset) => {
      word.terms.push(this.#term(term))
      word.offsets.push(offset)
    })
    this.#words.set(text, word)
    return word
  }

  #term(text: string): Term {
    const known = this.#terms.get(text)
    if (known !== undefined) return known
    const term = {
      text,
      isStopWord: stopWords.has(text),
      page: 0,
      shared: [0, 0, 0, 0],
      passages: [],
      last: 0,
    }
    this.#terms.set(text, term)
    return term
  }
}

const mostWords = 12_000
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself.
const notAscii = /[^\u0000-\u007f]/

const letter = 1
const other = 2
/** Letters, and what else may stand in a word (digits and the underscore). */
const kinds = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code)
  kinds[code] = /[A-Za-z]/.test(character) ? letter : /[0-9_]/.test(character) ? other : 0
}
const [dash, dot, colon, greater, apostrophe, dollar, at, hash, plus, underscore] = [..."-.:>'$@#+_"].map(
  (sign) => sign.charCodeAt(0),
) as [number, number, number, number, number, number, number, number, number, number]

/** Signs that may stand inside a word or end it. */
const isInside = new Uint8Array(128)
for (const code of [dash, dot, colon, apostrophe, dollar, hash, plus]) isInside[code] = 1

/** Where the next word begins, its sigil included, or -1. */
function wordStart(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (kinds[text.charCodeAt(i)] === 0) continue
    const before = i > from ? text.charCodeAt(i - 1) : 0
    if (before === dash) return i - 1 > from && text.charCodeAt(i - 2) === dash ? i - 2 : i - 1
    return before === dollar || before === at || before === hash || before === dot ? i - 1 : i
  }
  return -1
}

/** Where the word that begins here ends. */
function wordEnd(text: string, from: number): number {
  let i = from
  while (kindAt(text, i) === 0) i++ // Its sigil.
  for (;;) {
    while (kindAt(text, i) > 0) i++
    if (i >= text.length) return i
    const code = text.charCodeAt(i)
    if (isInside[code] === 0) return i
    const next = kindAt(text, i + 1)
    if (code === dollar || (code === apostrophe && next === letter)) i += 1
    else if ((code === dot || code === dash) && next > 0) i += 1
    else if (code === colon && text.charCodeAt(i + 1) === colon && kindAt(text, i + 2) > 0) i += 2
    else if (code === dash && text.charCodeAt(i + 1) === greater && kindAt(text, i + 2) > 0) i += 2
    else if (code === plus && text.charCodeAt(i + 1) === plus) return i + 2
    else if (code === hash && (next === 0 || text.charCodeAt(i + 1) === underscore)) return i + 1
    else return i
  }
}

function kindAt(text: string, i: number): number {
  return i < text.length ? kinds[text.charCodeAt(i)]! : 0
}
