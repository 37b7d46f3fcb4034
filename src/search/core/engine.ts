import type { SearchFilter, SearchHit, SearchRequest } from '../search-api.ts'
import { findShard, type PartitionMeta, type Root, readPartitionMeta, type TextShard } from './layout.ts'
import { mixRankings } from './mix-rankings.ts'
import { findGroup, type TermGroup } from './postings.ts'
import { parseQuery, type Query, type QueryTerm, stopWords } from './query.ts'
import { ranking, type ScoredPage, type ScoredTerm, Scorer } from './score.ts'
import { synonymsOf } from './synonyms.ts'
import { termKey } from './tokenize.ts'
import { allowedErrors, type Mended, nearestWords, wordsWithPrefix } from './words.ts'

/** Where the engine gets its files from; names as in layout.ts, without `.js`. */
export type IndexFiles = {
  root(): Promise<Root>
  bytes(name: string): Promise<Uint8Array>
  texts(name: string): Promise<TextShard>
}

/** Pages whose passages mean what the question means, nearest first, from whoever has vectors of them. */
export type NearestPages = (input: {
  partition: number
  firstPassage: Uint32Array
  accepts(page: number): boolean
  most: number
}) => Promise<NearPage[]>

export type NearPage = { page: number; passage: number; similarity: number }

/** Answers questions from the files of an index: the whole of the ranking, the same in a server and in a browser. */
export class SearchEngine {
  private readonly files: IndexFiles
  private readonly partitions = new Map<number, Promise<Partition>>()

  constructor(files: IndexFiles) {
    this.files = files
  }

