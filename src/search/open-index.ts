import type { QuestionVectors } from '../backends/index.ts'
import { unpackBytes } from './core/bytes.ts'
import { type IndexFiles, SearchEngine } from './core/engine.ts'
import type { Root, TextShard } from './core/layout.ts'
import type { SearchHit, SearchRequest } from './search-api.ts'
import { VectorSearch } from './vectors/nearest-pages.ts'

export interface SearchIndex {
  search(request: SearchRequest): Promise<SearchHit[]>
  readonly pageCount: number
  readonly passageCount: number
  /** Bytes in memory now; it grows as parts of the index are first asked for. */
  readonly sizeBytes: number
  /** Lets go of everything in memory; the index is not asked again. */
  close(): void
}

/** Opens an index over its files: reads a few kilobytes now, and the rest as questions need it. */
export async function openIndex(input: {
  read(path: string): Promise<Uint8Array>
  /** What the cache of files may hold; 96 MB when absent. */
  cacheBytes?: number
  /** With it, what lies near the question in meaning is mixed in, where the index has vectors of the same model. */
  questions?: QuestionVectors | null
}): Promise<SearchIndex> {
  const files = new CachedFiles(input.read, input.cacheBytes ?? 96 * 1024 * 1024)
  const root = await files.root()
  if (root.format !== 1)
    throw new Error(`This search index has format ${root.format}; this release reads format 1.`)
  const engine = new SearchEngine(files)
  const { read, questions } = input
  const vectors = questions ? new VectorSearch({ read, questions }) : undefined
  const passageCount = root.partitions.reduce((sum, partition) => sum + partition.passages, 0)
  const pageCount = root.partitions.reduce((sum, partition) => sum + partition.pages, 0)
  return {
    search: (request) => engine.search(request, vectors?.begin(request)),
    pageCount,
    passageCount,
    get sizeBytes() {
      return files.cachedBytes + (vectors?.sizeBytes ?? 0) + pageCount * 35 + passageCount * 16
    },
    close: () => {
      files.clear()
      vectors?.close()
    },
  }
}

/** The files of an index as the engine asks for them. */
export function createFileReader(read: (path: string) => Promise<Uint8Array>): IndexFiles {
  return new CachedFiles(read, 0)
}

/** Keeps what was read last, up to a budget. */
class CachedFiles implements IndexFiles {
  cachedBytes = 0
  private readonly read: (path: string) => Promise<Uint8Array>
  private readonly budget: number
  private readonly cache = new Map<string, { content: Promise<Uint8Array>; size: number }>()
  private rootContent: Promise<Root> | undefined

  constructor(read: (path: string) => Promise<Uint8Array>, budget: number) {
    this.read = read
    this.budget = budget
  }

  root(): Promise<Root> {
    this.rootContent ??= this.read('root.js').then((content) => JSON.parse(argumentOf(content)) as Root)
    return this.rootContent
  }

  bytes(name: string): Promise<Uint8Array> {
    return this.cached(name, async () => {
      const literal = argumentOf(await this.read(`${name}.js`))
      return unpackBytes(literal.slice(1, -1))
    })
  }

  async texts(name: string): Promise<TextShard> {
    const content = await this.cached(name, () => this.read(`${name}.js`))
    return JSON.parse(argumentOf(content)) as TextShard
  }

  clear(): void {
    this.cache.clear()
    this.cachedBytes = 0
  }

  private cached(name: string, load: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const known = this.cache.get(name)
    if (known !== undefined) {
      this.cache.delete(name)
      this.cache.set(name, known) // The last used stands last.
      return known.content
    }
    const entry = { content: load(), size: 0 }
    this.cache.set(name, entry)
    entry.content.then(
      (content) => {
        if (this.cache.get(name) !== entry) return
        entry.size = content.length
        this.cachedBytes += content.length
        this.evict()
      },
      () => this.cache.delete(name), // A failed read may succeed the next time.
    )
    return entry.content
  }

  private evict(): void {
    for (const [name, entry] of this.cache) {
      if (this.cachedBytes <= this.budget) return
      this.cache.delete(name)
      this.cachedBytes -= entry.size
    }
  }
}

/** The second argument of the one call in the file, as text. */
export function argumentOf(content: Uint8Array): string {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('utf8')
  return text.slice(text.indexOf(',') + 1, text.lastIndexOf(')'))
}
