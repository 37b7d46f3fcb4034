import { hash, randomUUID } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/*
 * A pack is one file with many pieces in it, because thousands of small files cost more than what is in them:
 *
 *   pieces    one after the other
 *   records   one a piece: key (43 characters), offset (6 bytes), length (4), checksum (4)
 *   end       number of records (4), checksum of the records (4), "quirepk1"
 */
const keyCharacters = 43
const recordBytes = keyCharacters + 6 + 4 + 4
const mark = 'quirepk1'
const endBytes = 8 + mark.length

/** More packs than this are put together, the small ones first. */
const mostPacks = 12
const sealAfterMs = 3_000
const bufferedBytes = 4 * 1024 * 1024

type Piece = { pack: Pack; offset: number; length: number; checksum: number }
type Pack = { path: string; file: number; sizeBytes: number; isUsed: boolean; records: Map<string, Piece> }

/**
 * Things that can be made again, kept by key in a folder of packs. A damaged piece is as if it were not there, several
 * processes may use one folder, and what is added is there for them a few
 * seconds later, or after `close`.
 */
export class PackStore {
  readonly #folder: string
  readonly #packs: Pack[] = []
  readonly #pieces = new Map<string, Piece>()
  #writer: PackWriter | undefined
  #spare = Buffer.alloc(0)
  #isClosed = false

  constructor(folder: string) {
    this.#folder = folder
    for (const name of listPacks(folder)) {
      const pack = openPack(join(folder, name))
      if (pack === undefined) continue
      this.#packs.push(pack)
      for (const [key, piece] of pack.records) this.#pieces.set(key, piece)
    }
  }

  /** Whether a piece is there and undamaged. */
  has(key: string): boolean {
    const piece = this.#pieces.get(key)
    if (piece === undefined) return this.#writer?.has(key) === true
    if (this.#spare.length < piece.length) this.#spare = Buffer.allocUnsafeSlow(piece.length * 2)
    return this.#readInto(this.#spare.subarray(0, piece.length), key, piece)
  }

  read(key: string): Buffer | undefined {
    const piece = this.#pieces.get(key)
    if (piece === undefined) return this.#writer?.read(key)
    const bytes = Buffer.allocUnsafeSlow(piece.length)
    return this.#readInto(bytes, key, piece) ? bytes : undefined
  }

  /** A damaged piece is forgotten, so that it may be added again. */
  #readInto(bytes: Buffer, key: string, piece: Piece): boolean {
    piece.pack.isUsed = true
    const length = readSync(piece.pack.file, bytes, 0, piece.length, piece.offset)
    if (length === piece.length && crc32(bytes) === piece.checksum) return true
    this.#pieces.delete(key)
    return false
  }

