/** Bytes in memory by content, the least recently used leaving first. May be shared: a key names content, not a site. */
export class ContentCache {
  #entries = new Map<string, Buffer>()
  #maxBytes: number
  #bytes = 0
  #askedFor = new Set<string>()

  constructor(options: { maxBytes: number }) {
    this.#maxBytes = options.maxBytes
  }

  get(key: string): Buffer | undefined {
    const found = this.#entries.get(key)
    if (found !== undefined) {
      this.#entries.delete(key)
      this.#entries.set(key, found)
    }
    return found
  }

  /** True for what was asked for not long ago: what is asked for once in a while would only drive others out. */
  isWanted(key: string): boolean {
    if (this.#askedFor.delete(key)) return true
    this.#askedFor.add(key)
    if (this.#askedFor.size > recentlyAsked) {
      for (const oldest of this.#askedFor) {
        this.#askedFor.delete(oldest)
        break
      }
    }
    return false
  }

  set(key: string, bytes: Buffer): void {
    const size = bytes.length + entryOverheadBytes
    if (size > this.#maxBytes / 4 || this.#entries.has(key)) return
    this.#entries.set(key, onItsOwn(bytes))
    this.#bytes += size
    for (const [oldest, old] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break
      this.#entries.delete(oldest)
      this.#bytes -= old.length + entryOverheadBytes
    }
  }

  get sizeBytes(): number {
    return this.#bytes
  }
}

/** A piece of a larger buffer would keep the whole of it in memory: compressed bytes come in such pieces. */
function onItsOwn(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

const entryOverheadBytes = 300
const recentlyAsked = 1000
