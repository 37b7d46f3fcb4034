import type { PartitionMeta } from './layout.ts'
import { mostPositions, type PostingList, weightOf } from './postings.ts'

/** What ranking adds up; every number is the same on the server and in the browser. */
export const ranking = {
  /** Saturation of BM25: how much a word's repetition still counts. */
  k1: 4,
  /** A form as typed counts this much beside its stem. */
  exactForm: 0.4,
  /** A whole identifier beside its parts. */
  identifier: 0.4,
  /** The same where the question is nothing but the identifier. */
  literal: 4,
  /** Words that mean the same, and two words written as one. */
  synonym: 0.3,
  compound: 0.5,
  /** The page as a whole beside its best passage. */
  page: 0.8,
  /** How much of a page's title the question has. */
  title: 0.3,
  secondPassage: 0.3,
  proximity: 0.4,
  /** What two neighbouring words of the question count in a passage, by how far apart they stand at most. */
  nearby: [
    { within: 2, share: 1 },
    { within: 5, share: 0.7 },
    { within: 12, share: 0.4 },
  ],
  /** And how much of that the other way round. */
  turnedAround: 0.7,
  /** Pages looked at closely, and passages of each. */
  candidates: 60,
  passagesEach: 4,
  /** Pages of which some are read to see whether they have a literal as written. */
  literalCandidates: 300,
  folder: 0.05,
}

/** A term of the question as one partition knows it, weighed. */
export type ScoredTerm = {
  /** The bit that says a passage has it. */
  bit: number
  position: number
  chunk: number
  passageIdf: number
  pageIdf: number
  /** Multiplies the score: 1 for a word as asked, less for a guess. */
  weight: number
  lists: PostingList[]
  /** False for further forms of a word that another term stands for, which do not count as covered by themselves. */
  counts: boolean
  /** False for words so common that their positions are not kept. */
  hasPositions: boolean
}

export type ScoredPage = {
  page: number
  passage: number
  score: number
  bits: number
  /** Bits of what stands in the page's own title and passages, not only in links to it. */
  ownBits: number
  /** Where the question is one literal: passages that have its words in a row, as far as positions tell. */
  inARow: number[]
}

/** Scratch arrays of one partition, kept between queries and always left empty. */
export class Scorer {
  private readonly meta: PartitionMeta
  private readonly passageScore: Float32Array
  private readonly passageBits: Uint32Array
  private readonly passageTerm: Float32Array
  private readonly pageBase: Float32Array
  private readonly pageScore: Float32Array
  private readonly pageBits: Uint32Array
  private readonly titleBits: Uint32Array
  private readonly titleLength: Uint8Array
  private readonly pageTerm: Float32Array
  private readonly sharedTerm: Float32Array
  private readonly pageOfPassage: Uint32Array
  private readonly termPages: Uint32Array
  private readonly termPassages: Uint32Array
  private readonly places = new PostingPlaces()

  constructor(meta: PartitionMeta) {
    this.meta = meta
    this.passageScore = new Float32Array(meta.passageCount)
    this.passageBits = new Uint32Array(meta.passageCount)
    this.passageTerm = new Float32Array(meta.passageCount)
    this.pageBase = new Float32Array(meta.pageCount)
    this.pageScore = new Float32Array(meta.pageCount)
    this.pageBits = new Uint32Array(meta.pageCount)
    this.titleBits = new Uint32Array(meta.pageCount)
    this.titleLength = new Uint8Array(meta.pageCount)
    this.pageTerm = new Float32Array(meta.pageCount)
    this.sharedTerm = new Float32Array(meta.pageCount)
    this.pageOfPassage = new Uint32Array(meta.passageCount)
    this.termPages = new Uint32Array(meta.pageCount)
    this.termPassages = new Uint32Array(meta.passageCount)
    for (let page = 0; page < meta.pageCount; page++) {
      this.pageOfPassage.fill(page, meta.firstPassage[page]!, meta.firstPassage[page + 1]!)
    }
  }

  /** The best pages with their best passages, best first; `accepts` is the filter. */
  score(
    terms: ScoredTerm[],
    accepts: (page: number) => boolean,
    options: { folder: number; literal: boolean },
  ): ScoredPage[] {
    const touched: number[] = []
    this.places.clear()
    for (const term of terms) this.addTerm(term, accepts, touched)
    const most = options.literal ? ranking.literalCandidates : ranking.candidates
    const candidates = this.firstRound(touched, terms, options.folder, most)
    const refined = this.secondRound(candidates, terms, options.literal)
    for (const page of touched) this.clear(page)
    return refined
  }

