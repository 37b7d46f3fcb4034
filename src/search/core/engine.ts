import type { SearchFilter, SearchHit, SearchRequest } from '../search-api.ts'
import { findShard, type PartitionMeta, type Root, readPartitionMeta, type TextShard } from './layout.ts'
import { findGroup, type TermGroup } from './postings.ts'
import { parseQuery, type Query } from './query.ts'
import { ranking, Scorer, type ScoredPage, type ScoredTerm } from './score.ts'

/** Where the engine gets its files from; names as in layout.ts, without `.js`. */
export type IndexFiles = {
  root(): Promise<Root>
  bytes(name: string): Promise<Uint8Array>
  texts(name: string): Promise<TextShard>
}

/** Answers questions from the files of an index: the whole of the ranking, the same in a server and in a browser. */
export class SearchEngine {
  private readonly files: IndexFiles
  private readonly partitions = new Map<number, Promise<Partition>>()

  constructor(files: IndexFiles) {
    this.files = files
  }

  async search(request: SearchRequest): Promise<SearchHit[]> {
    const query = parseQuery(request.query)
    const partitions = await this.choosePartitions(request.filter ?? {})
    if (query.terms.length === 0 || partitions.length === 0 || request.limit < 1) return []
    const lookups = await Promise.all(partitions.map((partition) => partition.lookUp(query)))
    const plan = weigh(query, partitions, lookups)
    const ranked = partitions.flatMap((partition, i) =>
      partition
        .score(plan.terms[i]!, request)
        .map((found) => ({ ...found, partition, score: found.score / plan.perfectScore })),
    )
    ranked.sort((a, b) => b.score - a.score)
    const threshold = request.scoreThreshold ?? 0
    const chosen = ranked.filter((found) => found.score >= threshold).slice(0, request.limit)
    return Promise.all(
      chosen.map(async ({ partition, page, passage, score, bits }) => {
        const hit = await partition.describe(page, passage)
        return { ...hit, score: Math.min(1, score), coverage: plan.coverage(bits) }
      }),
    )
  }

  /** Loads what every query needs, so that the first one is quick. */
  async warm(filter: SearchFilter = {}): Promise<void> {
    await this.choosePartitions(filter)
  }

  /** A value the index does not know selects nothing; pages without a version or language belong to all of them. */
  private async choosePartitions(filter: SearchFilter): Promise<Partition[]> {
    const { partitions } = await this.files.root()
    const knows = (name: 'version' | 'language') =>
      filter[name] === undefined || partitions.some((partition) => partition[name] === filter[name])
    if (!knows('version') || !knows('language')) return []
    const chosen = partitions.flatMap((partition, i) => {
      const fits = (name: 'version' | 'language') =>
        filter[name] === undefined || partition[name] === undefined || partition[name] === filter[name]
      return fits('version') && fits('language') ? [i] : []
    })
    return Promise.all(chosen.map((i) => this.openPartition(i)))
  }

  private openPartition(number: number): Promise<Partition> {
    const known = this.partitions.get(number)
    if (known !== undefined) return known
    const opened = Promise.all([this.files.root(), this.files.bytes(`${number}/meta`)]).then(
      ([root, bytes]) =>
        new Partition({
          files: this.files,
          number,
          meta: readPartitionMeta(bytes),
          facets: root.partitions[number]!,
        }),
    )
    opened.catch(() => this.partitions.delete(number)) // A failed read may succeed the next time.
    this.partitions.set(number, opened)
    return opened
  }

  /** Bytes held for ranking, apart from the files' own cache. */
  async sizeBytes(): Promise<number> {
    let sum = 0
    for (const partition of await Promise.all(this.partitions.values())) sum += partition.sizeBytes
    return sum
  }
}

type Lookup = (TermGroup | undefined)[]

class Partition {
  readonly meta: PartitionMeta
  private readonly files: IndexFiles
  private readonly number: number
  private readonly facets: { version?: string; language?: string }
  private scorer: Scorer | undefined

  constructor(input: {
    files: IndexFiles
    number: number
    meta: PartitionMeta
    facets: { version?: string; language?: string }
  }) {
    this.files = input.files
    this.number = input.number
    this.meta = input.meta
    this.facets = input.facets
  }

  get sizeBytes(): number {
    return this.meta.pageCount * 10 + (this.scorer?.sizeBytes ?? 0)
  }

  lookUp(query: Query): Promise<Lookup> {
    return Promise.all(query.terms.map((term) => this.findTerm(term.key)))
  }

