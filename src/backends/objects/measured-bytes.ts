import { createHash } from 'node:crypto'
import { ObjectDigestError, type PutOptions, type PutResult } from './object-store.ts'

/** Passes bytes through, counts and digests them, and fails at the end where the digest is not the one promised. */
export function measureBytes(
  key: string,
  bytes: AsyncIterable<Uint8Array>,
  options: PutOptions,
): MeasuredBytes {
  const hash = createHash('sha256')
  let sizeBytes = 0
  let sha256: string | undefined

  async function* pass(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      options.signal?.throwIfAborted()
      hash.update(chunk)
      sizeBytes += chunk.byteLength
      yield chunk
    }
    options.signal?.throwIfAborted()
    sha256 = hash.digest('hex')
    if (options.sha256 !== undefined && options.sha256 !== sha256) {
      throw new ObjectDigestError(key, options.sha256, sha256)
    }
  }

  return {
    bytes: pass(),
    result() {
      if (sha256 === undefined) throw new Error(`The bytes of object ${key} were not read to their end.`)
      return { sizeBytes, sha256 }
    },
  }
}

interface MeasuredBytes {
  bytes: AsyncGenerator<Uint8Array>
  result(): PutResult
}
