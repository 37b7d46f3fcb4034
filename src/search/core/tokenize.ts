import { stem } from './stem.ts'

/**
 * Calls `emit` for every term of the text and returns the position after the last one.
 *
 * A word gives one term. An identifier (`useChat`, `max_retries`, `server.port`, `--dry-run`, `$group`) gives its
 * parts at successive positions, its parts joined (`usechat`), and itself as written behind `=`, so that an exact
 * identifier is a term of its own. Scripts without spaces give bigrams and the last character of each run.
 */
export function tokenize(
  text: string,
  emit: (term: string, position: number) => void,
  firstPosition = 0,
): number {
  let position = firstPosition
  for (const chunk of splitChunks(text)) {
    if (chunk.kind === 'word') {
      emit(chunk.parts[0]!, position) // Most of every text, so nothing is made for it.
      position += 1
      continue
    }
    for (const form of chunkForms(chunk)) {
      if (form.offset >= 0) emit(form.term, position + form.offset)
    }
    position += chunkWidth(chunk)
  }
  return position
}

/** What stands between spaces and punctuation, as written but for diacritics and width. */
export type Chunk = { text: string; parts: string[]; kind: 'word' | 'identifier' | 'unspaced' }

export function splitChunks(text: string): Chunk[] {
  const chunks: Chunk[] = []
  for (const match of foldMarks(text).matchAll(chunkPattern)) {
    const raw = match[0]
    if (plainWord.test(raw)) {
      chunks.push({ text: raw, parts: [raw.toLowerCase()], kind: 'word' })
    } else if (unspacedScript.test(raw)) {
      for (const run of raw.matchAll(scriptRuns)) {
        if (unspacedScript.test(run[0])) chunks.push({ text: run[0], parts: [...run[0]], kind: 'unspaced' })
        else pushWord(run[0].replace(/^[-.]+|[-.]+$/g, ''), chunks)
      }
    } else pushWord(raw, chunks)
  }
  return chunks
}

/** The key under which the forms of one word stand together; an exact identifier stands alone. */
export function termKey(term: string): string {
  return term.startsWith('=') ? term : stem(term)
}

/** The terms of a chunk, with their offsets from its first position. */
export function chunkForms(chunk: Chunk): { term: string; offset: number }[] {
  const { parts } = chunk
  if (chunk.kind === 'word') return [{ term: parts[0]!, offset: 0 }]
  const forms: { term: string; offset: number }[] = []
  if (chunk.kind === 'unspaced') {
    parts.forEach((character, i) => {
      forms.push({ term: character + (parts[i + 1] ?? ''), offset: i })
    })
    return forms
  }
  parts.forEach((part, i) => {
    forms.push({ term: part, offset: i })
  })
  if (parts.length > 1) {
    const joined = parts.join('')
    if (joined.length <= longestTerm) forms.push({ term: joined, offset: 0 })
  }
  for (const exact of exactForms(chunk)) forms.push({ term: exact, offset: 0 })
  forms.push(...memberForms(chunk))
  return forms
}

/** An identifier as written, and without its sigil when it is still more than a word: `=--dry-run`, `=dry-run`. */
export function exactForms(chunk: Chunk): string[] {
  if (chunk.kind !== 'identifier' || chunk.text.length > longestTerm) return []
  const bare = chunk.text.replace(/^(?:--?|[$@#.])/, '')
  const forms = [`=${chunk.text}`]
  if (bare !== chunk.text && isIdentifier(bare)) forms.push(`=${bare}`)
  return forms
}

/** In `app.router.useChat`: `useChat` itself, and the names that end the chain or begin it. */
function memberForms(chunk: Chunk): { term: string; offset: number }[] {
  const members = chunk.text.split(/\.|::|->/)
  if (members.length < 2 || members.length > 6) return []
  const forms: { term: string; offset: number }[] = []
  let offset = 0
  members.forEach((member, i) => {
    const parts = splitIdentifier(member)
    if (i === 0 && /^[$@#]/.test(member)) forms.push({ term: `=${member}`, offset })
    if (parts.length > 1) {
      forms.push({ term: parts.join(''), offset })
      forms.push({ term: `=${member.replace(/^(?:--?|[$@#.])/, '')}`, offset })
    }
    if (i > 0 && i < members.length - 1) {
      forms.push({ term: `=${members.slice(i).join('.')}`, offset })
      forms.push({ term: `=${members.slice(0, i + 1).join('.')}`, offset: 0 })
    }
    offset += parts.length
  })
  return forms.filter(({ term }) => term.length <= longestTerm)
}

function chunkWidth(chunk: Chunk): number {
  return chunk.parts.length
}

const longestTerm = 48
const plainWord = /^[A-Z]?[a-z]+$/
const unspaced =
  '\\u0e00-\\u0eff\\u1000-\\u109f\\u1100-\\u11ff\\u1780-\\u17ff\\u3040-\\u30ff\\u31f0-\\u31ff\\u3400-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3ffff}'
const unspacedScript = new RegExp(`[${unspaced}]`, 'u')
const scriptRuns = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu')
const chunkPattern =
  /(?:--?|[$@#.])?[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_$]|['’](?=\p{L})|(?:\.|-|::|->)(?=[\p{L}\p{N}_]))*(?:\+\+|#(?![\p{L}\p{N}]))?/gu

function pushWord(raw: string, chunks: Chunk[]): void {
  let text = raw.includes("'") || raw.includes('’') ? raw.replace(/['’]s?$|['’]s(?=\W)|['’]/g, '') : raw
  if (text.length > longestTerm * 4) text = text.slice(0, longestTerm * 4)
  const parts = splitIdentifier(text)
  if (parts.length === 0) return
  chunks.push({ text, parts, kind: parts.length > 1 || isIdentifier(text) ? 'identifier' : 'word' })
}

/** True for what is more than a word: inner capitals, underscores, dots, hyphens, sigils. */
function isIdentifier(text: string): boolean {
  return /[_.$@#:>+-]|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(text)
}

function splitIdentifier(text: string): string[] {
  if (!/[^\p{L}\p{N}]|\p{Ll}\p{Lu}|[\p{Lu}\p{N}]\p{Lu}\p{Ll}/u.test(text)) return [text.toLowerCase()]
  const signed = /^\p{L}{1,2}(?:\+\+|#)$/u.exec(text)
  if (signed) return [text.toLowerCase()]
  return text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase())
}

/** Removes diacritics of alphabets, keeps those that make letters of syllabaries, and narrows full-width forms. */
function foldMarks(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself.
  if (/^[\u0000-\u007f]*$/.test(text)) return text
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u00ad\u200b-\u200d]/g, '')
    .normalize('NFC')
    .replace(/[ßæœøđłıþðÆŒØĐŁ]/g, (letter) => plainLetters[letter] ?? letter)
}

const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
  ð: 'd',
  Æ: 'Ae',
  Œ: 'Oe',
  Ø: 'O',
  Đ: 'D',
  Ł: 'L',
}
