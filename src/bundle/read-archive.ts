import { pipeline, type Readable, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { BundleError, type BundleErrorCode } from './bundle-error.ts'
import { checkBundlePath, NameSet } from './bundle-path.ts'
import { SealReader } from './gzip-member.ts'
import { blockBytes } from './tar-header.ts'

export type UnpackLimits = {
  maxFiles: number
  maxFileBytes: number
  maxTotalBytes: number
  maxArchiveBytes: number
  /** How many times larger than the archive its content may be, looked at from the first 32 MiB on. */
  maxRatio: number
}

export const defaultUnpackLimits: UnpackLimits = {
  maxFiles: 200_000,
  maxFileBytes: 1024 ** 3,
  maxTotalBytes: 8 * 1024 ** 3,
  maxArchiveBytes: 4 * 1024 ** 3,
  maxRatio: 150,
}

export type ArchiveResult = {
  sha256: string
  sizeBytes: number
  fileCount: number
  contentBytes: number
  sealed: boolean
}

/**
 * Reads a .tar.gz as a stream and hands on each plain file. Everything else is refused with a BundleError: links, devices,
 * sparse files, names that lead out or collide, records that contradict each other, bombs, and bytes after the end.
 */
export async function readArchive(input: {
  archive: Readable
  limits?: Partial<UnpackLimits>
  onFile(file: { path: string; sizeBytes: number }, body: AsyncIterable<Buffer>): Promise<void>
}): Promise<ArchiveResult> {
  const limits = { ...defaultUnpackLimits, ...input.limits }
  const seal = new SealReader()
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seal.update(chunk)
      if (seal.sizeBytes <= limits.maxArchiveBytes) done(null, chunk)
      else done(new BundleError('archive_too_large', `The archive is over ${limits.maxArchiveBytes} bytes.`))
    },
  })
  const gunzip = createGunzip({ chunkSize: 64 * 1024 })
  pipeline(input.archive, meter, gunzip, () => {}) // Its errors arrive through the iterator of gunzip.
  const bytes = new ByteReader(gunzip, (contentBytes) => {
    if (contentBytes > limits.maxTotalBytes) {
      throw new BundleError('total_too_large', `The archive holds more than ${limits.maxTotalBytes} bytes.`)
    }
    if (contentBytes > ratioFreeBytes && contentBytes > seal.sizeBytes * limits.maxRatio) {
      throw new BundleError('ratio_too_high', `The archive swells to over ${limits.maxRatio} times its size.`)
    }
  })
  try {
    const counts = await readEntries(bytes, limits, input.onFile)
    const { seal: state, ...result } = seal.finish()
    if (gunzip.bytesWritten !== result.sizeBytes) {
      throw new BundleError('trailing_data', 'The archive goes on after its end.')
    }
    if (state === 'broken')
      throw new BundleError('seal_broken', 'The archive was altered: its seal is broken.')
    return { ...result, ...counts, sealed: state === 'right' }
  } catch (error) {
    throw asBundleError(error)
  } finally {
    gunzip.destroy()
    input.archive.destroy()
  }
}

