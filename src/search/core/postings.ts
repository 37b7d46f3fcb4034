import { ByteReader, type ByteWriter } from './bytes.ts'
import { readShared, writeShared } from './layout.ts'

/**
 * Where a term occurs. Weights are the field-weighted, length-normalized frequencies of BM25F, already summed over
 * the fields and rounded to 7 bits, so that ranking needs no lengths.
 */
export type PagePosting = {
  page: number
  /** The term's weight in the page as a whole. */
  pageWeight: number
  /** Its weight in the fields every passage of the page shares: title, path, link texts, description. */
  sharedWeight: number
  inTitle: boolean
  /** How many words the title has; 0 when the term is in no shared field. */
  titleLength: number
  passages: { passage: number; weight: number; positions: number[] }[]
}

export type PostingList = {
  surface: string
  passageCount: number
  pageCount: number
  bytes: Uint8Array
  start: number
  end: number
}

/** All forms of one word, such as `deploy`, `deploys`, `deployed`. */
export type TermGroup = { key: string; passageCount: number; pageCount: number; lists: PostingList[] }

export const mostPositions = 7

/** Weights between 0.02 and 80 in steps of 7%. */
export function packWeight(weight: number): number {
  if (weight <= 0) return 0
  return Math.max(1, Math.min(127, Math.round(1 + (Math.log(weight / 0.02) / weightSpan) * 126)))
}

const weightSpan = Math.log(4000)
export const weightOf: Float32Array = new Float32Array(128)
for (let packed = 1; packed < 128; packed++)
  weightOf[packed] = 0.02 * Math.exp(((packed - 1) / 126) * weightSpan)

/** Writes what a term weighs in a page; `passages` are so many, each its step and positions, its weight, its positions. */
export function writePosting(
  out: ByteWriter,
  pageStep: number,
  posting: Pick<PagePosting, 'pageWeight' | 'sharedWeight' | 'inTitle' | 'titleLength'>,
  passageCount: number,
  passages: Uint8Array,
): void {
  const shared = packWeight(posting.sharedWeight)
  out.varint(pageStep * 2 + (shared > 0 ? 1 : 0))
  out.byte(packWeight(posting.pageWeight))
  if (shared > 0) {
    out.byte(shared)
    out.byte((Math.min(63, posting.titleLength) << 1) | (posting.inTitle ? 1 : 0))
  }
  out.varint(passageCount)
  out.append(passages)
}

/**
 * Finds a key in a term shard. The directory is read anew each time, so that nothing but the bytes is kept, and only as
 * far as the key, because keys are sorted.
 */
export function findGroup(shard: Uint8Array, key: string): TermGroup | undefined {
  const input = new ByteReader(shard)
  const directoryBytes = input.varint()
  const count = input.varint()
  let start = input.offset + directoryBytes
  let candidate = ''
  for (let i = 0; i < count; i++) {
    candidate = readShared(input, candidate)
    if (candidate > key) return undefined
    const surfaces = input.varint()
    if (candidate === key) return readGroup(input, { key, surfaces, shard, start })
    for (let j = 0; j < surfaces; j++) {
      input.offset++
      input.skip(input.varint())
      input.skip(2)
      start += input.varint()
    }
    if (surfaces > 1) input.skip(2)
  }
  return undefined
}

function readGroup(
  input: ByteReader,
  group: { key: string; surfaces: number; shard: Uint8Array; start: number },
): TermGroup {
  const lists: PostingList[] = []
  let { start } = group
  for (let j = 0; j < group.surfaces; j++) {
    const surface = readShared(input, group.key)
    const passageCount = input.varint()
    const pageCount = input.varint()
    const end = start + input.varint()
    lists.push({ surface, passageCount, pageCount, bytes: group.shard, start, end })
    start = end
  }
  if (group.surfaces === 1) {
    return { key: group.key, passageCount: lists[0]!.passageCount, pageCount: lists[0]!.pageCount, lists }
  }
  return { key: group.key, passageCount: input.varint(), pageCount: input.varint(), lists }
}

export type GroupToWrite = {
  key: string
  passageCount: number
  pageCount: number
  lists: { surface: string; passageCount: number; pageCount: number; postings: Uint8Array }[]
}

/** What findGroup reads: a directory, then the postings of all lists in the same order. */
export function writeGroups(out: ByteWriter, directory: ByteWriter, groups: GroupToWrite[]): void {
  directory.length = 0
  let previous = ''
  for (const group of groups) {
    writeShared(directory, group.key, previous)
    directory.varint(group.lists.length)
    for (const list of group.lists) {
      writeShared(directory, list.surface, group.key)
      directory.varint(list.passageCount)
      directory.varint(list.pageCount)
      directory.varint(list.postings.length)
    }
    if (group.lists.length > 1) {
      directory.varint(group.passageCount)
      directory.varint(group.pageCount)
    }
    previous = group.key
  }
  out.varint(directory.length)
  out.varint(groups.length)
  out.append(directory.view())
  for (const group of groups) for (const list of group.lists) out.append(list.postings)
}
