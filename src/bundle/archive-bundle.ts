import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'
import { type ManifestEntry, manifestFile } from './bundle-api.ts'
import { BundleError } from './bundle-error.ts'
import { gzipMember, memberHeader, memberTrailer, prelude, sealMember } from './gzip-member.ts'
import { digestBytes, isMissing, parseManifest } from './manifest.ts'
import { tarHeader, tarPadding } from './tar-header.ts'
import { changed } from './verify-bundle.ts'

/**
 * The bundle as one .tar.gz. The same content gives the same bytes, files are tested against the manifest on their way,
 * and memory stays flat however large the bundle is.
 */
export function archiveBundle(input: {
  folder: string
  onFile?: (file: ManifestEntry) => void
  signal?: AbortSignal
  /** A folder where compressed files are kept by content; unchanged files are then not compressed again. */
  members?: string
}): Readable {
  return Readable.from(archiveChunks(input), { objectMode: false })
}

async function* archiveChunks(input: Parameters<typeof archiveBundle>[0]): AsyncGenerator<Buffer> {
  const manifestBytes = await readBundleFile(input.folder, manifestFile)
  const manifest = parseManifest(manifestBytes)
  const manifestEntry = {
    path: manifestFile,
    sizeBytes: manifestBytes.length,
    sha256: digestBytes(manifestBytes),
  }
  // The manifest comes first, so that whoever unpacks can test each file as it arrives.
  const files = [manifestEntry, ...manifest.files]
  const sum = createHash('sha256')
  sum.update(prelude)
  yield prelude
  for await (const { file, chunks } of lookAhead(files, input)) {
    input.signal?.throwIfAborted()
    for await (const chunk of chunks) {
      sum.update(chunk)
      yield chunk
    }
    input.onFile?.(file)
  }
  yield sealMember(sum.digest())
}

/** Compresses the next few files while the current one is being written. */
async function* lookAhead(
  files: ManifestEntry[],
  input: { folder: string; members?: string },
): AsyncGenerator<{ file: ManifestEntry; chunks: AsyncIterable<Buffer> | Buffer[] }> {
  const ahead: Promise<Buffer | undefined>[] = []
  let next = 0
  for (const file of files) {
    for (; ahead.length < 8 && next < files.length; next++) {
      const upcoming = files[next] as ManifestEntry
      const member =
        upcoming.sizeBytes <= wholeFileBytes ? wholeMember(upcoming, input) : Promise.resolve(undefined)
      member.catch(() => {}) // It is awaited, and its error thrown, when its turn comes.
      ahead.push(member)
    }
    const member = await ahead.shift()
    yield { file, chunks: member === undefined ? streamedMember(file, input.folder) : [member] }
  }
}

async function wholeMember(
  file: ManifestEntry,
  input: { folder: string; members?: string },
): Promise<Buffer> {
  const kept = input.members === undefined ? undefined : keptMemberFile(input.members, file)
  const reused = kept === undefined ? undefined : await readKeptMember(kept)
  if (reused !== undefined) return reused
  const bytes = await readBundleFile(input.folder, file.path)
  if (bytes.length !== file.sizeBytes || digestBytes(bytes) !== file.sha256) throw changed(file.path)
  const member = await gzipMember(
    Buffer.concat([tarHeader(file), bytes, tarPadding(bytes.length)]),
    levelFor(file.path),
  )
  if (kept !== undefined) await keepMember(kept, member)
  return member
}

async function* streamedMember(file: ManifestEntry, folder: string): AsyncGenerator<Buffer> {
  let checksum = 0
  let memberBytes = 0
  const plain = async function* () {
    const sum = createHash('sha256')
    let sizeBytes = 0
    yield tarHeader(file)
    for await (const chunk of createReadStream(join(folder, file.path), { highWaterMark: 256 * 1024 })) {
      sum.update(chunk)
      sizeBytes += chunk.length
      yield chunk as Buffer
    }
    if (sizeBytes !== file.sizeBytes || sum.digest('hex') !== file.sha256) throw changed(file.path)
    yield tarPadding(sizeBytes)
  }
  const counted = async function* () {
    for await (const chunk of plain()) {
      checksum = crc32(chunk, checksum)
      memberBytes += chunk.length
      yield chunk
    }
  }
  yield memberHeader
  const source = Readable.from(counted())
  const deflate = createDeflateRaw({ level: levelFor(file.path) })
  source.on('error', (error) => deflate.destroy(error))
  for await (const chunk of source.pipe(deflate)) yield chunk
  yield memberTrailer(checksum, memberBytes)
}

async function readBundleFile(folder: string, path: string): Promise<Buffer> {
  try {
    return await readFile(join(folder, path))
  } catch (error) {
    if (!isMissing(error)) throw error
    const code = path === manifestFile ? 'manifest_missing' : 'file_missing'
    throw new BundleError(code, `"${path}" is missing.`, path)
  }
}

/** A kept member carries its own digest, so that a damaged one is made anew. */
async function readKeptMember(file: string): Promise<Buffer | undefined> {
  try {
    const bytes = await readFile(file)
    const member = bytes.subarray(0, -32)
    return bytes.length > 32 && digestBytes(member) === bytes.subarray(-32).toString('hex')
      ? member
      : undefined
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

async function keepMember(file: string, member: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const partial = `${file}.${randomUUID()}.partial`
  await writeFile(partial, Buffer.concat([member, Buffer.from(digestBytes(member), 'hex')]))
  await rename(partial, file)
}

function keptMemberFile(members: string, file: ManifestEntry): string {
  const key = digestBytes(Buffer.from(`1\n${file.path}\n${file.sizeBytes}\n${file.sha256}\n`))
  return join(members, key.slice(0, 2), key)
}

/** What is compressed already is stored as it is. */
function levelFor(path: string): number {
  return compressedAlready.has(extname(path).toLowerCase()) ? 0 : 6
}

const compressedAlready = new Set(
  '.png .jpg .jpeg .gif .webp .avif .ico .mp4 .webm .mov .mp3 .ogg .woff .woff2 .zip .gz .br .zst .pdf'.split(
    ' ',
  ),
)
const wholeFileBytes = 4 * 1024 * 1024
