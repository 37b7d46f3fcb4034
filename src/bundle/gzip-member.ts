import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'

/*
 * An archive is a row of gzip members, which together are one valid .tar.gz:
 *
 *   prelude   empty, its extra field says "sealed"
 *   members   one a file: its tar header, its bytes, its padding
 *   seal      the tar's end, its extra field holds the SHA-256 of everything before
 *
 * The seal makes every altered bit of a download visible, also those that decompression ignores.
 */

/** One whole gzip member over bytes in memory, compressed beside the main thread. */
export async function gzipMember(bytes: Uint8Array, level: number): Promise<Buffer> {
  return Buffer.concat([
    memberHeader,
    await deflate(bytes, { level }),
    memberTrailer(crc32(bytes), bytes.length),
  ])
}

/** A part of a member's compressed bytes; parts stand one after the other, and `deflateEnd` ends them. */
export function deflatePiece(bytes: Uint8Array, level: number): Promise<Buffer> {
  return deflate(bytes, { level, finishFlush: constants.Z_FULL_FLUSH })
}

export const deflateEnd = Buffer.from('0300', 'hex')

/** The header has no time and no system, so that the same bytes give the same member everywhere. */
export const memberHeader = Buffer.from('1f8b08000000000000ff', 'hex')

export const memberTrailerBytes = 8

export function memberTrailer(checksum: number, sizeBytes: number): Buffer {
  const trailer = Buffer.alloc(memberTrailerBytes)
  trailer.writeUInt32LE(checksum, 0)
  trailer.writeUInt32LE(sizeBytes % 2 ** 32, 4)
  return trailer
}

export function sealMember(sha256OfAllBefore: Buffer): Buffer {
  return Buffer.concat([sealStart, sha256OfAllBefore, sealEnd])
}

/**
 * Reads an archive's bytes as they pass. Either both the prelude and a right seal are there or neither is:
 * an archive packed by other hands has none and is judged by its manifest alone.
 */
export class SealReader {
  #sum = createHash('sha256')
  #sumBeforeSeal = createHash('sha256')
  #held = Buffer.alloc(0)
  #start = Buffer.alloc(0)
  sizeBytes = 0

  update(chunk: Buffer): void {
    this.#sum.update(chunk)
    this.sizeBytes += chunk.length
    if (this.#start.length < prelude.length) {
      this.#start = Buffer.concat([this.#start, chunk.subarray(0, prelude.length - this.#start.length)])
    }
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const keep = Math.max(0, all.length - sealBytes)
    this.#sumBeforeSeal.update(all.subarray(0, keep))
    this.#held = Buffer.from(all.subarray(keep))
  }

  finish(): { sha256: string; sizeBytes: number; seal: 'right' | 'broken' | 'absent' } {
    const opened = this.#start.equals(prelude)
    const closed = this.#held.equals(sealMember(this.#sumBeforeSeal.digest()))
    const looksClosed = this.#held.subarray(0, sealStart.length).equals(sealStart)
    const seal = opened && closed ? 'right' : opened || closed || looksClosed ? 'broken' : 'absent'
    return { sha256: this.#sum.digest('hex'), sizeBytes: this.sizeBytes, seal }
  }
}

const deflate = promisify(deflateRaw) as (
  bytes: Uint8Array,
  options: { level: number; finishFlush?: number },
) => Promise<Buffer>

function headerWithExtra(fieldBytes: number): Buffer {
  const header = Buffer.from('1f8b08040000000000ff000051550000', 'hex')
  header.writeUInt16LE(fieldBytes + 4, 10)
  header.writeUInt16LE(fieldBytes, 14)
  return header
}

export const prelude = Buffer.concat([
  headerWithExtra(6),
  Buffer.from('sealed'),
  Buffer.from('0300', 'hex'),
  memberTrailer(0, 0),
])

const tarEnd = Buffer.alloc(1024)
const sealStart = headerWithExtra(32)
// The 1,024 zero bytes that end a tar, deflated; written out so that no zlib's taste can change it.
const sealEnd = Buffer.concat([
  Buffer.from('63601805a360148c540000', 'hex'),
  memberTrailer(crc32(tarEnd), tarEnd.length),
])
const sealBytes = sealStart.length + 32 + sealEnd.length