  add(key: string, ...parts: Uint8Array[]): void {
    if (this.#isClosed || this.#pieces.has(key)) return // What comes late, from work that was given up, is not kept.
    this.#writer ??= new PackWriter(this.#folder)
    this.#writer.add(key, parts)
    const wait = sealAfterMs * Math.max(1, this.#packs.length / 4) // The longer a build, the fewer packs of its own.
    if (performance.now() - this.#writer.startedMs > wait) this.#seal()
  }

  /** Seals what was added, so that the next one to open the folder finds it. */
  close(): void {
    const added = this.#writer?.seal()
    this.#writer = undefined
    this.#isClosed = true
    const now = new Date()
    for (const pack of this.#packs) if (pack.isUsed) ignoreFailure(() => utimesSync(pack.path, now, now))
    if (added !== undefined && this.#packs.length >= mostPacks) this.#joinSmallest()
    for (const pack of this.#packs) closeSync(pack.file)
    this.#packs.length = 0
    this.#pieces.clear()
  }

  /** What a process that is killed has added so far is then not lost. */
  #seal(): void {
    const path = this.#writer?.seal()
    this.#writer = undefined
    const pack = path === undefined ? undefined : openPack(path)
    if (pack === undefined) return
    this.#packs.push(pack)
    for (const [key, piece] of pack.records) this.#pieces.set(key, piece)
  }

  #joinSmallest(): void {
    const small = [...this.#packs].sort((a, b) => a.sizeBytes - b.sizeBytes).slice(0, mostPacks / 2 + 2)
    const writer = new PackWriter(this.#folder)
    for (const pack of small) {
      for (const [key, piece] of pack.records) {
        const bytes = this.#pieces.get(key) === piece ? this.read(key) : undefined
        if (bytes !== undefined) writer.add(key, [bytes])
      }
    }
    writer.seal()
    for (const pack of small) ignoreFailure(() => rmSync(pack.path, { force: true }))
  }
}

/** The key of a piece: a digest of everything it follows from. */
export function packKey(...parts: (string | Uint8Array)[]): string {
  if (parts.length === 1 && parts[0] !== undefined) return hash('sha256', parts[0], 'base64url')
  return hash('sha256', JSON.stringify(parts.map((part) => hash('sha256', part, 'hex'))), 'base64url')
}

class PackWriter {
  readonly startedMs = performance.now()
  readonly #target: string
  readonly #partial: string
  readonly #file: number
  readonly #records: Buffer[] = []
  readonly #places = new Map<string, { offset: number; length: number }>()
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #end = 0

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true })
    this.#target = join(folder, `${randomUUID()}.pack`)
    this.#partial = `${this.#target}.partial`
    this.#file = openSync(this.#partial, 'wx+')
  }

  has(key: string): boolean {
    return this.#places.has(key)
  }

  read(key: string): Buffer | undefined {
    const place = this.#places.get(key)
    if (place === undefined) return undefined
    if (place.offset + place.length > this.#end - this.#waitingBytes) this.#flush()
    return readPart(this.#file, place.offset, place.length)
  }

  add(key: string, parts: Uint8Array[]): void {
    if (this.#places.has(key)) return
    let length = 0
    let checksum = 0
    for (const part of parts) {
      length += part.length
      checksum = crc32(part, checksum)
      this.#waiting.push(part)
    }
    const record = Buffer.allocUnsafe(recordBytes)
    record.write(key, 0, keyCharacters, 'latin1')
    record.writeUIntLE(this.#end, keyCharacters, 6)
    record.writeUInt32LE(length, keyCharacters + 6)
    record.writeUInt32LE(checksum, keyCharacters + 10)
    this.#records.push(record)
    this.#places.set(key, { offset: this.#end, length })
    this.#end += length
    this.#waitingBytes += length
    if (this.#waitingBytes > bufferedBytes) this.#flush()
  }

  seal(): string {
    const records = Buffer.concat(this.#records)
    const end = Buffer.alloc(endBytes)
    end.writeUInt32LE(this.#records.length, 0)
    end.writeUInt32LE(crc32(records), 4)
    end.write(mark, 8, 'latin1')
    this.#waiting.push(records, end)
    this.#flush()
    closeSync(this.#file)
    renameSync(this.#partial, this.#target) // Another build sees the whole pack or none of it.
    return this.#target
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#waiting)
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written)
    this.#waiting = []
    this.#waitingBytes = 0
  }
}

function listPacks(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.pack'))
      .sort()
  } catch {
    return []
  }
}

/** A pack that cannot be read, or that another process has just put together with others, is left aside. */
function openPack(path: string): Pack | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return undefined
  }
  const { size } = fstatSync(file)
  const end = readPart(file, size - endBytes, endBytes)
  const count = end?.readUInt32LE(0) ?? 0
  const start = size - endBytes - count * recordBytes
  const list = end === undefined || start < 0 ? undefined : readPart(file, start, count * recordBytes)
  if (end?.toString('latin1', 8) !== mark || list === undefined || crc32(list) !== end.readUInt32LE(4)) {
    closeSync(file)
    return undefined
  }
  const pack: Pack = { path, file, sizeBytes: size, isUsed: false, records: new Map() }
  for (let at = 0; at < list.length; at += recordBytes) {
    const key = list.toString('latin1', at, at + keyCharacters)
    const numbers = at + keyCharacters
    pack.records.set(key, {
      pack,
      offset: list.readUIntLE(numbers, 6),
      length: list.readUInt32LE(numbers + 6),
      checksum: list.readUInt32LE(numbers + 10),
    })
  }
  return pack
}

function readPart(file: number, offset: number, length: number): Buffer | undefined {
  if (offset < 0) return undefined
  const bytes = Buffer.alloc(length)
  return readSync(file, bytes, 0, length, offset) === length ? bytes : undefined
}

/** What only saves work may fail: the files may have gone, or belong to another user. */
function ignoreFailure(action: () => void): void {
  try {
    action()
  } catch {}
}
