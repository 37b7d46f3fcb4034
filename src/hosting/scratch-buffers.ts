import { closeSync, constants, openSync, readSync } from 'node:fs'

/** A buffer on loan: `release` gives it back once its bytes are on their way. */
export type Loan = { bytes: Buffer; release: () => void }

/**
 * Reads a small file into a buffer that is used again and again, so that a site larger than the cache does not turn every
 * page view into garbage. Undefined when the file has another length than it should have.
 */
export function readIntoScratch(file: string, sizeBytes: number): Loan | undefined {
  const buffer = free.pop() ?? Buffer.allocUnsafeSlow(scratchBytes)
  const release = () => {
    if (free.length < maxFree) free.push(buffer)
  }
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    let length = 0
    for (;;) {
      const count = readSync(descriptor, buffer, length, buffer.length - length, null)
      length += count
      if (length === sizeBytes) return { bytes: buffer.subarray(0, length), release }
      if (count === 0 || length > sizeBytes) {
        release()
        return undefined
      }
    }
  } finally {
    closeSync(descriptor)
  }
}

/** The largest file that is read this way. */
export const scratchBytes = 256 * 1024
const maxFree = 32
const free: Buffer[] = []
