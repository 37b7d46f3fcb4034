import { extname } from 'node:path'
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import type { ManifestEntry } from './bundle-api.ts'
import { gzipMember, memberHeader, memberTrailer, memberTrailerBytes } from './gzip-member.ts'
import { packKey } from './pack-store.ts'
import { tarHeader, tarPadding } from './tar-header.ts'

/** A file as the archive holds it: tar header, bytes and padding, compressed on their own. */
export function packMember(file: ManifestEntry, bytes: Uint8Array): Buffer {
  const plain = tarBytes(file, bytes)
  const options = { level: levelFor(file.path), chunkSize: 64 * 1024 }
  return Buffer.concat([
    memberHeader,
    deflateRawSync(plain, options),
    memberTrailer(crc32(plain), plain.length),
  ])
}

/** The same bytes, compressed beside the main thread. */
export function packMemberAside(file: ManifestEntry, bytes: Uint8Array): Promise<Buffer> {
  return gzipMember(tarBytes(file, bytes), levelFor(file.path))
}

export function unpackMember(file: ManifestEntry, member: Uint8Array): Buffer {
  const plain = inflateRawSync(member.subarray(memberHeader.length, -memberTrailerBytes), {
    chunkSize: file.sizeBytes + 4096,
  })
  const end = plain.length - tarPadding(file.sizeBytes).length
  return plain.subarray(end - file.sizeBytes, end)
}

/** Under which a member is kept; a new number makes the old ones forgotten. */
export function memberKey(file: ManifestEntry): string {
  return packKey(`member 3\n${file.path}\n${file.sizeBytes}\n${file.sha256}\n`)
}

/** What is compressed already is stored as it is; level 4 makes pages a twentieth smaller in twice the time. */
export function levelFor(path: string): number {
  return compressedAlready.has(extname(path).toLowerCase()) ? 0 : 2
}

function tarBytes(file: ManifestEntry, bytes: Uint8Array): Buffer {
  return Buffer.concat([tarHeader(file), bytes, tarPadding(bytes.length)])
}

const compressedAlready = new Set(
  '.png .jpg .jpeg .gif .webp .avif .ico .mp4 .webm .mov .mp3 .ogg .woff .woff2 .zip .gz .br .zst .pdf'.split(
    ' ',
  ),
)
