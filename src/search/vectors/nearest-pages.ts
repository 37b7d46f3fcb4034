import type { QuestionVectors } from '../../backends/index.ts'
import type { NearestPages, NearPage } from '../core/engine.ts'
import { parseQuery } from '../core/query.ts'
import type { SearchRequest } from '../search-api.ts'
import { likelyPassages, type Signs, signsOf } from './likely-passages.ts'
import { readVectors, type Vectors, vectorsFile } from './vectors-file.ts'

/** Finds the pages whose passages lie nearest to a question, from the vectors that a bundle carries. */
export class VectorSearch {
  private readonly read: (path: string) => Promise<Uint8Array>
  private readonly questions: QuestionVectors
  private readonly opened = new Map<number, Promise<OpenVectors | undefined>>()
  sizeBytes = 0

  constructor(input: { read(path: string): Promise<Uint8Array>; questions: QuestionVectors }) {
    this.read = input.read
    this.questions = input.questions
  }

  /** Asks the model at once, so that words are looked up meanwhile; not for identifiers, nor for who is still typing. */
  begin(request: SearchRequest): NearestPages | undefined {
    if (request.asYouType || request.query.trim() === '' || parseQuery(request.query).literal !== '')
      return undefined
    const asked = this.hasVectors().then((has) =>
      has ? this.questions.ask(request.query.slice(0, longestQuestion)) : null,
    )
    return async ({ partition, firstPassage, accepts, most }) => {
      const question = await asked
      if (question === null) return []
      const vectors = await this.open(partition)
      if (vectors === undefined || vectors.header.dimensions !== question.length) return []
      return nearestPages(vectors, question, { firstPassage, accepts, most })
    }
  }

  close(): void {
    this.opened.clear()
    this.sizeBytes = 0
  }

  /** A site without vectors, or with those of another model, costs no call. */
  private async hasVectors(): Promise<boolean> {
    return (await this.open(0)) !== undefined
  }

  private open(partition: number): Promise<OpenVectors | undefined> {
    const known = this.opened.get(partition)
    if (known !== undefined) return known
    const opened = this.read(vectorsFile(partition)).then(
      (bytes) => {
        const vectors = readVectors(bytes)
        if (!vectors?.header.complete || vectors.header.model !== this.questions.name) return undefined
        if (this.opened.get(partition) === opened) this.sizeBytes += bytes.length
        const { count, dimensions } = vectors.header
        return count * dimensions < largeNumbers ? vectors : { ...vectors, signs: signsOf(vectors) }
      },
      () => undefined,
    )
    this.opened.set(partition, opened)
    return opened
  }
}

/** Vectors in memory; many have their signs beside them. */
export type OpenVectors = Vectors & { signs?: Signs }

const longestQuestion = 2000
/** From so many numbers on, only passages that are likely to be near are compared in full. */
const largeNumbers = 1_000_000
const mostLikely = 2000

/** The best passage of each page, the nearest page first. */
export function nearestPages(
  { header, scales, values, signs }: OpenVectors,
  question: Float32Array,
  {
    firstPassage,
    accepts,
    most,
  }: { firstPassage: Uint32Array; accepts(page: number): boolean; most: number },
): NearPage[] {
  const { dimensions, count } = header
  const likely = signs && likelyPassages(signs, question, mostLikely)
  const found: NearPage[] = []
  for (let page = 0; page + 1 < firstPassage.length; page++) {
    if (!accepts(page)) continue
    const best: NearPage = { page, passage: -1, similarity: 0 }
    for (let passage = firstPassage[page]!; passage < Math.min(count, firstPassage[page + 1]!); passage++) {
      if (likely?.[passage] === 0) continue
      const start = passage * dimensions
      let sum = 0
      for (let i = 0; i < dimensions; i++) sum += question[i]! * values[start + i]!
      const similarity = sum * scales[passage]!
      if (similarity <= best.similarity) continue
      best.passage = passage
      best.similarity = similarity
    }
    if (best.passage >= 0) found.push(best)
  }
  return found.sort((a, b) => b.similarity - a.similarity || a.page - b.page).slice(0, most)
}
