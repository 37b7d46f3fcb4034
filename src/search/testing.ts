import { buildIndex } from './build-index.ts'
import { openIndex, type SearchIndex } from './open-index.ts'
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
