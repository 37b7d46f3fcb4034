import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { ManifestEntry } from '../bundle/index.ts'
import type { ContentCache } from './content-cache.ts'

/**
 * A file compressed once and kept by content, in memory and on disk. Undefined where compressing gains nothing.
 * Requests for the same file that come meanwhile wait for the same work.
 */
export async function compressedBytes(input: {
  file: ManifestEntry
  encoding: 'br' | 'gzip'
  cache: ContentCache
  keepIn: string | undefined
  read(): Promise<Buffer>
}): Promise<Buffer | undefined> {
  const key = `${input.file.sha256}.${input.encoding}`
  const cached = input.cache.get(key)
  if (cached !== undefined) return cached.length === 0 ? undefined : cached
  const running = underWay.get(key) ?? makeCompressed(key, input).finally(() => underWay.delete(key))
  underWay.set(key, running)
  const made = await running
  input.cache.set(key, made)
  return made.length === 0 ? undefined : made
}

/** An empty result says that the file is better sent as it is. */
async function makeCompressed(
  key: string,
  input: {
    encoding: 'br' | 'gzip'
    keepIn: string | undefined
    file: ManifestEntry
    read(): Promise<Buffer>
  },
): Promise<Buffer> {
  const kept = input.keepIn === undefined ? undefined : join(input.keepIn, key.slice(0, 2), key)
  if (kept !== undefined) {
    const found = await readFile(kept).catch(() => undefined)
    if (found !== undefined) return found
  }
  const bytes = await input.read()
  const quality = bytes.length > 1024 * 1024 ? 5 : 7
  const compressed =
    input.encoding === 'gzip'
      ? await promisify(gzip)(bytes, { level: 6 })
      : await promisify(brotliCompress)(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: quality,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
            [constants.BROTLI_PARAM_LGWIN]: 19,
          },
        })
  const made = compressed.length < bytes.length * 0.95 ? compressed : Buffer.alloc(0)
  if (kept !== undefined) await keep(kept, made)
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