  /** With `nearest`, what is near in meaning is mixed with what has the words; an identifier is looked for by itself. */
  async search(request: SearchRequest, nearest?: NearestPages): Promise<SearchHit[]> {
    const query = parseQuery(request.query)
    const partitions = await this.choosePartitions(request.filter ?? {})
    if (query.terms.length === 0 || partitions.length === 0 || request.limit < 1) return []
    const asked = await lookUpAll(partitions, query.terms.map(soughtAsWritten))
    const guesses = await guessTerms(query, partitions, asked, request.asYouType ?? false)
    const guessed = await lookUpAll(partitions, guesses)
    const plan = weigh(query, partitions, [...asked, ...guessed])
    let ranked: RankedPage[] = partitions.flatMap((partition, i) =>
      partition.score(plan.terms[i]!, request, query.literal !== '').map((found) => ({
        ...found,
        partition,
        score: plan.relativeScore(found.score),
        tier: 0,
      })),
    )
    ranked.sort(byTierAndScore)
    if (query.literal !== '') {
      const mostRead = request.asYouType ? mostReadWhileTyping : ranking.literalCandidates
      await putLiteralFirst(ranked, query, { exactBits: plan.exactBits, mostRead })
    } else if (nearest !== undefined) {
      const near = await Promise.all(partitions.map((partition) => partition.findNearest(nearest, request)))
      const byMeaning = near.flat().sort(byTierAndScore).slice(0, ranking.candidates)
      if (byMeaning.length > 0) ranked = mixRankings(ranked.slice(0, ranking.candidates), byMeaning, pageKey)
    }
    const threshold = request.scoreThreshold ?? 0
    const chosen = ranked.filter((found) => found.score >= threshold).slice(0, request.limit)
    return Promise.all(
      chosen.map(async ({ partition, page, passage, score, bits }) => {
        const hit = await partition.describe(page, passage)
        return { ...hit, score, coverage: plan.coverage(bits) }
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
}

type RankedPage = ScoredPage & { partition: Partition; tier: number }

function pageKey({ partition, page }: RankedPage): string {
  return `${partition.number}/${page}`
}

function byTierAndScore(a: RankedPage, b: RankedPage): number {
  return b.tier - a.tier || b.score - a.score
}

/** A reader's browser fetches the texts, so it reads few. */
const mostReadWhileTyping = 8

/** An identifier as written comes first, then where only links to a page have it, then its parts in a row, then the rest. */
async function putLiteralFirst(
  ranked: RankedPage[],
  query: Query,
  { exactBits, mostRead }: { exactBits: number; mostRead: number },
): Promise<void> {
  for (const found of ranked) {
    if (found.ownBits & exactBits) found.tier = 3
    else if (found.bits & exactBits) found.tier = 2
    else if (found.inARow.length > 0) found.tier = 1
  }
  if (!ranked.some((found) => found.tier === 3)) {
    const mayHave = ranked.filter((found) => found.inARow.length > 0).slice(0, mostRead)
    await Promise.all(mayHave.map((found) => findLiteral(found, query.literal)))
  }
  for (const found of ranked) found.score = (found.tier + found.score) / 4
  ranked.sort(byTierAndScore)
}

async function findLiteral(found: RankedPage, literal: string): Promise<void> {
  for (const passage of found.inARow) {
    const { content, heading } = await found.partition.describe(found.page, passage)
    if (!content.includes(literal) && !heading.includes(literal)) continue
    found.passage = passage
    found.tier = 3
    return
  }
}

/** A term to look up: one of the question's, or a guess at what was meant by it. */
type Sought = {
  term: string
  key: string
  /** The place of the question's term, which is also its bit. */
  index: number
  /** 1 as asked, less for a guess. */
  trust: number
}

/** What the partitions know of a term, in their order. */
type Found = { sought: Sought; groups: (TermGroup | undefined)[] }

function soughtAsWritten(term: QueryTerm, index: number): Sought {
  return { term: term.term, key: term.key, index, trust: 1 }
}

function lookUpAll(partitions: Partition[], terms: Sought[]): Promise<Found[]> {
  return Promise.all(
    terms.map(async (sought) => ({
      sought,
      groups: await Promise.all(partitions.map((partition) => partition.findTerm(sought.key))),
    })),
  )
}

const mostEndings = 4
const mostMended = 3

/** Words that begin as the unfinished last one does, and words near those the site does not have. */
async function guessTerms(
  query: Query,
  partitions: Partition[],
  asked: Found[],
  asYouType: boolean,
): Promise<Sought[]> {
  const guesses: Sought[] = []
  for (const { word, index } of query.compounds) {
    guesses.push({ term: word, key: termKey(word), index, trust: ranking.compound })
  }
  query.terms.forEach((term, index) => {
    if (term.kind !== 'word') return
    for (const word of synonymsOf(term.term)) {
      guesses.push({ term: word, key: termKey(word), index, trust: ranking.synonym })
    }
  })
  await Promise.all(
    query.terms.map(async (term, index) => {
      const known = asked[index]!.groups.some((group) => group !== undefined)
      const last = index === query.terms.length - 1
      if (last && (asYouType || (term.kind === 'bigram' && !known))) {
        const endings = await Promise.all(partitions.map((partition) => partition.endings(term.term)))
        const trust = known ? 0.3 : 0.7
        const most = known ? 2 : mostEndings
        for (const { word } of firstKeys(endings.flat(), term.key, most)) {
          guesses.push({ term: word, key: termKey(word), index, trust })
        }
        if (endings.some((found) => found.length > 0)) return
      }
      if (known || term.kind === 'exact' || term.kind === 'bigram') return
      const mended = (await Promise.all(partitions.map((partition) => partition.mend(term.term)))).flat()
      const least = Math.min(...mended.map(({ distance }) => distance))
      const nearest = mended.filter(({ distance }) => distance === least)
      for (const { word, distance } of firstKeys(nearest, term.key, mostMended)) {
        guesses.push({ term: word, key: termKey(word), index, trust: distance === 1 ? 0.7 : 0.4 })
      }
    }),
  )
  return guesses.sort((a, b) => a.index - b.index || b.trust - a.trust || (a.key < b.key ? -1 : 1))
}

/** The most frequent words, one of each group, apart from the group that was asked for. */
function firstKeys(words: Mended[], except: string, most: number): Mended[] {
  const byKey = new Map<string, Mended>()
  for (const candidate of words.sort((a, b) => b.frequency - a.frequency || (a.word < b.word ? -1 : 1))) {
    const key = termKey(candidate.word)
    if (key !== except && !byKey.has(key)) byKey.set(key, candidate)
  }
  return [...byKey.values()].slice(0, most)
}

class Partition {
  readonly meta: PartitionMeta
  readonly number: number
  private readonly files: IndexFiles
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

  score(terms: ScoredTerm[], request: SearchRequest, literal: boolean): ScoredPage[] {
    this.scorer ??= new Scorer(this.meta)
    const accepts = this.acceptsPages(request)
    if (accepts === undefined) return []
    const { folders } = this.meta
    const folder = request.currentPath === undefined ? 0 : folders.indexOf(folderOfPath(request.currentPath))
    return this.scorer.score(terms, accepts, { folder: Math.max(0, folder), literal })
  }

  async findNearest(nearest: NearestPages, request: SearchRequest): Promise<RankedPage[]> {
    const accepts = this.acceptsPages(request)
    if (accepts === undefined) return []
    const { firstPassage } = this.meta
    const found = await nearest({ partition: this.number, firstPassage, accepts, most: ranking.candidates })
    return found.map(({ page, passage, similarity }) => ({
      page,
      passage,
      score: Math.min(1, similarity),
      bits: 0,
      ownBits: 0,
      inARow: [],
      partition: this,
      tier: 0,
    }))
  }

  /** The filter by tag; undefined where no page has it. */
  private acceptsPages({ filter }: SearchRequest): ((page: number) => boolean) | undefined {
    if (filter?.tag === undefined) return () => true
    const { tagOf, tags } = this.meta
    const tag = tags.indexOf(filter.tag)
    return tag < 1 ? undefined : (page) => tagOf[page] === tag
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

  async findTerm(key: string): Promise<TermGroup | undefined> {
    const { termShardKeys } = this.meta
    if (termShardKeys.length === 0) return undefined
    const shard = await this.files.bytes(`${this.number}/t${findShard(termShardKeys, key)}`)
    return findGroup(shard, key)
  }

  async endings(prefix: string): Promise<Mended[]> {
    const shard = await this.wordShard(prefix)
    return shard === undefined ? [] : wordsWithPrefix(shard, prefix, mostEndings * 4)
  }

  /** Most people get the first letter right; the frequent words of all letters are looked at only otherwise. */
  async mend(word: string): Promise<Mended[]> {
    if (allowedErrors(word) === 0) return []
    const shard = await this.wordShard(word)
    const near = shard === undefined ? [] : nearestWords(shard, word, mostMended * 4)
    return near.length > 0
      ? near
      : nearestWords(await this.files.bytes(`${this.number}/v`), word, mostMended * 4)
  }

  private async wordShard(word: string): Promise<Uint8Array | undefined> {
    const shard = this.meta.wordShardLetters.indexOf(word[0] ?? '')
    return shard < 0 ? undefined : this.files.bytes(`${this.number}/v${shard}`)
  }
}

/** The folder that counts as a page's neighbourhood: the first two steps of its path at most. */
export function folderOfPath(path: string): string {
  const steps = path.replace(/^\/+/, '').split('/')
  return steps.slice(0, Math.min(2, steps.length - 1)).join('/')
}

type Plan = {
  terms: ScoredTerm[][]
  /** Relative to a passage that has every word of the question a few times. */
  relativeScore(score: number): number
  /** Bits of identifiers as written. */
  exactBits: number
  coverage(bits: number): number
}

/** Weighs the terms by their rarity over all chosen partitions, so that scores of several can be compared. */
function weigh(query: Query, partitions: Partition[], found: Found[]): Plan {
  const passages = partitions.reduce((sum, { meta }) => sum + meta.passageCount, 0)
  const pages = partitions.reduce((sum, { meta }) => sum + meta.pageCount, 0)
  const terms: ScoredTerm[][] = partitions.map(() => [])
  const shares = query.terms.map((term, index) => ({
    bit: 1 << index,
    wholeBits: 0,
    term,
    rarity: 0,
    pageRarity: 0,
    trust: 0,
    counts: term.kind === 'word' || term.kind === 'bigram',
  }))
  for (const share of shares) {
    if (share.counts) continue
    for (const part of shares) if (part.term.chunk === share.term.chunk) part.wholeBits |= share.bit
  }
  let perfect = 0
  for (const { sought, groups } of found) {
    const share = shares[sought.index]!
    const passageCount = groups.reduce((sum, group) => sum + (group?.passageCount ?? 0), 0)
    const pageCount = groups.reduce((sum, group) => sum + (group?.pageCount ?? 0), 0)
    let passageIdf = idf(passageCount, passages)
    let pageIdf = idf(pageCount, pages)
    if (sought.trust === 1) {
      share.rarity = passageIdf
      share.pageRarity = pageIdf
      if (share.counts) perfect += passageIdf + ranking.page * pageIdf
    } else if (share.trust === 1) {
      // Another word for the same thing is not rarer than the thing.
      passageIdf = Math.min(passageIdf, share.rarity)
      pageIdf = Math.min(pageIdf, share.pageRarity)
    }
    if (passageCount > 0 || pageCount > 0) share.trust = Math.max(share.trust, sought.trust)
    const { bit, counts, term } = share
    groups.forEach((group, p) => {
      if (group === undefined) return
      const shared = {
        bit,
        position: term.position,
        chunk: term.chunk,
        hasPositions: !stopWords.has(term.term),
      }
      const weight = sought.trust * (counts ? 1 : query.literal === '' ? ranking.identifier : ranking.literal)
      terms[p]!.push({ ...shared, counts, passageIdf, pageIdf, weight, lists: group.lists })
      const exact = group.lists.find((list) => list.surface === sought.term)
      if (term.kind !== 'word' || exact === undefined) return
      terms[p]!.push({
        ...shared,
        counts: false,
        passageIdf: idf(exact.passageCount, partitions[p]!.meta.passageCount),
        pageIdf: idf(exact.pageCount, partitions[p]!.meta.pageCount),
        weight: sought.trust * ranking.exactForm,
        lists: [exact],
      })
    })
  }
  const counted = shares.filter((share) => share.counts)
  const total = counted.reduce((sum, share) => sum + share.rarity, 0)
  const exactBits = shares.reduce(
    (bits, share) => bits | (share.term.term === `=${query.literal}` ? share.bit : 0),
    0,
  )
  return {
    terms,
    relativeScore: (score) => 1 - Math.exp(-score / Math.max(1e-9, perfect * 2.5)),
    exactBits,
    coverage: (bits) => {
      let sum = 0
      for (const { bit, wholeBits, rarity, trust } of counted) {
        if (bits & wholeBits) sum += rarity
        else if (bits & bit) sum += rarity * trust
      }
      return total === 0 ? 0 : sum / total
    },
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
