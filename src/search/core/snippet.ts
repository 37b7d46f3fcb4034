import { parseQuery } from './query.ts'
import { splitChunks, termKey } from './tokenize.ts'

export type MarkedText = { text: string; matched: boolean }

/** The text in pieces, those that the question asks for marked; together they are the text. */
export function markMatches(text: string, query: string): MarkedText[] {
  const keys = queryKeys(query)
  const pieces: MarkedText[] = []
  let plainFrom = 0
  const push = (from: number, to: number, matched: boolean) => {
    if (to <= from) return
    const last = pieces.at(-1)
    if (last !== undefined && last.matched === matched) last.text += text.slice(from, to)
    else pieces.push({ text: text.slice(from, to), matched })
  }
  for (const match of text.matchAll(wordRuns)) {
    const matched = keys.bigrams.has(match[0]) || matchesWord(match[0], keys)
    if (!matched) continue
    push(plainFrom, match.index, false)
    push(match.index, match.index + match[0].length, true)
    plainFrom = match.index + match[0].length
  }
  push(plainFrom, text.length, false)
  return pieces
}

/** The stretch of a passage that has most of the question, in at most so many characters, without code fences. */
export function cutSnippet(content: string, query: string, longest: number): string {
  const text = content
    .replace(/^```.*$/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
  if (text.length <= longest) return text
  const keys = queryKeys(query)
  const hits: { at: number; word: string }[] = []
  for (const match of text.matchAll(wordRuns)) {
    if (keys.bigrams.has(match[0]) || matchesWord(match[0], keys)) {
      hits.push({ at: match.index, word: match[0].toLowerCase() })
    }
  }
  let start = 0
  let most = 0
  for (const hit of hits) {
    const within = hits.filter(({ at }) => at >= hit.at && at < hit.at + longest * 0.8)
    const found = new Set(within.map(({ word }) => word)).size
    if (found > most) {
      most = found
      start = hit.at
    }
  }
  let from = Math.max(0, Math.min(start - Math.floor(longest * 0.15), text.length - longest))
  if (from > 0) {
    const space = text.indexOf(' ', from)
    if (space >= 0 && space < start) from = space + 1
  }
  let to = Math.min(text.length, from + longest)
  if (to < text.length) {
    const space = text.lastIndexOf(' ', to)
    if (space > from + longest / 2) to = space
  }
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`
}

/** Runs of letters and digits; in scripts without spaces, single characters. */
const wordRuns =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af]|(?:--?|[$@#])?(?:(?![\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[\p{L}\p{N}\p{M}_])+/gu

type QueryKeys = { keys: Set<string>; bigrams: Set<string>; lastWord: string }

function queryKeys(query: string): QueryKeys {
  const keys = new Set<string>()
  const bigrams = new Set<string>()
  const { terms } = parseQuery(query)
  for (const { term, key, kind } of terms) {
    if (kind === 'bigram') for (const character of term) bigrams.add(character)
    else keys.add(key)
  }
  return { keys, bigrams, lastWord: terms.at(-1)?.kind === 'word' ? terms.at(-1)!.term : '' }
}

function matchesWord(word: string, { keys, lastWord }: QueryKeys): boolean {
  return splitChunks(word).some(
    (chunk) =>
      keys.has(`=${chunk.text}`) ||
      keys.has(termKey(chunk.parts.join(''))) ||
      chunk.parts.some(
        (part) => keys.has(termKey(part)) || (lastWord.length > 1 && part.startsWith(lastWord)),
      ),
  )
}
