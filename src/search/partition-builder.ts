import { ByteReader, ByteWriter } from './core/bytes.ts'
import { folderOfPath } from './core/engine.ts'
import { type RootPartition, writePartitionMeta, writeShared } from './core/layout.ts'
import { type GroupToWrite, packWeight, writeGroups, writePosting } from './core/postings.ts'
import { termKey, tokenize } from './core/tokenize.ts'
import {
  type PageRecord,
  type PassageField,
  passageFields,
  type RecordHead,
  sharedFields,
  withLinkCount,
} from './page-record.ts'
import { TermLog } from './term-log.ts'

/** How much a word counts by where it stands, and how much the length of that place weighs (b of BM25). */
export const fields = {
  title: { weight: 3, b: 0.5 },
  path: { weight: 2.5, b: 0.5 },
  links: { weight: 3, b: 0.5 },
  description: { weight: 3, b: 0.5 },
  heading: { weight: 2, b: 0.5 },
  body: { weight: 1, b: 0.5 },
  code: { weight: 0.4, b: 0.7 },
}
type Field = keyof typeof fields

const termShardBytes = 11_000
const textShardCharacters = 7_000
const wordShardBytes = 40_000

/** Collects the pages of one version and language, then writes their part of the index. */
export class PartitionBuilder {
  private readonly facets: { version?: string; language?: string }
  private readonly log = new TermLog()
  private readonly scratch = new ByteWriter(4096)
  private readonly lastPage: number[] = []
  private readonly pageLengths: Record<Field, number[]> = emptyLengths()
  private readonly passageLengths: Record<Field, number[]> = emptyLengths()
  private readonly firstPassage: number[] = [0]
  private readonly tags = new Names()
  private readonly folders = new Names()
  private readonly boosts: number[] = []
  private readonly textShardStarts: number[] = []
  private textShard: { pages: string[]; passages: Uint8Array[]; path?: string } = { pages: [], passages: [] }
  private textCharacters = 0
  private readonly finishedShards: TextShardFile[] = []

  constructor(facets: { version?: string; language?: string }) {
    this.facets = {
      ...(facets.version === undefined ? {} : { version: facets.version }),
      ...(facets.language === undefined ? {} : { language: facets.language }),
    }
  }

  add({ head, passages, terms }: PageRecord, linkTexts: string[]): void {
    const number = this.boosts.length
    const links = this.logPage(number, terms, linkTexts)
    const sums = { heading: 0, body: 0, code: 0 }
    for (const [local, passage] of head.passages.entries()) {
      for (const field of passageFields) {
        this.passageLengths[field].push(passage.lengths[field])
        sums[field] += passage.lengths[field]
      }
      this.addText(head, passages[local]!, passage.characters)
    }
    const all = { ...head.lengths, links, ...sums }
    for (const field of [...sharedFields, ...passageFields]) this.pageLengths[field].push(all[field])
    this.firstPassage.push(this.firstPassage.at(-1)! + passages.length)
    this.tags.push(head.tag)
    this.folders.push(folderOfPath(head.path))
    this.boosts.push(Math.max(0, Math.min(4096, Math.round(head.boost * 16))))
  }

  takeTextShards(): TextShardFile[] {
    return this.finishedShards.splice(0)
  }

  finishTextShards(): TextShardFile[] {
    this.flushText()
    return this.takeTextShards()
  }

  summary(): RootPartition {
    return { ...this.facets, pages: this.boosts.length, passages: this.firstPassage.at(-1)! }
  }

  /** The files of terms and words, one by one: between two of them others may have a turn. */
  *finish(): Generator<{ name: string; bytes: Uint8Array }> {
    const norms = this.norms()
    const byKey = Map.groupBy(this.log.terms(), ([term]) => termKey(term))
    const keys = [...byKey.keys()].sort(compare)
    const termShardKeys: string[] = []
    const directory = new ByteWriter(4096)
    const words: { word: string; pageCount: number }[] = []
    let groups: GroupToWrite[] = []
    let size = 0
    let lastKey = ''
    const takeShard = () => {
      const out = new ByteWriter(size + 4096)
      writeGroups(out, directory, groups)
      const name = `t${termShardKeys.length}`
      termShardKeys.push(shortestBetween(lastKey, groups[0]!.key))
      lastKey = groups.at(-1)!.key
      groups = []
      size = 0
      return { name, bytes: out.view().slice() }
    }
    for (const key of keys) {
      const group = this.encodeGroup(key, byKey.get(key)!, norms)
      const bytes = group.lists.reduce((sum, list) => sum + list.postings.length + 8, key.length)
      if (size > 0 && size + bytes > termShardBytes) yield takeShard()
      groups.push(group)
      size += bytes
      for (const list of group.lists) {
        if (isMendable(list.surface)) words.push({ word: list.surface, pageCount: list.pageCount })
      }
    }
    if (groups.length > 0) yield takeShard()
    const wordShards = writeWordShards(words)
    yield* wordShards.files
    yield {
      name: 'meta',
      bytes: writePartitionMeta({
        pageCount: this.boosts.length,
        passageCount: this.firstPassage.at(-1)!,
        firstPassage: Uint32Array.from(this.firstPassage),
        tags: this.tags.names,
        tagOf: Uint16Array.from(this.tags.numbers),
        folders: this.folders.names,
        folderOf: Uint16Array.from(this.folders.numbers),
        boostOf: Uint16Array.from(this.boosts),
        termShardKeys,
        textShardStarts: this.textShardStarts,
        wordShardLetters: wordShards.letters,
      }),
    }
  }