  private addTerm(term: ScoredTerm, accepts: (page: number) => boolean, touched: number[]): void {
    const { firstPassage } = this.meta
    const { termPages, termPassages, places } = this
    let pageCount = 0
    let passageCount = 0
    for (const list of term.lists) {
      const { bytes, end } = list
      places.begin(list)
      let at = list.start
      let page = 0
      while (at < end) {
        let value = bytes[at++]!
        if (value >= 128) {
          let scale = 128
          value &= 127
          for (let more = 128; more >= 128; scale *= 128) {
            more = bytes[at++]!
            value += (more & 127) * scale
          }
        }
        page += value >> 1
        const open = accepts(page)
        if (open && this.pageTerm[page] === 0) termPages[pageCount++] = page
        const pageWeight = weightOf[bytes[at++]!]!
        if (open) this.pageTerm[page]! += pageWeight
        if (value & 1) {
          if (open) {
            this.sharedTerm[page]! += weightOf[bytes[at]!]!
            const title = bytes[at + 1]!
            if (title & 1) this.titleBits[page]! |= term.bit
            this.titleLength[page] = title >> 1
          }
          at += 2
        }
        if (open) places.add(page, at)
        let count = bytes[at++]!
        if (count >= 128) {
          let scale = 128
          count &= 127
          for (let more = 128; more >= 128; scale *= 128) {
            more = bytes[at++]!
            count += (more & 127) * scale
          }
        }
        let passage = firstPassage[page]!
        for (let i = 0; i < count; i++) {
          let head = bytes[at++]!
          if (head >= 128) {
            let scale = 128
            head &= 127
            for (let more = 128; more >= 128; scale *= 128) {
              more = bytes[at++]!
              head += (more & 127) * scale
            }
          }
          passage += head >> 3
          if (open) {
            if (this.passageTerm[passage] === 0) termPassages[passageCount++] = passage
            this.passageTerm[passage]! += weightOf[bytes[at]!]!
          }
          at++
          for (let positions = head & 7; positions > 0; ) if (bytes[at++]! < 128) positions--
        }
      }
    }
    const { k1 } = ranking
    const passageFactor = term.weight * term.passageIdf * (k1 + 1)
    const pageFactor = term.weight * term.pageIdf * (k1 + 1)
    for (let i = 0; i < passageCount; i++) {
      const passage = termPassages[i]!
      const shared = this.sharedTerm[this.pageOfPassage[passage]!]!
      const own = this.passageTerm[passage]!
      this.passageScore[passage]! +=
        passageFactor * ((own + shared) / (k1 + own + shared) - shared / (k1 + shared))
      this.passageBits[passage]! |= term.bit
      this.passageTerm[passage] = 0
    }
    for (let i = 0; i < pageCount; i++) {
      const page = termPages[i]!
      if (this.pageScore[page] === 0) touched.push(page)
      const whole = this.pageTerm[page]!
      const shared = this.sharedTerm[page]!
      this.pageScore[page]! += (pageFactor * whole) / (k1 + whole)
      this.pageBase[page]! += (passageFactor * shared) / (k1 + shared)
      if (shared > 0) this.pageBits[page]! |= term.bit
      this.pageTerm[page] = 0
      this.sharedTerm[page] = 0
    }
  }

  /** Scores every touched page by its best passage, without proximity. */
  private firstRound(touched: number[], terms: ScoredTerm[], folder: number, most: number): ScoredPage[] {
    const { firstPassage, boostOf, folderOf } = this.meta
    const best: ScoredPage[] = []
    let least = 0
    for (const page of touched) {
      let passage = firstPassage[page]!
      let second = 0
      for (let i = passage + 1; i < firstPassage[page + 1]!; i++) {
        if (this.passageScore[i]! > this.passageScore[passage]!) {
          second = this.passageScore[passage]!
          passage = i
        } else if (this.passageScore[i]! > second) second = this.passageScore[i]!
      }
      this.pageScore[page]! += (ranking.secondPassage / ranking.page) * second
      const score =
        (this.pageBase[page]! + this.passageScore[passage]! + ranking.page * this.pageScore[page]!) *
        (1 + ranking.title * this.titleShare(page, terms)) *
        (boostOf[page]! / 16) *
        (folder > 0 && folderOf[page] === folder ? 1 + ranking.folder : 1)
      if (best.length >= most && score <= least) continue
      best.push({ page, passage, score, bits: 0, ownBits: 0, inARow: [] })
      if (best.length >= most * 4) {
        best.sort(byScore)
        best.length = most
        least = best[most - 1]!.score
      }
    }
    return best.sort(byScore).slice(0, most)
  }

