import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import type { RecordedPage } from '../search/index.ts'

/**
 * Words of pages on their way to the search index. They wait on disk, because a page is indexed with the words that other
 * pages link to it with, and those are known only when all are rendered.
 */
export class SearchSpool {
  readonly #path: string
  readonly #file: number
  readonly #places = new Map<number, { offset: number; length: number }>()
  #end = 0

  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'w+')
  }

  add(index: number, bytes: Uint8Array): void {
    writeSync(this.#file, bytes, 0, bytes.length, this.#end)
    this.#places.set(index, { offset: this.#end, length: bytes.length })
    this.#end += bytes.length
  }

  /** The pages in the order of the plan, whatever order they were rendered in. */
  *pages(
    pathOf: (index: number) => string,
    linkTexts: ReadonlyMap<string, ReadonlySet<string>>,
  ): Generator<RecordedPage> {
    const order = [...this.#places.entries()].sort(([a], [b]) => a - b)
    for (const [index, { offset, length }] of order) {
      const record = Buffer.allocUnsafe(length)
      readSync(this.#file, record, 0, length, offset)
      const texts = linkTexts.get(pathOf(index)) ?? []
      yield { record, linkTexts: [...texts].sort().slice(0, 20) }
    }
  }

  async close(): Promise<void> {
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }
}
