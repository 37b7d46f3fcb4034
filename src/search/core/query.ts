import { type Chunk, chunkForms, exactForms, splitChunks, termKey } from './tokenize.ts'

/** One thing to look for. Terms of one identifier share a chunk. */
export type QueryTerm = {
  term: string
  key: string
  kind: 'word' | 'joined' | 'exact' | 'bigram'
  chunk: number
  /** Order in the question, for words close together. */
  position: number
}

export type Query = {
  terms: QueryTerm[]
  /** Neighbours that are often written as one word (`data set`, `set up`), with the place of the term they stand at. */
  compounds: { word: string; index: number }[]
  /** The question itself where it is nothing but an identifier, which is then looked for as written. */
  literal: string
}

/** Stop words leave only the question, and only if something else remains. */
export function parseQuery(text: string): Query {
  const chunks = splitChunks(text.slice(0, longestQuery))
  const content = chunks.filter((chunk) => chunk.kind !== 'word' || !stopWords.has(chunk.parts[0]!))
  const literal = isLiteral(text, chunks) ? text.trim() : ''
  const kept = content.length > 0 && literal === '' ? content : chunks
  const terms: QueryTerm[] = []
  const seen = new Set<string>()
  let position = 0
  const add = (term: string, kind: QueryTerm['kind'], chunk: number, at: number) => {
    if (seen.has(term) || terms.length >= mostTerms) return
    seen.add(term)
    terms.push({ term, key: termKey(term), kind, chunk, position: at })
  }
  kept.forEach((chunk, index) => {
    if (chunk.kind === 'unspaced') {
      const forms = chunkForms(chunk)
      const bigrams = forms.length > 1 ? forms.slice(0, -1) : forms
      for (const form of bigrams) add(form.term, 'bigram', index, position + form.offset)
    } else if (chunk.kind === 'word') {
      add(chunk.parts[0]!, 'word', index, position)
    } else {
      for (const exact of exactForms(chunk)) add(exact, 'exact', index, position)
      if (chunk.parts.length > 1) add(chunk.parts.join(''), 'joined', index, position)
      chunk.parts.forEach((part, i) => {
        if (chunk.parts.length === 1 || !stopWords.has(part) || kept.length === 1)
          add(part, 'word', index, position + i)
      })
    }
    position += chunk.parts.length
  })
  return {
    terms,
    compounds: findCompounds(chunks, terms),
    literal,
  }
}

/** One thing without spaces that is more than a word: `max_retries`, `a:b`, `source(...)`, `eip712`. */
function isLiteral(text: string, chunks: Chunk[]): boolean {
  const written = text.trim()
  if (/\s/.test(written) || chunks.length === 0) return false
  if (chunks.some((chunk) => chunk.kind === 'unspaced'))
    return /\w/.test(written) && /[()[\]{}<>=/\\]/.test(written)
  return (
    chunks.length > 1 || chunks[0]!.kind === 'identifier' || /\d|[()[\]{}<>=/\\|%^&*~+@#$]|^:/.test(written)
  )
}

/** Two words of which one is short; longer ones are rarely joined. */
function findCompounds(chunks: Chunk[], terms: QueryTerm[]): Query['compounds'] {
  const compounds: Query['compounds'] = []
  for (let i = 1; i < chunks.length; i++) {
    const left = chunks[i - 1]!
    const right = chunks[i]!
    if (left.kind !== 'word' || right.kind !== 'word') continue
    const [a, b] = [left.parts[0]!, right.parts[0]!]
    if (a.length < 2 || b.length < 2 || Math.min(a.length, b.length) > 4 || a.length + b.length < 5) continue
    if (stopWords.has(a) || (stopWords.has(b) && !particles.has(b))) continue
    const index = terms.findIndex((term) => term.term === a)
    if (index >= 0) compounds.push({ word: a + b, index })
  }
  return compounds
}

/** They make one word with a verb: `setup`, `login`, `checkout`. */
const particles = new Set(['up', 'in', 'on', 'out', 'off', 'down', 'over'])

const longestQuery = 2000
/** Matches are kept as bits. */
const mostTerms = 31

export const stopWords = new Set(
  (
    'a about after all also am an and any are as at be because been before being but by can cannot could did do does ' +
    'doing done for from get got had has have having he her here him his how i if im in into is it its ive just like ' +
    'may me might more most must my need no not of on one only or other our out over own please same shall she should ' +
    'so some such than that the their them then there these they this those through to too under up us use used using ' +
    'very want was way we were what when where which while who whom whose why will with within would you your ' +
    'dont doesnt isnt cant wont didnt arent im theres whats'
  ).split(' '),
)
