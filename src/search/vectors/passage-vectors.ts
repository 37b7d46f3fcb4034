import { createHash } from 'node:crypto'
import type { EmbeddingModel } from '../../backends/index.ts'
import type { IndexFile } from '../build-index.ts'
import type { TextShard } from '../core/layout.ts'
import { argumentOf } from '../open-index.ts'
import {
  digestBytes,
  packVector,
  readVectors,
  type Vectors,
  vectorsFile,
  writeVectors,
} from './vectors-file.ts'

export type PassageVectorsInput = {
  model: EmbeddingModel
  /** Reads a file of an earlier index of the same site, so that what did not change is not asked for again. */
  readEarlier?: (path: string) => Promise<Uint8Array>
  signal: AbortSignal
  /** How long all of it may take, and one call. */
  totalMs?: number
  callMs?: number
  now(): number
}

export type VectorCounts = {
  passages: number
  /** How many vectors were asked for now; the others were known. */
  embedded: number
  /** Why some are missing, null when none is. */
  trouble: string | null
}

/**
 * Makes the vectors of passages while their index is written: `take` is shown every file, `finish` gives the files to
 * write beside them. A model that fails leaves a file that is not whole: search passes over it, and the next publication
 * goes on from there. Throws only what the signal throws.
 */
export class PassageVectors {
  readonly counts: VectorCounts = { passages: 0, embedded: 0, trouble: null }
  private readonly input: PassageVectorsInput
  private readonly endsAt: number
  /** By partition and shard, in whatever order they come. */
  private readonly digests: string[][][] = []
  private readonly known: Promise<Map<string, Packed>>
  private readonly asked = new Set<string>()
  private readonly running = new Set<Promise<void>>()
  private batch: Missing[] = []

  constructor(input: PassageVectorsInput) {
    this.input = input
    this.endsAt = input.now() + (input.totalMs ?? 600_000)
    this.known = readKnown(input)
  }

  async take(file: IndexFile): Promise<void> {
    const [, partition, number] = /^(\d+)\/x(\d+)\.js$/.exec(file.path) ?? []
    if (partition === undefined) return
    const known = await this.known
    const shard = JSON.parse(argumentOf(file.content)) as TextShard
    const digests: string[] = []
    this.digests[Number(partition)] ??= []
    this.digests[Number(partition)]![Number(number)] = digests
    for (const passage of shard.passages) {
      const text = textOf(shard, passage)
      const digest = digestOf(this.input.model.name, text)
      digests.push(digest)
      this.counts.passages += 1
      if (known.has(digest) || this.asked.has(digest)) continue
      this.asked.add(digest)
      this.batch.push({ digest, text })
      if (this.batch.length >= mostInBatch) await this.send()
    }
  }

  async finish(): Promise<IndexFile[]> {
    await this.send()
    await Promise.all(this.running)
    this.input.signal.throwIfAborted()
    const known = await this.known
    return this.digests.flatMap((shards, partition) => {
      const vectors = collect(this.input.model.name, shards.flat(), known)
      return vectors === undefined ? [] : [{ path: vectorsFile(partition), content: writeVectors(vectors) }]
    })
  }

  /** Waits while enough calls are under way, so that the texts of a large site are never all in memory. */
  private async send(): Promise<void> {
    const batch = this.batch
    this.batch = []
    if (batch.length === 0 || this.counts.trouble !== null) return
    while (this.running.size >= callsAtOnce) await Promise.race(this.running)
    const work = this.embed(batch)
      .catch((error: unknown) => {
        this.counts.trouble ??= error instanceof Error ? error.message : String(error)
      })
      .finally(() => this.running.delete(work))
    this.running.add(work)
  }

  private async embed(batch: Missing[]): Promise<void> {
    const vectors = await this.askTwice(batch.map(({ text }) => text))
    const known = await this.known
    batch.forEach(({ digest }, i) => {
      known.set(digest, pack(vectors[i]!))
    })
    this.counts.embedded += batch.length
  }

  /** Asks once more where that may help. */
  private async askTwice(texts: string[]): Promise<Float32Array[]> {
    const { model, signal, callMs = 60_000, now } = this.input
    const ask = async () => {
      const leftMs = Math.min(callMs, this.endsAt - now())
      if (leftMs <= 0) throw new Error('The embedding model did not finish in time.')
      const limits = AbortSignal.any([signal, AbortSignal.timeout(leftMs)])
      return model.embed(texts, { as: 'passage', signal: limits })
    }
    try {
      return await ask()
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Error && 'retryable' in error && error.retryable === true) return ask()
      throw error
    }
  }
}

type Missing = { digest: string; text: string }
type Packed = { scale: number; values: Int8Array }

const callsAtOnce = 4
const mostInBatch = 64
const mostCharacters = 4_000

function pack(vector: Float32Array): Packed {
  const values = new Int8Array(vector.length)
  return { scale: packVector(vector, values, 0), values }
}

/** What a passage says and where it stands, since a passage alone often does not name its subject. */
function textOf(shard: TextShard, [page, heading, , text, ...code]: TextShard['passages'][number]): string {
  const title = shard.pages[page]?.[1] ?? ''
  const place = heading === '' || heading === title ? title : `${title} › ${heading}`
  return [place, text, ...code.filter((_, i) => i % 2 === 1)]
    .filter((part) => part !== '')
    .join('\n\n')
    .slice(0, mostCharacters)
}

function digestOf(model: string, text: string): string {
  return createHash('sha256')
    .update(`${model}\n${text}`)
    .digest('hex')
    .slice(0, digestBytes * 2)
}

/** The vectors of an earlier index by what they were made from; whatever cannot be read is made anew. */
async function readKnown({ model, readEarlier }: PassageVectorsInput): Promise<Map<string, Packed>> {
  const known = new Map<string, Packed>()
  if (readEarlier === undefined) return known
  for (let partition = 0; ; partition++) {
    const bytes = await readEarlier(vectorsFile(partition)).catch(() => undefined)
    if (bytes === undefined) return known
    const vectors = readVectors(bytes)
    if (vectors === undefined || vectors.header.model !== model.name) continue
    const { count, dimensions } = vectors.header
    const digests = Buffer.from(vectors.digests.buffer)
    for (let i = 0; i < count; i++) {
      const scale = vectors.scales[i]!
      if (scale === 0) continue
      known.set(digests.toString('hex', i * digestBytes, (i + 1) * digestBytes), {
        scale,
        values: vectors.values.subarray(i * dimensions, (i + 1) * dimensions),
      })
    }
  }
}

/** Undefined where there is not one vector. */
function collect(model: string, digests: string[], known: Map<string, Packed>): Vectors | undefined {
  const found = digests.map((digest) => known.get(digest))
  const dimensions = found.find((packed) => packed !== undefined)?.values.length
  if (dimensions === undefined) return undefined
  const count = digests.length
  const scales = new Float32Array(count)
  const values = new Int8Array(count * dimensions)
  let complete = true
  for (const [i, packed] of found.entries()) {
    if (packed === undefined || packed.values.length !== dimensions) complete = false
    else {
      scales[i] = packed.scale
      values.set(packed.values, i * dimensions)
    }
  }
  return {
    header: { format: 1, model, dimensions, count, complete },
    digests: Uint8Array.from(Buffer.from(digests.join(''), 'hex')),
    scales,
    values,
  }
}
