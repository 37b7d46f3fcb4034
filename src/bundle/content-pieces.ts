import { createReadStream } from 'node:fs'
import { crc32 } from 'node:zlib'

const leastBytes = 64 * 1024
const mostBytes = 512 * 1024
const lineChance = 64

/**
 * Reads a file in pieces that end at lines chosen by what stands in them: where a part of a file changes, the pieces
 * before and after stay as they were. The same content is always cut in the same places.
 */
export async function* contentPieces(file: string): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(file, { highWaterMark: mostBytes })) {
    held = held.length === 0 ? (chunk as Buffer) : Buffer.concat([held, chunk as Buffer])
    while (held.length >= mostBytes) {
      const end = endOfPiece(held)
      yield held.subarray(0, end)
      held = held.subarray(end)
    }
  }
  while (held.length > 0) {
    const end = endOfPiece(held)
    yield held.subarray(0, end)
    held = held.subarray(end)
  }
}

/** After the least size, the first line whose checksum says so. */
function endOfPiece(bytes: Buffer): number {
  const most = Math.min(bytes.length, mostBytes)
  let start = bytes.indexOf(newline, leastBytes) + 1
  if (start === 0) return most
  while (start < most) {
    const end = bytes.indexOf(newline, start) + 1
    if (end === 0 || end > most) return most
    if (crc32(bytes.subarray(start, end)) % lineChance === 0) return end
    start = end
  }
  return most
}

const newline = 10