async function readEntries(
  bytes: ByteReader,
  limits: UnpackLimits,
  onFile: (file: { path: string; sizeBytes: number }, body: AsyncIterable<Buffer>) => Promise<void>,
): Promise<{ fileCount: number; contentBytes: number }> {
  const names = new NameSet()
  let entries = 0
  let fileCount = 0
  let contentBytes = 0
  let told: ToldAhead = {}
  for (;;) {
    const block = await bytes.take(blockBytes)
    if (isZero(block)) {
      if (Object.keys(told).length > 0)
        throw new BundleError('bad_header', 'The archive ends inside an entry.')
      await readEnd(bytes)
      return { fileCount, contentBytes }
    }
    const header = parseHeader(block)
    if (++entries > limits.maxFiles * 2) throw tooMany(limits)
    if (header.type === 'x' || header.type === 'L' || header.type === 'g') {
      const body = await bytes.take(checkedMetadataSize(header))
      await bytes.skipPadding(header.sizeBytes)
      if (header.type === 'g') checkGlobalRecords(body)
      else told = tellAhead(told, header.type, body)
      continue
    }
    const kind = kindOf(header, told)
    const path = nameOf(header, told, kind)
    told = {}
    if (kind === 'folder') {
      if (header.sizeBytes !== 0)
        throw new BundleError('bad_header', `The folder "${path}" claims to have bytes.`, path)
      if (path !== '') names.addFolder(path)
      continue
    }
    names.addFile(path)
    if (++fileCount > limits.maxFiles) throw tooMany(limits)
    if (header.sizeBytes > limits.maxFileBytes) {
      throw new BundleError('file_too_large', `"${path}" is over ${limits.maxFileBytes} bytes.`, path)
    }
    contentBytes += header.sizeBytes
    if (contentBytes > limits.maxTotalBytes) {
      throw new BundleError('total_too_large', `The archive holds more than ${limits.maxTotalBytes} bytes.`)
    }
    const body = bytes.body(header.sizeBytes)
    await onFile({ path, sizeBytes: header.sizeBytes }, body)
    for await (const _ of body); // What was not read is passed over.
    await bytes.skipPadding(header.sizeBytes)
  }
}

type Header = { rawName: Buffer; mode: number; sizeBytes: number; type: string; linkName: string }

function parseHeader(block: Buffer): Header {
  let sum = 0
  for (let index = 0; index < blockBytes; index++)
    sum += index >= 148 && index < 156 ? 32 : (block[index] as number)
  if (octal(block, 148, 8) !== sum) throw new BundleError('bad_header', 'A header has a wrong checksum.')
  const magic = block.toString('latin1', 257, 263)
  const isUstar = magic === 'ustar\0'
  if (!isUstar && magic !== 'ustar ' && magic !== '\0\0\0\0\0\0') {
    throw new BundleError('bad_header', 'A header is of no kind that is known.')
  }
  const name = untilZero(block.subarray(0, 100))
  // Only POSIX headers have a prefix; GNU ones keep other things in its place.
  const prefix = isUstar ? untilZero(block.subarray(345, 500)) : Buffer.alloc(0)
  const type = block.toString('latin1', 156, 157)
  return {
    rawName: prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : name,
    mode: octal(block, 100, 8),
    sizeBytes: octal(block, 124, 12),
    type: type === '\0' ? '0' : type,
    linkName: untilZero(block.subarray(157, 257)).toString('latin1'),
  }
}

/** Octal digits only: the binary form that some write for huge numbers has no place here, nor has a sign. */
function octal(block: Buffer, start: number, length: number): number {
  const text = block
    .toString('latin1', start, start + length)
    .replace(/[\0 ]+$/, '')
    .replace(/^ +/, '')
  if (text === '') return 0
  if (!/^[0-7]+$/.test(text)) throw new BundleError('bad_header', 'A header has a number that is none.')
  return Number.parseInt(text, 8)
}

function kindOf(header: Header, told: ToldAhead): 'file' | 'folder' {
  const name = JSON.stringify((told.path ?? header.rawName).toString('utf8').slice(0, 200))
  switch (header.type) {
    case '0':
    case '7':
      break
    case '5':
      if ((header.mode & 0o4000) !== 0)
        throw new BundleError('special_mode', `${name} asks to run as its owner.`)
      return 'folder'
    case '1':
    case '2':
    case 'K':
      throw new BundleError('link', `${name} is a link; only plain files and folders are unpacked.`)
    case '3':
    case '4':
    case '6':
      throw new BundleError(
        'device',
        `${name} is a device or a pipe; only plain files and folders are unpacked.`,
      )
    case 'S':
      throw new BundleError('sparse', `${name} is a sparse file; only plain files and folders are unpacked.`)
    default:
      throw new BundleError(
        'unknown_type',
        `${name} is of an unknown kind; only plain files and folders are unpacked.`,
      )
  }
  if (header.linkName !== '') throw new BundleError('link', `${name} is a file that names a link's target.`)
  if ((header.mode & 0o6000) !== 0) throw new BundleError('special_mode', `${name} asks to run as its owner.`)
  if (told.sizeBytes !== undefined && told.sizeBytes !== header.sizeBytes) {
    throw new BundleError('pax_conflict', `${name} has two different sizes.`)
  }
  return 'file'
}

