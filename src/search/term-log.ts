/**
 * Occurrences of many terms, each a growing list of numbers, in a few large buffers: a term costs its bytes and a few
 * words, not an array of its own. Blocks double in size; each begins with the address of the next.
 */
export class TermLog {
  private readonly buffers: Uint8Array[] = []
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
      const address = this.tail[id]!
      const buffer = this.buffers[address >>> bufferBits]!
      const tail = address & offsetMask
      const count = Math.min(this.left[id]!, bytes.length - at)
      for (let i = 0; i < count; i++) buffer[tail + i] = bytes[at + i]!
      this.tail[id] = address + count
      this.left[id]! -= count
      at += count
    }
  }

  /** The term's bytes in one piece. */
  read(id: number): Uint8Array {
    const pieces: Uint8Array[] = []
    let block = this.first[id]!
    for (let size = firstBlock; ; size = Math.min(size * 2, largestBlock)) {
      const next = this.readPointer(block)
      const last = next === 0
      const length = last ? this.tail[id]! - block - 4 : size
      const start = (block & offsetMask) + 4
      pieces.push(this.buffers[block >>> bufferBits]!.subarray(start, start + length))
      if (last) break
      block = next
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }

  private pushByte(id: number, byte: number): void {
    if (this.left[id] === 0) this.addBlock(id)
    const address = this.tail[id]!
    this.buffers[address >>> bufferBits]![address & offsetMask] = byte
    this.tail[id] = address + 1
    this.left[id]!--
  }

  private addBlock(id: number): void {
    const size = Math.min(this.size[id]! * 2, largestBlock)
    const block = this.allocate(size)
    this.writePointer(this.tail[id]! - this.size[id]! - 4, block)
    this.tail[id] = block + 4
    this.left[id] = size
    this.size[id] = size
  }

  /** A block lies in one buffer, so that its address is enough to find all of it. */
  private allocate(size: number): number {
    const needed = size + 4
    const room = bufferBytes - (this.used & offsetMask)
    if (this.buffers.length === 0 || room < needed || (this.used & offsetMask) === 0) {
      this.used = this.buffers.length === 0 ? 4 : this.buffers.length * bufferBytes
      this.buffers.push(new Uint8Array(bufferBytes))
    }
    const block = this.used
    this.used += needed
    return block
  }

  private readPointer(address: number): number {
    const buffer = this.buffers[address >>> bufferBits]!
    const at = address & offsetMask
    return buffer[at]! + buffer[at + 1]! * 256 + buffer[at + 2]! * 65536 + buffer[at + 3]! * 16777216
  }

  private writePointer(address: number, value: number): void {
    const buffer = this.buffers[address >>> bufferBits]!
    const at = address & offsetMask
    buffer[at] = value & 255
    buffer[at + 1] = (value >>> 8) & 255
    buffer[at + 2] = (value >>> 16) & 255
    buffer[at + 3] = (value >>> 24) & 255
  }
}

const bufferBits = 22
const bufferBytes = 1 << bufferBits
const offsetMask = bufferBytes - 1
const firstBlock = 16
const largestBlock = 4096

function grown(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}