  /** How much of the title the question has: all of `Limits` in "what limits are there?". */
  private titleShare(page: number, terms: ScoredTerm[]): number {
    const bits = this.titleBits[page]!
    if (bits === 0) return 0
    let count = 0
    let counted = 0
    for (const term of terms) {
      if (!term.counts || !(bits & term.bit) || counted & term.bit) continue
      counted |= term.bit
      count++
    }
    return Math.min(1, count / Math.max(1, this.titleLength[page]!))
  }

  /** Looks at the best passages of the candidates again, now with the distance between words. */
  private secondRound(candidates: ScoredPage[], terms: ScoredTerm[], literal: boolean): ScoredPage[] {
    const { firstPassage } = this.meta
    const passages = new Map<number, PassageWords>()
    for (const candidate of candidates) {
      const first = firstPassage[candidate.page]!
      const end = firstPassage[candidate.page + 1]!
      const order: number[] = []
      for (let i = first; i < end; i++) if (this.passageScore[i]! > 0) order.push(i)
      order.sort((a, b) => this.passageScore[b]! - this.passageScore[a]! || a - b)
      const looked = literal ? order : order.slice(0, ranking.passagesEach)
      for (const passage of looked) passages.set(passage, new Map())
    }
    const pages = candidates.map((candidate) => candidate.page).sort((a, b) => a - b)
    for (const term of terms) for (const list of term.lists) this.collect(list, term, pages, passages)

    const pairs = neighbouringPairs(terms)
    const places = [
      ...new Set(terms.filter((term) => term.counts && term.hasPositions).map((term) => term.position)),
    ].sort((a, b) => a - b)
    for (const candidate of candidates) {
      const first = firstPassage[candidate.page]!
      const base = this.pageBase[candidate.page]! + ranking.page * this.pageScore[candidate.page]!
      const factor = candidate.score / (base + this.passageScore[candidate.passage]!)
      let bestScore = -1
      candidate.ownBits = this.titleBits[candidate.page]!
      for (let i = first; i < firstPassage[candidate.page + 1]!; i++) {
        const words = passages.get(i)
        candidate.ownBits |= this.passageBits[i]!
        if (words === undefined && i !== candidate.passage) continue
        if (literal && words !== undefined && mayStandInARow(words, places)) candidate.inARow.push(i)
        const near = words === undefined ? 0 : closeness(words, pairs)
        const score = (base + this.passageScore[i]!) * factor * (1 + ranking.proximity * near)
        if (score > bestScore) {
          bestScore = score
          candidate.passage = i
        }
      }
      candidate.score = bestScore
      candidate.bits = this.passageBits[candidate.passage]! | this.pageBits[candidate.page]!
    }
    return candidates.sort(byScore)
  }

  private collect(
    list: PostingList,
    term: ScoredTerm,
    pages: number[],
    passages: Map<number, PassageWords>,
  ): void {
    const { bytes } = list
    let at = 0
    const varint = () => {
      let value = bytes[at++]!
      if (value < 128) return value
      value &= 127
      let scale = 128
      for (let more = 128; more >= 128; scale *= 128) {
        more = bytes[at++]!
        value += (more & 127) * scale
      }
      return value
    }
    for (const [page, place] of this.places.find(list, pages)) {
      at = place
      let passage = this.meta.firstPassage[page]!
      for (let count = varint(); count > 0; count--) {
        const head = varint()
        passage += head >> 3
        at++
        const words = passages.get(passage)
        let positions = head & 7
        if (words === undefined) while (positions > 0) if (bytes[at++]! < 128) positions--
        if (words !== undefined && positions > 0) {
          const found = words.get(term.position) ?? []
          for (let before = 0; positions > 0; positions--) {
            before += varint()
            found.push(before)
          }
          words.set(term.position, found)
        }
      }
    }
  }