function nameOf(header: Header, told: ToldAhead, kind: 'file' | 'folder'): string {
  let path = decodeName(told.path ?? header.rawName)
  while (path.startsWith('./')) path = path.slice(2)
  if (kind === 'folder') {
    if (path.endsWith('/') && path.length > 1) path = path.slice(0, -1)
    if (path === '.' || path === '') return ''
  }
  checkBundlePath(path)
  return path
}

function decodeName(raw: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)
  } catch {
    throw new BundleError('bad_name', 'A name is not UTF-8.', raw.toString('latin1'))
  }
}

/** What a PAX record or a GNU long name says about the entry that follows. */
type ToldAhead = { path?: Buffer; sizeBytes?: number; pax?: true }

function tellAhead(told: ToldAhead, type: 'x' | 'L', body: Buffer): ToldAhead {
  if (type === 'L') {
    if (told.path !== undefined) throw new BundleError('pax_conflict', 'An entry has two names.')
    const end = body.indexOf(0)
    if (end !== -1 && !isZero(body.subarray(end)))
      throw new BundleError('bad_name', 'A long name has a NUL inside.')
    return { ...told, path: end === -1 ? body : body.subarray(0, end) }
  }
  if (told.pax) throw new BundleError('pax_conflict', 'An entry has two sets of records.')
  const next: ToldAhead = { ...told, pax: true }
  for (const { key, value } of paxRecords(body)) {
    if (key.startsWith('GNU.sparse')) throw new BundleError('sparse', 'An entry is a sparse file.')
    if (key === 'linkpath') throw new BundleError('link', 'An entry names a link’s target.')
    if (key === 'path') {
      if (next.path !== undefined) throw new BundleError('pax_conflict', 'An entry has two names.')
      if (value.includes(0)) throw new BundleError('bad_name', 'A name has a NUL inside.')
      next.path = value
    }
    if (key === 'size') {
      if (next.sizeBytes !== undefined) throw new BundleError('pax_conflict', 'An entry has two sizes.')
      const text = value.toString('latin1')
      if (!/^[0-9]{1,15}$/.test(text)) throw new BundleError('bad_pax', 'A size is no number.')
      next.sizeBytes = Number(text)
    }
  }
  return next
}

/** Records for all entries at once may comment, as `git archive` does, and nothing more. */
function checkGlobalRecords(body: Buffer): void {
  for (const { key } of paxRecords(body)) {
    if (['path', 'linkpath', 'size'].includes(key) || key.startsWith('GNU.sparse')) {
      throw new BundleError('pax_conflict', `A record for all entries sets "${key}".`)
    }
  }
}

function* paxRecords(body: Buffer): Generator<{ key: string; value: Buffer }> {
  let start = 0
  while (start < body.length) {
    const space = body.indexOf(0x20, start)
    const digits = space === -1 ? '' : body.toString('latin1', start, space)
    const length = /^[1-9][0-9]{0,6}$/.test(digits) ? Number(digits) : 0
    const end = start + length
    const equals = body.indexOf(0x3d, space)
    if (length === 0 || end > body.length || body[end - 1] !== 0x0a || equals === -1 || equals >= end - 1) {
      throw new BundleError('bad_pax', 'A record lies about its length.')
    }
    const key = body.toString('utf8', space + 1, equals)
    if (key === '') throw new BundleError('bad_pax', 'A record has no name.')
    yield { key, value: body.subarray(equals + 1, end - 1) }
    start = end
  }
}

function checkedMetadataSize(header: Header): number {
  if (header.sizeBytes === 0 || header.sizeBytes > maxMetadataBytes) {
    throw new BundleError('bad_pax', 'A record about an entry is empty or too long.')
  }
  return header.sizeBytes
}

