import { ByteReader, ByteWriter } from './bytes.ts'

/**
 * How an index lies in its files. A partition holds the pages of one version and language and is whole by itself.
 *
 *   root.js         Root: the partitions
 *   0/meta.js       PartitionMeta: counts, and where terms and texts lie
 *   0/t7.js         terms with their postings, sorted by key
 *   0/x7.js         TextShard: passages as a reader sees them
 *   0/v7.js         words for mending typing errors, by first letter; 0/v.js the frequent ones of all letters
 *
 * Each file is one call of `quireSearch(name, content)`, so that a browser loads it as a script even from disk.
 */
export type Root = { format: 1; digest: string; partitions: RootPartition[] }

export type RootPartition = { version?: string; language?: string; pages: number; passages: number }

export type PartitionMeta = {
  pageCount: number
  passageCount: number
  /** The first passage of each page, and the count at the end. */
  firstPassage: Uint32Array
  /** Names for `tagOf` and `folderOf`; the first is the empty one. */
  tags: string[]
  tagOf: Uint16Array
  folders: string[]
  folderOf: Uint16Array
  /** Factors in sixteenths. */
  boostOf: Uint16Array
  /** The first key in each term shard, or as much of it as tells it from the shard before. */
  termShardKeys: string[]
  /** The first passage in each text shard. */
  textShardStarts: number[]
  /** The first letter of each word shard. */
  wordShardLetters: string[]
}

/** Pages as [path, title, description, tag]; passages as [page, heading, anchor, text, language, code, …]. */
export type TextShard = {
  pages: [path: string, title: string, description: string, tag: string][]
  passages: [page: number, heading: string, anchor: string, text: string, ...code: string[]][]
}

export function writePartitionMeta(meta: PartitionMeta): Uint8Array {
  const out = new ByteWriter(4096)
  out.varint(meta.pageCount)
  for (let page = 0; page < meta.pageCount; page++) {
    out.varint(meta.firstPassage[page + 1]! - meta.firstPassage[page]!)
  }
  writeRuns(out, meta.tagOf)
  writeStrings(out, meta.tags)
  writeRuns(out, meta.folderOf)
  writeStrings(out, meta.folders)
  writeRuns(out, meta.boostOf)
  writeStrings(out, meta.termShardKeys)
  out.varint(meta.textShardStarts.length)
  meta.textShardStarts.forEach((start, i) => {
    out.varint(start - (meta.textShardStarts[i - 1] ?? 0))
  })
  writeStrings(out, meta.wordShardLetters)
  return out.view()
}

export function readPartitionMeta(bytes: Uint8Array): PartitionMeta {
  const input = new ByteReader(bytes)
  const pageCount = input.varint()
  const firstPassage = new Uint32Array(pageCount + 1)
  for (let page = 0; page < pageCount; page++) firstPassage[page + 1] = firstPassage[page]! + input.varint()
  const tagOf = readRuns(input, pageCount)
  const tags = readStrings(input)
  const folderOf = readRuns(input, pageCount)
  const folders = readStrings(input)
  const boostOf = readRuns(input, pageCount)
  const termShardKeys = readStrings(input)
  const textShardStarts: number[] = []
  const textShards = input.varint()
  for (let i = 0; i < textShards; i++) textShardStarts.push((textShardStarts[i - 1] ?? 0) + input.varint())
  const wordShardLetters = readStrings(input)
  return {
    pageCount,
    passageCount: firstPassage[pageCount]!,
    firstPassage,
    tags,
    tagOf,
    folders,
    folderOf,
    boostOf,
    termShardKeys,
    textShardStarts,
    wordShardLetters,
  }
}

/** The last shard whose first key is not after the key. */
export function findShard<Key>(firstKeys: Key[], key: Key): number {
  let low = 0
  let high = firstKeys.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (firstKeys[middle]! <= key) low = middle
    else high = middle - 1
  }
  return low
}

/** Strings in the given order, each sharing the beginning of the one before. */
export function writeStrings(out: ByteWriter, strings: string[]): void {
  out.varint(strings.length)
  let previous = ''
  for (const text of strings) {
    writeShared(out, text, previous)
    previous = text
  }
}

export function readStrings(input: ByteReader): string[] {
  const strings: string[] = []
  const count = input.varint()
  let previous = ''
  for (let i = 0; i < count; i++) {
    previous = readShared(input, previous)
    strings.push(previous)
  }
  return strings
}

export function writeShared(out: ByteWriter, text: string, previous: string): void {
  const most = Math.min(text.length, previous.length, 127)
  let shared = 0
  while (shared < most && text.charCodeAt(shared) === previous.charCodeAt(shared)) shared++
  out.byte(shared)
  out.string(text.slice(shared))
}

export function readShared(input: ByteReader, previous: string): string {
  const shared = input.byte()
  return previous.slice(0, shared) + input.string()
}

function writeRuns(out: ByteWriter, values: Uint16Array): void {
  for (let start = 0; start < values.length; ) {
    let end = start + 1
    while (end < values.length && values[end] === values[start]) end++
    out.varint(end - start)
    out.varint(values[start]!)
    start = end
  }
}

function readRuns(input: ByteReader, count: number): Uint16Array {
  const values = new Uint16Array(count)
  for (let start = 0; start < count; ) {
    const end = start + input.varint()
    values.fill(input.varint(), start, end)
    start = end
  }
  return values
}
