import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import type { RecordedPage } from '../search/index.ts'

/** A page's words, counted, and their digest. */
export type IndexedWords = { record: Uint8Array; digest: string }

/**
 * Words of pages on their way to the search index. They wait on disk, because a page is indexed with the words that other
 * pages link to it with, and those are known only when all are rendered.
 */
export class SearchSpool {
  readonly #path: string
  readonly #file: number
  readonly #places = new Map<number, { offset: number; length: number; digest: string }>()
  readonly #linkTextsOf: (index: number) => Iterable<string>
  #end = 0

  constructor(path: string, linkTextsOf: (index: number) => Iterable<string>) {
    this.#path = path
    this.#file = openSync(path, 'w+')
    this.#linkTextsOf = linkTextsOf
  }

  add(index: number, { record, digest }: IndexedWords): void {
    writeSync(this.#file, record, 0, record.length, this.#end)
    this.#places.set(index, { offset: this.#end, length: record.length, digest })
    this.#end += record.length
  }

  /** Of everything the index is made from. */
  digest(): string {
    const sum = createHash('sha256')
    for (const [index, { digest }] of this.#inOrder())
      sum.update(`${JSON.stringify([digest, this.#linkTexts(index)])}\n`)
    return sum.digest('hex')
  }

  /** The pages in the order of the plan, whatever order they were rendered in. */
  *pages(): Generator<RecordedPage> {
    for (const [index, { offset, length }] of this.#inOrder()) {
      const record = Buffer.allocUnsafe(length)
      readSync(this.#file, record, 0, length, offset)
      yield { record, linkTexts: this.#linkTexts(index) }
    }
  }

  close(): void {
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }

  #inOrder() {
    return [...this.#places.entries()].sort(([a], [b]) => a - b)
  }

  #linkTexts(index: number): string[] {
    return [...this.#linkTextsOf(index)].sort().slice(0, 20)
  }
}
