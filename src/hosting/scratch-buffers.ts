import { closeSync, constants, openSync, readSync } from 'node:fs'

/** A buffer on loan: `release` gives it back once its bytes are on their way. */
export type Loan = { bytes: Buffer; release: () => void }

/**
 * Reads a small file into a buffer that is used again and again, so that a site larger than the cache does not turn every
 * page view into garbage. Undefined when the file is too large for it.
 */
export function readIntoScratch(file: string): Loan | undefined {
  const descriptor = openSync(file, readFlags)
  const buffer = free.pop() ?? Buffer.allocUnsafeSlow(scratchBytes + 1)
  let length: number
  try {
    length = readSync(descriptor, buffer, 0, buffer.length, 0)
  } finally {
    closeSync(descriptor)
  }
  const release = () => {
    if (free.length < maxFree) free.push(buffer)
  }
  // Fewer bytes than asked for: that was the whole file.
  if (length <= scratchBytes) return { bytes: buffer.subarray(0, length), release }
  release()
  return undefined
}

/** The largest file that is read this way. */
export const scratchBytes = 256 * 1024
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)
const maxFree = 32
const free: Buffer[] = []
