/**
 * Occurrences of many terms, each a growing list of numbers, in one large buffer: a term costs its bytes and a few
 * words, not an array of its own. Blocks double in size; each begins with the offset of the next.
 */
export class TermLog {
  private buffer = new Uint8Array(1 << 20)
  private used = 4
  private readonly ids = new Map<string, number>()
  private first = new Uint32Array(1024)
  private tail = new Uint32Array(1024)
  private left = new Uint32Array(1024)
  private size = new Uint32Array(1024)

  /** The id of a term; ids count from 0 in order of appearance. */
  id(term: string): number {
    const known = this.ids.get(term)
    if (known !== undefined) return known
    const id = this.ids.size
    this.ids.set(term, id)
    if (id === this.first.length) {
      this.first = grown(this.first)
      this.tail = grown(this.tail)
      this.left = grown(this.left)
      this.size = grown(this.size)
    }
    const block = this.allocate(firstBlock)
    this.first[id] = block
    this.tail[id] = block + 4
    this.left[id] = firstBlock
    this.size[id] = firstBlock
    return id
  }

  terms(): IterableIterator<[string, number]> {
    return this.ids.entries()
  }

  push(id: number, value: number): void {
    let rest = value
    while (rest >= 128) {
      this.pushByte(id, (rest % 128) | 128)
      rest = Math.floor(rest / 128)
    }
    this.pushByte(id, rest)
  }

  append(id: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.left[id] === 0) this.addBlock(id)
      const tail = this.tail[id]!
      const count = Math.min(this.left[id]!, bytes.length - at)
      for (let i = 0; i < count; i++) this.buffer[tail + i] = bytes[at + i]!
      this.tail[id] = tail + count
      this.left[id]! -= count
      at += count
    }
  }

  /** The term's bytes in one piece. */
  read(id: number): Uint8Array {
    const pieces: Uint8Array[] = []
    let block = this.first[id]!
    for (let size = firstBlock; ; size = Math.min(size * 2, largestBlock)) {
      const next = readPointer(this.buffer, block)
      const last = next === 0
      const end = last ? this.tail[id]! : block + 4 + size
      pieces.push(this.buffer.subarray(block + 4, end))
      if (last) break
      block = next
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }

  private pushByte(id: number, byte: number): void {
    if (this.left[id] === 0) this.addBlock(id)
    this.buffer[this.tail[id]!] = byte
    this.tail[id]!++
    this.left[id]!--
  }

  private addBlock(id: number): void {
    const size = Math.min(this.size[id]! * 2, largestBlock)
    const block = this.allocate(size)
    writePointer(this.buffer, this.tail[id]! - this.size[id]! - 4, block)
    this.tail[id] = block + 4
    this.left[id] = size
    this.size[id] = size
  }

  private allocate(size: number): number {
    const block = this.used
    this.used += size + 4
    while (this.used > this.buffer.length) {
      const larger = new Uint8Array(this.buffer.length * 2)
      larger.set(this.buffer)
      this.buffer = larger
    }
    return block
  }
}

const firstBlock = 16
const largestBlock = 4096

function grown(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}

function readPointer(buffer: Uint8Array, at: number): number {
  return buffer[at]! + buffer[at + 1]! * 256 + buffer[at + 2]! * 65536 + buffer[at + 3]! * 16777216
}

function writePointer(buffer: Uint8Array, at: number, value: number): void {
  buffer[at] = value & 255
  buffer[at + 1] = (value >>> 8) & 255
  buffer[at + 2] = (value >>> 16) & 255
  buffer[at + 3] = (value >>> 24) & 255
}
