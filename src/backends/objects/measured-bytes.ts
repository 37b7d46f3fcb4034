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
    for await (const chunk of untilAborted(bytes, options.signal)) {
      hash.update(chunk)
      sizeBytes += chunk.byteLength
      yield chunk
    }
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

/** Throws the signal's reason as soon as it is aborted, also while the source keeps us waiting. */
async function* untilAborted<Item>(
  items: AsyncIterable<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item> {
  if (signal === undefined) return yield* items
  const iterator = items[Symbol.asyncIterator]()
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => {}) // Nobody waits for it between two items.
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  let ended = false
  try {
    while (true) {
      signal.throwIfAborted()
      const next = await Promise.race([iterator.next(), aborted.promise])
      signal.throwIfAborted()
      if (next.done === true) {
        ended = true
        return
      }
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', abort)
    if (!ended) iterator.return?.().catch(() => {}) // Not awaited: a source that hangs would keep us here.
  }
}