  /** Raw counts; weights need the average lengths, which are known only at the end. */
  private logPage(number: number, terms: PageRecord['terms'], linkTexts: string[]): number {
    const inLinks = new Map<string, number>()
    const links = tokenize([...new Set(linkTexts)].join('\n'), (term) => {
      inLinks.set(term, (inLinks.get(term) ?? 0) + 1)
    })
    for (const { term, counts } of terms) {
      const count = inLinks.get(term)
      if (count === undefined) this.logTerm(number, term, counts)
      else {
        this.logTerm(number, term, withLinkCount(counts, count))
        inLinks.delete(term)
      }
    }
    for (const [term, count] of inLinks) this.logTerm(number, term, withLinkCount(undefined, count))
    return links
  }

  private logTerm(number: number, term: string, counts: Uint8Array): void {
    const id = this.log.id(term)
    this.log.push(id, number - (this.lastPage[id] ?? 0))
    this.lastPage[id] = number
    this.log.append(id, counts)
  }

  private encodeGroup(key: string, members: [string, number][], norms: Norms): GroupToWrite {
    const several = members.length > 1 ? { pages: new Set<number>(), passages: new Set<number>() } : undefined
    const lists = members
      .sort(([a], [b]) => compare(a, b))
      .map(([surface, id]) => ({ surface, ...this.encodeList(id, norms, several) }))
    return {
      key,
      pageCount: several?.pages.size ?? lists[0]!.pageCount,
      passageCount: several?.passages.size ?? lists[0]!.passageCount,
      lists,
    }
  }

  /** Turns the counts of a term into weights. All of a site's words pass here, so it makes nothing that is thrown away. */
  private encodeList(
    id: number,
    norms: Norms,
    several: { pages: Set<number>; passages: Set<number> } | undefined,
  ): { pageCount: number; passageCount: number; postings: Uint8Array } {
    const out = new ByteWriter(64)
    const inside = this.scratch
    const input = new ByteReader(this.log.read(id))
    const { heading: headingIn, body: bodyIn, code: codeIn } = norms.passage
    let page = 0
    let previousPage = 0
    let pageCount = 0
    let passageCount = 0
    while (input.offset < input.bytes.length) {
      page += input.varint()
      const bits = input.varint()
      let sharedWeight = 0
      for (let field = 0; field < sharedFields.length; field++) {
        if (bits & (1 << field)) sharedWeight += input.varint() * norms.shared[field]![page]!
      }
      const first = this.firstPassage[page]!
      const count = input.varint()
      let local = 0
      let headings = 0
      let bodies = 0
      let codes = 0
      inside.length = 0
      for (let i = 0; i < count; i++) {
        const step = input.varint()
        local += step
        const heading = input.varint()
        const body = input.varint()
        const code = input.varint()
        headings += heading
        bodies += body
        codes += code
        const passage = first + local
        const weight = heading * headingIn[passage]! + body * bodyIn[passage]! + code * codeIn[passage]!
        const positions = input.varint()
        inside.varint(step * 8 + positions)
        inside.byte(packWeight(weight))
        const start = input.offset
        input.skip(positions)
        for (let at = start; at < input.offset; at++) inside.byte(input.bytes[at]!)
        several?.passages.add(passage)
      }
      const { heading, body, code } = norms.page
      const pageWeight = sharedWeight + headings * heading[page]! + bodies * body[page]! + codes * code[page]!
      writePosting(
        out,
        page - previousPage,
        { pageWeight, sharedWeight, inTitle: (bits & 1) === 1, titleLength: this.pageLengths.title[page]! },
        count,
        inside.view(),
      )
      previousPage = page
      pageCount++
      passageCount += count
      several?.pages.add(page)
    }
    return { pageCount, passageCount, postings: out.view().slice() }
  }