  private clear(page: number): void {
    const { firstPassage } = this.meta
    this.passageScore.fill(0, firstPassage[page]!, firstPassage[page + 1]!)
    this.passageBits.fill(0, firstPassage[page]!, firstPassage[page + 1]!)
    this.pageBase[page] = 0
    this.pageScore[page] = 0
    this.pageBits[page] = 0
    this.titleBits[page] = 0
    this.titleLength[page] = 0
  }
}

/** Where the passages of each page begin in the posting lists read for a question, so that none is read twice. */
class PostingPlaces {
  private pages = new Uint32Array(4096)
  private offsets = new Uint32Array(4096)
  private readonly ranges = new Map<PostingList, { start: number; end: number }>()
  private current = { start: 0, end: 0 }

  clear(): void {
    this.ranges.clear()
    this.current = { start: 0, end: 0 }
  }

  begin(list: PostingList): void {
    this.current = { start: this.current.end, end: this.current.end }
    this.ranges.set(list, this.current)
  }

  /** Pages of a list arrive in order. */
  add(page: number, offset: number): void {
    const at = this.current.end++
    if (at === this.pages.length) {
      this.pages = grownTwice(this.pages)
      this.offsets = grownTwice(this.offsets)
    }
    this.pages[at] = page
    this.offsets[at] = offset
  }

  /** Those of the given pages, sorted, that the list has. */
  find(list: PostingList, pages: number[]): [page: number, offset: number][] {
    const found: [number, number][] = []
    const range = this.ranges.get(list)
    if (range === undefined) return found
    let low = range.start
    for (const page of pages) {
      let high = range.end
      while (low < high) {
        const middle = (low + high) >> 1
        if (this.pages[middle]! < page) low = middle + 1
        else high = middle
      }
      if (low < range.end && this.pages[low] === page) found.push([page, this.offsets[low]!])
    }
    return found
  }
}

function grownTwice(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}

/** Positions in a passage by the word's place in the question. */
type PassageWords = Map<number, number[]>

type Pair = { left: number; right: number; weight: number }

/** Words that follow each other in the question, stop words aside, with their share of the pairs' weight. */
function neighbouringPairs(terms: ScoredTerm[]): Pair[] {
  const weightAt = new Map<number, number>()
  for (const term of terms) {
    if (term.counts) weightAt.set(term.position, Math.max(term.passageIdf, weightAt.get(term.position) ?? 0))
  }
  const places = [...weightAt.keys()].sort((a, b) => a - b)
  const pairs: Pair[] = []
  for (let i = 1; i < places.length; i++) {
    const left = places[i - 1]!
    const right = places[i]!
    pairs.push({ left, right, weight: Math.min(weightAt.get(left)!, weightAt.get(right)!) })
  }
  const sum = pairs.reduce((total, pair) => total + pair.weight, 0)
  return pairs.map((pair) => ({ ...pair, weight: sum === 0 ? 0 : pair.weight / sum }))
}

function closeness(words: PassageWords, pairs: Pair[]): number {
  let total = 0
  for (const { left, right, weight } of pairs) {
    const a = words.get(left)
    const b = words.get(right)
    if (a === undefined || b === undefined) continue
    let best = 0
    for (const x of a) for (const y of b) best = Math.max(best, nearness(y - x))
    total += weight * best
  }
  return total
}

function nearness(distance: number): number {
  const apart = Math.abs(distance)
  for (const { within, share } of ranking.nearby) {
    if (apart <= within) return distance < 0 ? share * ranking.turnedAround : share
  }
  return 0
}

/** Of a word that stands in a passage often only the first positions are known: it may well follow. */
function mayStandInARow(words: PassageWords, places: number[]): boolean {
  const [first, ...others] = places
  if (first === undefined) return true // Common words alone, whose positions nobody kept.
  const starts = words.get(first)
  if (starts === undefined) return false
  const follows = (place: number, start: number) => {
    const found = words.get(place)
    return found !== undefined && (found.length >= mostPositions || found.includes(start + place - first))
  }
  return (
    starts.some((start) => others.every((place) => follows(place, start))) ||
    (starts.length >= mostPositions && others.every((place) => words.has(place)))
  )
}

function byScore(a: ScoredPage, b: ScoredPage): number {
  return b.score - a.score || a.page - b.page
}