/** A second zero block, then zeros only: GNU tar fills its last record with them. */
async function readEnd(bytes: ByteReader): Promise<void> {
  if (!isZero(await bytes.take(blockBytes)))
    throw new BundleError('bad_header', 'The archive ends and then goes on.')
  let padding = 0
  for await (const chunk of bytes.rest()) {
    padding += chunk.length
    if (!isZero(chunk)) throw new BundleError('trailing_data', 'The archive goes on after its end.')
    if (padding > maxEndPaddingBytes) throw new BundleError('trailing_data', 'The archive has no end.')
  }
}

/** Takes exact numbers of bytes from a stream of chunks. */
class ByteReader {
  #source: AsyncIterator<Buffer>
  #onBytes: (total: number) => void
  #chunk: Buffer = Buffer.alloc(0)
  #total = 0

  constructor(source: Readable, onBytes: (total: number) => void) {
    this.#source = source[Symbol.asyncIterator]()
    this.#onBytes = onBytes
  }

  async take(length: number): Promise<Buffer> {
    if (this.#chunk.length >= length) return this.#cut(length)
    const parts: Buffer[] = []
    for await (const part of this.body(length)) parts.push(part)
    return Buffer.concat(parts)
  }

  /** The next bytes as they come. Leaving early loses nothing: going on reads the rest. */
  body(length: number): AsyncIterableIterator<Buffer> {
    let missing = length
    const iterator: AsyncIterableIterator<Buffer> = {
      [Symbol.asyncIterator]: () => iterator,
      next: async () => {
        if (missing === 0) return { done: true, value: undefined }
        if (this.#chunk.length === 0 && !(await this.#more())) {
          throw new BundleError('truncated', 'The archive ends too early: it was cut off.')
        }
        const value = this.#cut(Math.min(missing, this.#chunk.length))
        missing -= value.length
        return { done: false, value }
      },
    }
    return iterator
  }

  async skipPadding(sizeBytes: number): Promise<void> {
    await this.take((blockBytes - (sizeBytes % blockBytes)) % blockBytes)
  }

  async *rest(): AsyncGenerator<Buffer> {
    while (this.#chunk.length > 0 || (await this.#more())) yield this.#cut(this.#chunk.length)
  }

  #cut(length: number): Buffer {
    const taken = this.#chunk.subarray(0, length)
    this.#chunk = this.#chunk.subarray(length)
    return taken
  }

  async #more(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#source.next()
      if (done) return false
      this.#total += value.length
      this.#onBytes(this.#total)
      if (value.length > 0) {
        this.#chunk = value
        return true
      }
    }
  }
}

function asBundleError(error: unknown): unknown {
  if (error instanceof BundleError || !(error instanceof Error) || !('code' in error)) return error
  const code = zlibCodes[String(error.code)]
  return code === undefined ? error : new BundleError(code[0], code[1])
}

const zlibCodes: Record<string, [BundleErrorCode, string] | undefined> = {
  Z_DATA_ERROR: ['corrupt_gzip', 'The archive is damaged: it cannot be decompressed.'],
  Z_BUF_ERROR: ['truncated', 'The archive ends too early: it was cut off.'],
  Z_NEED_DICT: ['corrupt_gzip', 'The archive is damaged: it cannot be decompressed.'],
  Z_STREAM_ERROR: ['corrupt_gzip', 'The archive is damaged: it cannot be decompressed.'],
}

function tooMany(limits: UnpackLimits): BundleError {
  return new BundleError('too_many_files', `The archive holds more than ${limits.maxFiles} files.`)
}

function untilZero(field: Buffer): Buffer {
  const end = field.indexOf(0)
  return end === -1 ? field : field.subarray(0, end)
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0)
}

const ratioFreeBytes = 32 * 1024 ** 2
const maxMetadataBytes = 64 * 1024
const maxEndPaddingBytes = 1024 * 1024
