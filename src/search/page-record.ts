import { ByteReader, ByteWriter } from './core/bytes.ts'
import type { IndexedPage } from './search-api.ts'
import { splitPassages } from './split-passages.ts'
import { Lexicon, WordCounts } from './word-counts.ts'

/** The fields that all passages of a page share, and those of a passage, in the order in which they are counted. */
export const sharedFields = ['title', 'path', 'links', 'description'] as const
export const passageFields = ['heading', 'body', 'code'] as const
export type SharedField = (typeof sharedFields)[number]
export type PassageField = (typeof passageFields)[number]
const linksBit = 1 << sharedFields.indexOf('links')

/** What a record says of its page before its terms. */
export type RecordHead = {
  path: string
  title: string
  description: string
  tag: string
  boost: number
  version?: string
  language?: string
  lengths: Record<'title' | 'path' | 'description', number>
  passages: { lengths: Record<PassageField, number>; characters: number; bytes: number }[]
}

export type PageRecord = {
  head: RecordHead
  /** Each passage as the end of a JSON list: heading, anchor, text, languages and code. */
  passages: Uint8Array[]
  /** Every term with its counts as varints: a set of shared fields, their counts, then passages with positions. */
  terms: { term: string; counts: Uint8Array }[]
}

/**
 * The words of a page, counted: all of the index that follows from the page alone. It is made where the page is
 * rendered and kept with it, so that an index is put together from records without reading any text again.
 */
export function recordPage(given: IndexedPage): Uint8Array {
  const page = withPlainHeadings(given)
  const words = new WordCounts(lexicon)
  const count = (field: SharedField, text: string) => words.countShared(sharedFields.indexOf(field), text)
  const lengths = {
    title: count('title', page.title),
    path: count('path', page.path),
    description: count('description', page.description),
  }
  const passages = splitPassages(page)
  const tails = passages.map(({ heading, parents, anchor, text, code }) =>
    Buffer.from(
      JSON.stringify([
        [...parents, heading].join(' › '),
        anchor,
        text,
        ...code.flatMap((block) => [block.language, block.text]),
      ]).slice(1),
    ),
  )
  const head: RecordHead = {
    path: page.path,
    title: page.title,
    description: page.description,
    tag: page.tag ?? '',
    boost: page.boost ?? 1,
    ...(page.version === undefined ? {} : { version: page.version }),
    ...(page.language === undefined ? {} : { language: page.language }),
    lengths,
    passages: passages.map((passage, local) => ({
      lengths: countPassage(passage, local, words),
      characters: passage.code.reduce((sum, block) => sum + block.text.length, passage.text.length + 100),
      bytes: tails[local]!.length,
    })),
  }
  const headBytes = Buffer.from(JSON.stringify(head))
  const termBytes = Buffer.from(words.terms.join('\n'))
  const sizes = Buffer.alloc(8)
  sizes.writeUInt32LE(headBytes.length, 0)
  sizes.writeUInt32LE(termBytes.length, 4)
  const counts = words.write()
  const length = sizes.length + headBytes.length + termBytes.length + counts.length
  const record = new Uint8Array(tails.reduce((sum, tail) => sum + tail.length, length))
  let offset = 0
  for (const part of [sizes, headBytes, termBytes, ...tails, counts]) {
    record.set(part, offset)
    offset += part.length
  }
  return record
}

export function readRecord(record: Uint8Array): PageRecord {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  const headEnd = 8 + bytes.readUInt32LE(0)
  const termsEnd = headEnd + bytes.readUInt32LE(4)
  const head = JSON.parse(bytes.toString('utf8', 8, headEnd)) as RecordHead
  let offset = termsEnd
  const passages = head.passages.map((passage) => {
    offset += passage.bytes
    return bytes.subarray(offset - passage.bytes, offset)
  })
  const input = new ByteReader(bytes, offset)
  const names = termsEnd === headEnd ? [] : bytes.toString('utf8', headEnd, termsEnd).split('\n')
  const terms = names.map((term) => {
    const length = input.varint()
    input.offset += length
    return { term, counts: bytes.subarray(input.offset - length, input.offset) }
  })
  return { head, passages, terms }
}

/** The counts of a term, with those of the words in links to the page, which only the whole site knows. */
export function withLinkCount(counts: Uint8Array | undefined, count: number): Uint8Array {
  const out = new ByteWriter((counts?.length ?? 1) + 12)
  if (counts === undefined) {
    for (const value of [linksBit, count, 0]) out.varint(value)
    return out.view()
  }
  const input = new ByteReader(counts)
  const bits = input.varint()
  out.varint(bits | linksBit)
  for (const [i, field] of sharedFields.entries()) {
    if (field === 'links') out.varint(count)
    else if (bits & (1 << i)) out.varint(input.varint())
  }
  out.append(counts.subarray(input.offset))
  return out.view()
}

function countPassage(
  passage: ReturnType<typeof splitPassages>[number],
  local: number,
  words: WordCounts,
): Record<PassageField, number> {
  const texts = {
    heading: [passage.heading, ...passage.joined, ...passage.parents].join('\n'),
    body: passage.text,
    code: passage.code.map((block) => block.text).join('\n'),
  }
  const lengths = { heading: 0, body: 0, code: 0 }
  let position = 0
  for (const [number, field] of passageFields.entries()) {
    const start = position
    position = words.countPassage(number, local, texts[field], start)
    lengths[field] = position - start
    position += 8 // Words of two fields are never neighbours.
  }
  return lengths
}

/** Some Markdown dialects name a heading's id behind it (`Setup { #setup }`), which is neither read nor asked for. */
function withPlainHeadings(page: IndexedPage): IndexedPage {
  const plain = (heading: string) => heading.replace(/\s*\{:?\s*#[\w.:-]+\s*\}\s*$/, '')
  return {
    ...page,
    title: plain(page.title) || page.title,
    sections: page.sections.map((section) => ({
      ...section,
      heading: plain(section.heading),
      ...(section.parents === undefined ? {} : { parents: section.parents.map(plain) }),
    })),
  }
}

const lexicon = new Lexicon()
