import { buildIndex } from './build-index.ts'
import { readPartitionMeta } from './core/layout.ts'
import { stopWords } from './core/query.ts'
import { termKey, tokenize } from './core/tokenize.ts'
import { createFileReader, openIndex, type SearchIndex } from './open-index.ts'
import type { IndexedPage } from './search-api.ts'

/** An index over pages in memory. */
export async function indexOf(pages: IndexedPage[]): Promise<SearchIndex> {
  const files = new Map((await buildIndex(pages)).map((file) => [file.path, file.content]))
  return openIndex({
    read: async (path) => {
      const content = files.get(path)
      if (content === undefined) throw new Error(`No file ${path}.`)
      return content
    },
  })
}

/** A page of one section, for tests that need little. */
export function pageOf(
  path: string,
  title: string,
  text: string,
  more: Partial<IndexedPage> = {},
): IndexedPage {
  return { path, title, description: '', sections: [{ heading: '', text, code: [] }], ...more }
}

/** The words of a text as the index keys them, so that other engines can be given the same ones. */
export function indexedWords(text: string): string[] {
  const words: string[] = []
  tokenize(text, (term) => {
    if (!term.startsWith('=')) words.push(termKey(term))
  })
  return words
}

/** A question without the words that only ask, unless it has no others. */
export function withoutStopWords(question: string): string {
  const words = question.split(/\s+/)
  const kept = words.filter((word) => !stopWords.has(word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')))
  return (kept.length > 0 ? kept : words).join(' ')
}

export type StoredPassage = {
  path: string
  title: string
  heading: string
  text: string
  code: string
}

/** All passages of a built index, so that other engines can be given the same ones. */
export async function readPassages(read: (path: string) => Promise<Uint8Array>): Promise<StoredPassage[]> {
  const files = createFileReader(read)
  const passages: StoredPassage[] = []
  for (const number of (await files.root()).partitions.keys()) {
    const meta = readPartitionMeta(await files.bytes(`${number}/meta`))
    for (const shard of meta.textShardStarts.keys()) {
      const texts = await files.texts(`${number}/x${shard}`)
      for (const [page, heading, , text, ...code] of texts.passages) {
        const [path, title] = texts.pages[page]!
        passages.push({ path, title, heading, text, code: code.filter((_, i) => i % 2 === 1).join('\n') })
      }
    }
  }
  return passages
}
