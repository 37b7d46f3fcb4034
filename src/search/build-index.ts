import { createHash } from 'node:crypto'
import { packBytes } from './core/bytes.ts'
import type { Root } from './core/layout.ts'
import { readRecord, recordPage } from './page-record.ts'
import { PartitionBuilder } from './partition-builder.ts'
import type { IndexedPage } from './search-api.ts'

/** A file of the index, its path relative to `_quire/search/`. */
export type IndexFile = { path: string; content: Uint8Array }

/** The files of a search index. The same pages in the same order give the same bytes. */
export async function buildIndex(
  pages: AsyncIterable<IndexedPage> | Iterable<IndexedPage>,
): Promise<IndexFile[]> {
  const files: IndexFile[] = []
  await writeIndex({ pages, write: async (file) => void files.push(file) })
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

const quote = Buffer.from('"')
const longestTurnMs = 10

/** A page as `recordPage` recorded it, with the texts of links on other pages that point to it. */
export type RecordedPage = { record: Uint8Array; linkTexts: string[] }

/** Hands each file to `write` as soon as it is whole, so that the texts of a large site are never all in memory. */
export async function writeIndex(input: {
  pages: AsyncIterable<IndexedPage | RecordedPage> | Iterable<IndexedPage | RecordedPage>
  write(file: IndexFile): Promise<void>
}): Promise<void> {
  const digest = createHash('sha256')
  const writeScript = async (name: string, argument: string | Buffer) => {
    const start = `quireSearch(${JSON.stringify(name)},`
    const content =
      typeof argument === 'string'
        ? Buffer.from(`${start}${argument})\n`)
        : Buffer.concat([Buffer.from(start), argument, Buffer.from(')\n')])
    digest.update(content)
    await input.write({ path: `${name}.js`, content })
  }
  let turnBeganMs = performance.now()
  /** A server goes on answering while a large index is made. */
  const breathe = async () => {
    if (performance.now() - turnBeganMs < longestTurnMs) return
    await new Promise<void>((resolve) => setImmediate(resolve))
    turnBeganMs = performance.now()
  }
  const partitions = new Map<string, PartitionBuilder>()
  for await (const page of input.pages) {
    await breathe()
    const record = readRecord('record' in page ? page.record : recordPage(page))
    const { head } = record
    const facets = JSON.stringify([head.version ?? null, head.language ?? null])
    let partition = partitions.get(facets)
    if (partition === undefined) {
      partition = new PartitionBuilder(head)
      partitions.set(facets, partition)
    }
    partition.add(record, page.linkTexts ?? [])
    const number = [...partitions.keys()].indexOf(facets)
    for (const shard of partition.takeTextShards()) {
      await writeScript(`${number}/x${shard.number}`, shard.json)
    }
  }
  const root: Root = { format: 1, digest: '', partitions: [] }
  for (const [number, partition] of [...partitions.values()].entries()) {
    for (const shard of partition.finishTextShards()) {
      await writeScript(`${number}/x${shard.number}`, shard.json)
    }
    for (const file of partition.finish()) {
      await breathe()
      await writeScript(`${number}/${file.name}`, Buffer.concat([quote, packBytes(file.bytes), quote]))
    }
    root.partitions.push(partition.summary())
  }
  root.digest = digest.copy().digest('hex').slice(0, 12)
  await writeScript('root', JSON.stringify(root))
}
