import { BundleError } from './bundle-error.ts'

/**
 * Throws unless the path is a plain relative one that means the same file on every system:
 * forward slashes, no `..`, no drive, no stream, no control character.
 */
export function checkBundlePath(path: string): void {
  const shown = JSON.stringify(path.slice(0, 200))
  if (path === '') throw new BundleError('bad_name', 'A file has an empty name.', path)
  if (path.startsWith('/') || path.startsWith('\\') || /^[a-zA-Z]:/.test(path)) {
    throw new BundleError('absolute_name', `${shown} is an absolute name; names must be relative.`, path)
  }
  if (/(^|[\\/])\.\.([\\/]|$)/.test(path)) {
    throw new BundleError('parent_name', `${shown} leads out of its folder with "..".`, path)
  }
  if (path.includes('\\')) throw new BundleError('bad_name', `${shown} has a backslash in its name.`, path)
  if (path.includes(':')) throw new BundleError('bad_name', `${shown} has a colon in its name.`, path)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffd]/.test(path) || !path.isWellFormed()) {
    throw new BundleError('bad_name', `${shown} has a character that a name cannot have.`, path)
  }
  const segments = path.split('/')
  if (Buffer.byteLength(path) > maxPathBytes || segments.length > maxPathDepth) {
    throw new BundleError('bad_name', `${shown}… is too long or too deep for a name.`, path)
  }
  for (const segment of segments) {
    if (segment === '' || segment === '.' || /[. ]$/.test(segment) || Buffer.byteLength(segment) > 255) {
      throw new BundleError('bad_name', `${shown} has a part that a name cannot have.`, path)
    }
  }
}

/** Two paths with the same key are the same file on some system that ignores case or spells Unicode otherwise. */
export function collisionKey(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: plain ASCII needs no Unicode tables.
  if (/^[\u0000-\u007f]*$/.test(path)) return path.toLowerCase()
  return path.normalize('NFKD').toLowerCase().toUpperCase().toLowerCase().normalize('NFKD')
}

/** The one order of files in manifests and archives: by the bytes of their path. */
export function comparePaths(left: string, right: string): number {
  // Up to the surrogates, the order of characters is that of their bytes.
  if (!highCharacters.test(left) && !highCharacters.test(right))
    return left < right ? -1 : left > right ? 1 : 0
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

const highCharacters = /[\ud800-\uffff]/

/** Finds names that are taken twice, or taken by a file and a folder at once. */
export class NameSet {
  #files = new Map<string, string>()
  #folders = new Set<string>()

  addFile(path: string): void {
    const key = collisionKey(path)
    const taken = this.#files.get(key)
    if (taken === path) throw new BundleError('duplicate', `"${path}" is there twice.`, path)
    if (taken !== undefined) {
      throw new BundleError(
        'collision',
        `"${path}" and "${taken}" are one file where case or spelling is ignored.`,
        path,
      )
    }
    if (this.#folders.has(key))
      throw new BundleError('collision', `"${path}" is both a file and a folder.`, path)
    this.#files.set(key, path)
    this.#addFoldersOf(key, path)
  }

  addFolder(path: string): void {
    const key = collisionKey(path)
    if (this.#files.has(key))
      throw new BundleError('collision', `"${path}" is both a file and a folder.`, path)
    this.#folders.add(key)
    this.#addFoldersOf(key, path)
  }

  #addFoldersOf(key: string, path: string): void {
    for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
      const folder = key.slice(0, end)
      if (this.#folders.has(folder)) return
      if (this.#files.has(folder)) {
        throw new BundleError('collision', `"${path}" lies in something that is already a file.`, path)
      }
      this.#folders.add(folder)
    }
  }
}

const maxPathBytes = 1024
const maxPathDepth = 64
