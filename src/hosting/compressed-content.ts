import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { ManifestEntry } from '../bundle/index.ts'
import type { ContentCache } from './content-cache.ts'
import { readIntoScratch } from './scratch-buffers.ts'

/** Undefined where the file is better sent as it is. */
export type CompressedBytes = { bytes: Buffer; release?: () => void } | undefined

/**
 * A file compressed once and kept by content, on disk and, where it is wanted often, in memory. Requests for the same file
 * that come meanwhile wait for the same work; when too much of it is under way, files are sent as they are.
 */
export function compressedBytes(input: {
  file: ManifestEntry
  encoding: 'br' | 'gzip'
  cache: ContentCache
  keepIn: string | undefined
  read(): Buffer
}): CompressedBytes | Promise<CompressedBytes> {
  const key = `${input.file.sha256}.${input.encoding}`
  const cached = input.cache.get(key)
  if (cached !== undefined) return asFound(cached)
  const isWanted = input.cache.isWanted(key)
  const kept = input.keepIn === undefined ? undefined : readKept(input.keepIn, key, input.cache, isWanted)
  if (kept !== undefined) return kept.bytes.length === 0 ? undefined : kept
  if (underWay.size >= maxUnderWay && !underWay.has(key)) return undefined
  const running =
    underWay.get(key) ?? inTurn(() => makeCompressed(key, input)).finally(() => underWay.delete(key))
  underWay.set(key, running)
  return running.then((made) => {
    if (input.keepIn === undefined || isWanted) input.cache.set(key, made)
    return asFound(made)
  })
}

function asFound(bytes: Buffer): CompressedBytes {
  return bytes.length === 0 ? undefined : { bytes }
}

function readKept(folder: string, key: string, cache: ContentCache, isWanted: boolean): CompressedBytes {
  try {
    const file = `${folder}/${key.slice(0, 2)}/${key}`
    const loan = isWanted ? undefined : readIntoScratch(file)
    if (loan !== undefined) return loan
    const bytes = readFileSync(file)
    cache.set(key, bytes)
    return { bytes }
  } catch {
    return undefined // Not there yet, or not readable: then it is made.
  }
}

/** One at a time: compressing takes much memory for a moment, and readers need the processor too. */
function inTurn(work: () => Promise<Buffer>): Promise<Buffer> {
  const result = queue.then(work)
  queue = result.catch(() => {})
  return result
}

let queue: Promise<unknown> = Promise.resolve()
const maxUnderWay = 16

/** An empty result says that the file is better sent as it is. */
async function makeCompressed(
  key: string,
  input: {
    encoding: 'br' | 'gzip'
    keepIn: string | undefined
    file: ManifestEntry
    read(): Buffer
  },
): Promise<Buffer> {
  const bytes = input.read()
  const compressed =
    input.encoding === 'gzip'
      ? await promisify(gzip)(bytes, { level: 6 })
      : await promisify(brotliCompress)(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: 5,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
            [constants.BROTLI_PARAM_LGWIN]: 18,
          },
        })
  const made = compressed.length < bytes.length * 0.95 ? compressed : Buffer.alloc(0)
  if (input.keepIn !== undefined) await keep(join(input.keepIn, key.slice(0, 2), key), made)
  return made
}

/** A full disk or a folder that may not be written costs time and nothing else. */
async function keep(file: string, bytes: Buffer): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    const partial = `${file}.${randomUUID()}.partial`
    await writeFile(partial, bytes)
    await rename(partial, file)
  } catch {}
}

const underWay = new Map<string, Promise<Buffer>>()