  /** What one occurrence weighs, by field and place: shorter places count more. */
  private norms(): Norms {
    const of = (field: Field, lengths: number[]): Float64Array => {
      const { weight, b } = fields[field]
      let sum = 0
      let filled = 0
      for (const length of lengths) {
        sum += length
        if (length > 0) filled++
      }
      const average = filled > 0 ? sum / filled : 1
      return Float64Array.from(lengths, (length) => weight / (1 - b + (b * length) / average))
    }
    const byField = (lengths: Record<Field, number[]>) => ({
      heading: of('heading', lengths.heading),
      body: of('body', lengths.body),
      code: of('code', lengths.code),
    })
    return {
      shared: sharedFields.map((field) => of(field, this.pageLengths[field])),
      page: byField(this.pageLengths),
      passage: byField(this.passageLengths),
    }
  }

  private addText(head: RecordHead, passage: Uint8Array, characters: number): void {
    if (this.textCharacters > 0 && this.textCharacters + characters > textShardCharacters) this.flushText()
    const { pages, passages } = this.textShard
    if (this.textShard.path !== head.path) {
      pages.push(JSON.stringify([head.path, head.title, head.description, head.tag]))
      this.textShard.path = head.path
    }
    passages.push(Buffer.from(`${passages.length === 0 ? '' : ','}[${pages.length - 1},`), passage)
    this.textCharacters += characters
  }

  private flushText(): void {
    const { pages, passages } = this.textShard
    if (passages.length === 0) return
    const number = this.textShardStarts.length
    this.textShardStarts.push(this.textStart)
    this.textStart += passages.length / 2
    const start = Buffer.from(`{"pages":[${pages.join(',')}],"passages":[`)
    this.finishedShards.push({ number, json: Buffer.concat([start, ...passages, Buffer.from(']}')]) })
    this.textShard = { pages: [], passages: [] }
    this.textCharacters = 0
  }

  private textStart = 0
}

/** A TextShard as JSON. */
export type TextShardFile = { number: number; json: Buffer }

type Norms = {
  shared: Float64Array[]
  page: Record<PassageField, Float64Array>
  passage: Record<PassageField, Float64Array>
}

/** Names numbered in order of appearance; the empty name is 0. */
class Names {
  readonly names: string[] = ['']
  readonly numbers: number[] = []
  private readonly known = new Map([['', 0]])

  push(name: string): void {
    let number = this.known.get(name)
    if (number === undefined) {
      number = this.names.length < 65535 ? this.names.push(name) - 1 : 0
      this.known.set(name, number)
    }
    this.numbers.push(number)
  }
}

/** Words whose typing errors are worth mending. */
function isMendable(word: string): boolean {
  return word.length >= 3 && word.length <= 24 && /^\p{L}[\p{L}\p{N}]*$/u.test(word)
}

/** Sorted words by first letter, and the most frequent ones of all letters for errors in the first. */
function writeWordShards(words: { word: string; pageCount: number }[]): {
  letters: string[]
  files: { name: string; bytes: Uint8Array }[]
} {
  const sorted = words.sort((a, b) => compare(a.word, b.word))
  const letters: string[] = []
  const files: { name: string; bytes: Uint8Array }[] = []
  for (const [letter, list] of Map.groupBy(sorted, ({ word }) => word[0]!)) {
    files.push({ name: `v${letters.length}`, bytes: encodeWords(list) })
    letters.push(letter)
  }
  for (let least = 1; ; least *= 2) {
    const bytes = encodeWords(sorted.filter(({ pageCount }) => pageCount >= least))
    if (bytes.length > wordShardBytes * 2) continue
    files.push({ name: 'v', bytes })
    break
  }
  return { letters, files }
}

function encodeWords(words: { word: string; pageCount: number }[]): Uint8Array {
  const out = new ByteWriter(words.length * 8 + 16)
  out.varint(words.length)
  let previous = ''
  for (const { word, pageCount } of words) {
    writeShared(out, word, previous)
    out.byte(Math.min(127, Math.round(Math.log2(pageCount) * 4)))
    previous = word
  }
  return out.view()
}

function emptyLengths(): Record<Field, number[]> {
  return { title: [], path: [], links: [], description: [], heading: [], body: [], code: [] }
}

/** The shortest beginning of `next` that is still after `last`: enough to find the shard. */
function shortestBetween(last: string, next: string): string {
  for (let length = 1; length < next.length; length++) {
    const beginning = next.slice(0, length)
    if (beginning > last) return beginning
  }
  return next
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
