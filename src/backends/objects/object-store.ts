import type { Readable } from 'node:stream'
import type { SigningKeys } from './signing-keys.ts'

/** A place for immutable bytes under a key. Nothing here says where they lie. */
export interface ObjectStore {
  /** Stores the whole stream or nothing: a reader never sees a part, and a failed put leaves what was there. */
  put(key: string, bytes: AsyncIterable<Uint8Array>, options: PutOptions): Promise<PutResult>
  /** Opens an object, or a range of it; null where the key is unknown. */
  get(key: string, options?: GetOptions): Promise<OpenObject | null>
  head(key: string): Promise<ObjectInfo | null>
  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>
  /** Every object whose key starts with the prefix, in the order of the keys' bytes. */
  list(prefix: string): AsyncIterable<ListedObject>
  /** A link that anybody may download with, until `linkExpiresAtMs` exactly. */
  presignDownload(key: string, options: PresignOptions): Promise<string>
  /** Where links point at this server, the keys with which `objectRoutes` verifies them; null where another serves them. */
  linkKeys: SigningKeys | null
  /** Makes sure that the store can be reached and written to; throws a sentence where it cannot. */
  check(): Promise<void>
  close(): Promise<void>
}

export interface PutOptions {
  contentType: string
  /** Where the caller knows the digest, other bytes are refused and nothing is stored. */
  sha256?: string
  signal?: AbortSignal
}

export interface PutResult {
  sizeBytes: number
  sha256: string
}

export interface GetOptions {
  range?: ByteRange
  signal?: AbortSignal
}

/** Both ends are included, as in HTTP; without an end, to the last byte. */
export interface ByteRange {
  start: number
  end?: number
}

export interface ObjectInfo {
  sizeBytes: number
  contentType: string
  /** Null where the store learnt the digest only after it had begun to store. */
  sha256: string | null
  modifiedAtMs: number
}

export interface OpenObject extends ObjectInfo {
  stream: Readable
}

export interface ListedObject {
  key: string
  sizeBytes: number
  modifiedAtMs: number
}

export interface PresignOptions {
  /** 1 second to 7 days. */
  expiresInSeconds: number
  /** The name under which a browser saves the download. */
  fileName: string
  nowMs: number
}

export class ObjectDigestError extends Error {
  override name = 'ObjectDigestError'
  constructor(key: string, expected: string, actual: string) {
    super(`The bytes for object ${key} have the SHA-256 ${actual}, not ${expected}; nothing was stored.`)
  }
}

/** Asked for a range that begins behind the last byte. */
export class ObjectRangeError extends Error {
  override name = 'ObjectRangeError'
  sizeBytes: number
  constructor(key: string, sizeBytes: number) {
    super(`Object ${key} has ${sizeBytes} bytes; the range begins behind its end.`)
    this.sizeBytes = sizeBytes
  }
}

/** The moment a link made now dies: links count whole seconds. */
export function linkExpiresAtMs({
  nowMs,
  expiresInSeconds,
}: Pick<PresignOptions, 'nowMs' | 'expiresInSeconds'>): number {
  if (!Number.isInteger(expiresInSeconds) || expiresInSeconds < 1 || expiresInSeconds > 604_800) {
    throw new RangeError(`A link lives 1 to 604800 seconds, not ${expiresInSeconds}.`)
  }
  return (Math.floor(nowMs / 1000) + expiresInSeconds) * 1000
}

/** Keys are the same on every store: plain segments, so that none can leave a folder or need escaping. */
export function checkObjectKey(key: string): string {
  const plain = key.length <= 900 && key.split('/').every((segment) => plainSegment.test(segment))
  if (!plain) {
    throw new TypeError(
      `${JSON.stringify(key.slice(0, 100))} is no object key: use letters, digits and . _ - + = @, parted by slashes, no segment beginning with a dot.`,
    )
  }
  return key
}

const plainSegment = /^[A-Za-z0-9_+=@-][A-Za-z0-9._+=@-]{0,199}$/
