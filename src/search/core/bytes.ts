/**
 * Bytes as they stand in the index files: inside a JavaScript string, in ASCII, so that a page opened from disk can
 * load them with a script element. Small values, the bulk of an index, take one character; the others two.
 */
export function packBytes(bytes: Uint8Array): Uint8Array {
  const packed = new Uint8Array(bytes.length * 2)
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    const codes = packTable[bytes[i]!]!
    if (codes > 255) packed[length++] = codes >> 8
    packed[length++] = codes & 255
  }
  return packed.subarray(0, length)
}

export function unpackBytes(packed: string): Uint8Array {
  const bytes = new Uint8Array(packed.length)
  let length = 0
  for (let i = 0; i < packed.length; i++) {
    const code = packed.charCodeAt(i)
    if (code >= 1 && code <= 4) bytes[length++] = packEscaped[(code - 1) * 48 + packed.charCodeAt(++i) - 35]!
    else bytes[length++] = (code + 114) & 127
  }
  return bytes.slice(0, length)
}

// NUL, the escapes themselves, line ends, the quote, the backslash and DEL never stand for themselves.
const packForbidden = [0, 1, 2, 3, 4, 10, 13, 34, 92, 127]
const packEscaped: number[] = []
/** One character, or two with the first in the higher byte. */
const packTable = new Uint16Array(256)
for (let byte = 0; byte < 256; byte++) {
  const code = (byte + 14) & 127
  if (byte < 128 && !packForbidden.includes(code)) packTable[byte] = code
  else {
    const index = packEscaped.push(byte) - 1
    packTable[byte] = (1 + Math.floor(index / 48)) * 256 + 35 + (index % 48)
  }
}

/** Reads what ByteWriter wrote. */
export class ByteReader {
  bytes: Uint8Array
  offset: number

  constructor(bytes: Uint8Array, offset = 0) {
    this.bytes = bytes
    this.offset = offset
  }

  byte(): number {
    return this.bytes[this.offset++]!
  }

  varint(): number {
    let byte = this.bytes[this.offset++]!
    if (byte < 128) return byte
    let value = byte & 127
    let scale = 128
    do {
      byte = this.bytes[this.offset++]!
      value += (byte & 127) * scale
      scale *= 128
    } while (byte >= 128)
    return value
  }

  /** Passes over so many varints. */
  skip(count: number): void {
    for (let left = count; left > 0; ) if (this.bytes[this.offset++]! < 128) left--
  }

  /** UTF-16 units, each a varint: ASCII takes one byte. */
  string(): string {
    const length = this.varint()
    let text = ''
    for (let i = 0; i < length; i++) text += String.fromCharCode(this.varint())
    return text
  }
}

export class ByteWriter {
  bytes: Uint8Array
  length = 0

  constructor(capacity = 256) {
    this.bytes = new Uint8Array(capacity)
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.grow(1)
    this.bytes[this.length++] = value
  }

  varint(value: number): void {
    if (value < 0) throw new Error(`${value} is no varint: what follows could not be read again.`)
    let rest = value
    while (rest >= 128) {
      this.byte((rest % 128) | 128)
      rest = Math.floor(rest / 128)
    }
    this.byte(rest)
  }

  /** Puts a varint in the place of one byte written before. */
  setVarint(offset: number, value: number): void {
    if (value < 128) {
      this.bytes[offset] = value
      return
    }
    const rest = this.bytes.slice(offset + 1, this.length)
    this.length = offset
    this.varint(value)
    this.append(rest)
  }

  string(text: string): void {
    this.varint(text.length)
    for (let i = 0; i < text.length; i++) this.varint(text.charCodeAt(i))
  }

  append(bytes: Uint8Array): void {
    if (this.length + bytes.length > this.bytes.length) this.grow(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  view(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  private grow(least: number): void {
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + least))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
  }
}
