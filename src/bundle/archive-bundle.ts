import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type ManifestEntry, manifestFile } from './bundle-api.ts'
import { BundleError } from './bundle-error.ts'
import { contentPieces } from './content-pieces.ts'
import { deflateEnd, deflatePiece, memberHeader, memberTrailer, prelude, sealMember } from './gzip-member.ts'
import { digestBytes, entryOf, isMissing, parseManifest } from './manifest.ts'
import { levelFor, memberKey, packMemberAside } from './member.ts'
import { PackStore, packKey } from './pack-store.ts'
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
  const manifest = await readBundleFile(join(input.folder, manifestFile), manifestFile)
  const { files } = parseManifest(manifest)
  const members = input.members === undefined ? undefined : new PackStore(input.members)
  try {
    yield* archiveFiles({ ...input, manifest, files, members, sourceOf: (path) => join(input.folder, path) })
  } finally {
    members?.close()
  }
}

/** The archive of these files, each from the store of members or, where that has it not, from where it lies. */
export async function* archiveFiles(input: {
  manifest: Buffer
  files: ManifestEntry[]
  sourceOf(path: string): string | undefined
  members: PackStore | undefined
  onFile?: (file: ManifestEntry) => void
  signal?: AbortSignal
}): AsyncGenerator<Buffer> {
  const { manifest } = input
  const manifestEntry = entryOf(manifestFile, manifest)
  const sum = createHash('sha256')
  // The manifest comes first, so that whoever unpacks can test each file as it arrives.
  let waiting: Buffer[] = [prelude, await packMemberAside(manifestEntry, manifest)]
  let waitingBytes = 0
  const take = () => {
    const bytes = Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    sum.update(bytes)
    return bytes
  }
  input.onFile?.(manifestEntry)
  for await (const { file, chunks } of lookAhead(input.files, input)) {
    input.signal?.throwIfAborted()
    for await (const chunk of chunks) {
      waiting.push(chunk)
      waitingBytes += chunk.length
      if (waitingBytes > chunkBytes) yield take()
    }
    input.onFile?.(file)
  }
  yield take()
  yield sealMember(sum.digest())
}

type Place = Pick<Parameters<typeof archiveFiles>[0], 'sourceOf' | 'members'>

/** Compresses the next few files while the current one is being written. */
async function* lookAhead(
  files: ManifestEntry[],
  place: Place,
): AsyncGenerator<{ file: ManifestEntry; chunks: AsyncIterable<Buffer> | Buffer[] }> {
  const ahead: (Buffer | Promise<Buffer | undefined>)[] = []
  let next = 0
  for (const file of files) {
    for (; ahead.length < 16 && next < files.length; next++) {
      const upcoming = files[next] as ManifestEntry
      const kept = place.members?.read(memberKey(upcoming))
      if (kept !== undefined) {
        ahead.push(kept)
        continue
      }
      const member =
        upcoming.sizeBytes <= wholeFileBytes ? wholeMember(upcoming, place) : Promise.resolve(undefined)
      member.catch(() => {}) // It is awaited, and its error thrown, when its turn comes.
      ahead.push(member)
    }
    const first = ahead.shift()
    const member = first instanceof Promise ? await first : first
    yield { file, chunks: member === undefined ? largeMember(file, place) : [member] }
  }
}

async function wholeMember(file: ManifestEntry, place: Place): Promise<Buffer> {
  const bytes = await readBundleFile(sourceOf(file, place), file.path)
  if (bytes.length !== file.sizeBytes || digestBytes(bytes) !== file.sha256) throw changed(file.path)
  const member = await packMemberAside(file, bytes)
  place.members?.add(memberKey(file), member)
  return member
}

/**
 * A large file, cut where its content says, so that several cores compress it and, where only a part of it changed, the
 * other parts are taken from those that are kept.
 */
async function* largeMember(file: ManifestEntry, place: Place): AsyncGenerator<Buffer> {
  let checksum = 0
  let memberBytes = 0
  const plain = async function* () {
    const sum = createHash('sha256')
    let sizeBytes = 0
    yield tarHeader(file)
    for await (const piece of contentPieces(sourceOf(file, place))) {
      sum.update(piece)
      sizeBytes += piece.length
      yield piece
    }
    if (sizeBytes !== file.sizeBytes || sum.digest('hex') !== file.sha256) throw changed(file.path)
    yield tarPadding(sizeBytes)
  }
  const level = levelFor(file.path)
  const ahead: (Buffer | Promise<Buffer>)[] = []
  const compress = (piece: Buffer): Buffer | Promise<Buffer> => {
    checksum = crc32(piece, checksum)
    memberBytes += piece.length
    const key = packKey(`piece ${level}`, piece)
    const kept = place.members?.read(key)
    if (kept !== undefined) return kept
    const made = deflatePiece(piece, level).then((bytes) => {
      if (level > 0) place.members?.add(key, bytes)
      return bytes
    })
    made.catch(() => {}) // It is awaited, and its error thrown, when its turn comes.
    return made
  }
  yield memberHeader
  for await (const piece of plain()) {
    ahead.push(compress(piece))
    if (ahead.length > 8) yield (await ahead.shift()) as Buffer
  }
  for (const piece of ahead) yield await piece
  yield deflateEnd
  yield memberTrailer(checksum, memberBytes)
}

async function readBundleFile(source: string, path: string): Promise<Buffer> {
  try {
    return await readFile(source)
  } catch (error) {
    throw isMissing(error) ? missing(path) : error
  }
}

function sourceOf(file: ManifestEntry, place: Place): string {
  const source = place.sourceOf(file.path)
  if (source === undefined) throw missing(file.path)
  return source
}

function missing(path: string): BundleError {
  const code = path === manifestFile ? 'manifest_missing' : 'file_missing'
  return new BundleError(code, `"${path}" is missing.`, path)
}

const wholeFileBytes = 512 * 1024
const chunkBytes = 1024 * 1024
