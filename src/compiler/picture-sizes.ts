import { closeSync, openSync, readSync } from 'node:fs'
import { join, posix } from 'node:path'
import { type ImageSize, readImageSize } from '../theme/index.ts'

/** The sizes of the project's pictures, each read once from the first bytes of its file. */
export class PictureSizes {
  /** What was asked for since the last clear, as `640x320`, or nothing where the size is not known. */
  readonly used = new Map<string, string>()
  readonly #known = new Map<string, ImageSize | undefined>()
  readonly #root: string
  readonly #files: ReadonlySet<string>

  constructor(project: { root: string; files: ReadonlySet<string> }) {
    this.#root = project.root
    this.#files = project.files
  }

  /** The size of a picture by its address as it stands in a page. */
  seenFrom(pagePath: string): (source: string) => ImageSize | 'missing' | undefined {
    return (source) => {
      const file = fileOf(pagePath, source)
      if (file === undefined) return undefined
      if (!this.#files.has(file)) return 'missing'
      this.used.set(file, this.describe(file))
      return this.#sizeOf(file)
    }
  }

  describe(file: string): string {
    const size = this.#files.has(file) ? this.#sizeOf(file) : undefined
    return size === undefined ? '' : `${size.width}x${size.height}`
  }

  #sizeOf(file: string): ImageSize | undefined {
    if (this.#known.has(file)) return this.#known.get(file)
    const size = readImageSize(firstBytes(join(this.#root, file)))
    this.#known.set(file, size)
    return size
  }
}

function fileOf(pagePath: string, source: string): string | undefined {
  if (/^[a-z]+:|^\/\//i.test(source)) return undefined
  try {
    return posix.join(posix.dirname(pagePath), decodeURIComponent(source.replace(/[?#].*$/, '')))
  } catch {
    return undefined // Not an address at all: the picture will be missing, and is reported as such.
  }
}

/** Enough for the header of any picture, also behind a camera's notes. */
const headBytes = 256 * 1024

function firstBytes(file: string): Uint8Array {
  const handle = openSync(file, 'r')
  try {
    const bytes = new Uint8Array(headBytes)
    return bytes.subarray(0, readSync(handle, bytes, 0, headBytes, 0))
  } finally {
    closeSync(handle)
  }
}