  score(terms: ScoredTerm[], request: SearchRequest): ScoredPage[] {
    this.scorer ??= new Scorer(this.meta)
    const { tagOf, tags, folders } = this.meta
    const wantedTag = request.filter?.tag
    const tag = wantedTag === undefined ? -1 : tags.indexOf(wantedTag)
    if (wantedTag !== undefined && (tag < 1 || wantedTag === '')) return []
    const folder = request.currentPath === undefined ? 0 : folders.indexOf(folderOfPath(request.currentPath))
    return this.scorer.score(terms, tag < 0 ? () => true : (page) => tagOf[page] === tag, Math.max(0, folder))
  }

  async describe(page: number, passage: number): Promise<Omit<SearchHit, 'score' | 'coverage'>> {
    const shard = findShard(this.meta.textShardStarts, passage)
    const { pages, passages } = await this.files.texts(`${this.number}/x${shard}`)
    const stored = passages[passage - this.meta.textShardStarts[shard]!]
    if (stored === undefined)
      throw new Error(`The search index is damaged: passage ${passage} of page ${page} is missing.`)
    const [pageIndex, heading, anchor, text, ...code] = stored
    const [path, title, description, tag] = pages[pageIndex]!
    return {
      path,
      title,
      description,
      heading: heading === '' ? title : `${title} › ${heading}`,
      ...(anchor === '' ? {} : { anchor }),
      content: joinContent(text, code),
      ...(this.facets.version === undefined ? {} : { version: this.facets.version }),
      ...(this.facets.language === undefined ? {} : { language: this.facets.language }),
      ...(tag === '' ? {} : { tag }),
    }
  }

  private async findTerm(key: string): Promise<TermGroup | undefined> {
    const { termShardKeys } = this.meta
    if (termShardKeys.length === 0) return undefined
    const shard = await this.files.bytes(`${this.number}/t${findShard(termShardKeys, key)}`)
    return findGroup(shard, key)
  }
}

/** The folder that counts as a page's neighbourhood: the first two steps of its path at most. */
export function folderOfPath(path: string): string {
  const steps = path.replace(/^\/+/, '').split('/')
  return steps.slice(0, Math.min(2, steps.length - 1)).join('/')
}

type Plan = { terms: ScoredTerm[][]; perfectScore: number; coverage(bits: number): number }

/** Weighs the terms by their rarity over all chosen partitions, so that scores of several can be compared. */
function weigh(query: Query, partitions: Partition[], lookups: Lookup[]): Plan {
  const passages = partitions.reduce((sum, { meta }) => sum + meta.passageCount, 0)
  const pages = partitions.reduce((sum, { meta }) => sum + meta.pageCount, 0)
  const terms: ScoredTerm[][] = partitions.map(() => [])
  const shares: { bit: number; idf: number; chunk: number }[] = []
  let perfect = 0
  query.terms.forEach((term, i) => {
    const bit = 1 << i
    const groups = lookups.map((lookup) => lookup[i])
    const passageCount = groups.reduce((sum, group) => sum + (group?.passageCount ?? 0), 0)
    const pageCount = groups.reduce((sum, group) => sum + (group?.pageCount ?? 0), 0)
    const passageIdf = idf(passageCount, passages)
    const pageIdf = idf(pageCount, pages)
    const counts = term.kind === 'word' || term.kind === 'bigram'
    if (counts) {
      shares.push({ bit, idf: passageIdf, chunk: term.chunk })
      perfect += passageIdf + ranking.page * pageIdf
    }
    groups.forEach((group, p) => {
      if (group === undefined) return
      const shared = { bit, position: term.position, chunk: term.chunk, counts }
      terms[p]!.push({ ...shared, passageIdf, pageIdf, weight: 1, lists: group.lists })
      if (term.kind !== 'word') return
      const exact = group.lists.find((list) => list.surface === term.term)
      if (exact === undefined) return
      terms[p]!.push({
        ...shared,
        counts: false,
        passageIdf: idf(exact.passageCount, partitions[p]!.meta.passageCount),
        pageIdf: idf(exact.pageCount, partitions[p]!.meta.pageCount),
        weight: ranking.exactForm,
        lists: [exact],
      })
    })
  })
  const total = shares.reduce((sum, share) => sum + share.idf, 0)
  return {
    terms,
    perfectScore: Math.max(1e-9, perfect * 2.5),
    coverage: (bits) =>
      total === 0 ? 0 : shares.reduce((sum, share) => sum + (bits & share.bit ? share.idf : 0), 0) / total,
  }
}

function idf(count: number, all: number): number {
  return Math.log(1 + (all - count + 0.5) / (count + 0.5))
}

/** Prose, then the code blocks fenced. */
function joinContent(text: string, code: string[]): string {
  const blocks = text === '' ? [] : [text]
  for (let i = 0; i + 1 < code.length; i += 2) blocks.push(`\`\`\`${code[i]}\n${code[i + 1]}\n\`\`\``)
  return blocks.join('\n\n')
}
