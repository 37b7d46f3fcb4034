import { createHash, hash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Manifest, type ManifestEntry, manifestFile } from './bundle-api.ts'
import { BundleError } from './bundle-error.ts'
import { checkBundlePath, comparePaths, NameSet } from './bundle-path.ts'

/** Walks the folder, digests every file and writes `_quire/manifest.json`: the last step of making a bundle. */
export async function writeManifest(input: {
  folder: string
  name: string
  renderer: string
  pageCount: number
}): Promise<Manifest> {
  const paths = (await listFiles(input.folder)).filter((path) => path !== manifestFile)
  const files = await mapInOrder(paths, async (path) => ({
    path,
    ...(await digestFile(join(input.folder, path))),
  }))
  const manifest = makeManifest(input, files)
  await storeManifest(input.folder, manifest)
  return manifest
}

/** The manifest over these files, whatever order they come in; two files that some disk would take for one are an error. */
export function makeManifest(
  about: Pick<Manifest, 'name' | 'renderer' | 'pageCount'>,
  entries: ManifestEntry[],
): Manifest {
  const files = entries.sort((a, b) => comparePaths(a.path, b.path))
  const names = new NameSet()
  for (const path of [...files.map((file) => file.path), manifestFile]) {
    checkBundlePath(path)
    names.addFile(path)
  }
  const { renderer, name, pageCount } = about
  return { format: 1, renderer, digest: digestOfFiles(files), name, pageCount, files }
}

export async function storeManifest(folder: string, manifest: Manifest): Promise<void> {
  const target = join(folder, manifestFile)
  await mkdir(dirname(target), { recursive: true })
  const partial = `${target}.${randomUUID()}.partial`
  await writeFile(partial, serializeManifest(manifest))
  await rename(partial, target) // A reader sees the whole manifest or none of it.
}

export async function readManifest(folder: string): Promise<Manifest> {
  let text: Buffer
  try {
    text = await readFile(join(folder, manifestFile))
  } catch (error) {
    if (isMissing(error)) {
      throw new BundleError(
        'manifest_missing',
        `There is no ${manifestFile}, so this is no bundle.`,
        manifestFile,
      )
    }
    throw error
  }
  return parseManifest(text)
}

/** Reads a manifest and trusts nothing in it: its paths, its order and its own digest are tested. */
export function parseManifest(bytes: Uint8Array): Manifest {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new BundleError('manifest_invalid', `${manifestFile} is not JSON.`, manifestFile)
  }
  const manifest = readShape(json)
  const names = new NameSet()
  names.addFile(manifestFile)
  let previous: string | undefined
  for (const { path } of manifest.files) {
    checkBundlePath(path)
    names.addFile(path)
    if (previous !== undefined && comparePaths(previous, path) >= 0) {
      throw new BundleError('manifest_invalid', `${manifestFile} does not list its files in order.`, path)
    }
    previous = path
  }
  if (digestOfFiles(manifest.files) !== manifest.digest) {
    throw new BundleError(
      'manifest_invalid',
      `${manifestFile} does not have the digest it names.`,
      manifestFile,
    )
  }
  return manifest
}

/** Takes JSON for a manifest only where it is one to the letter. Written by hand: a large bundle lists a million values. */
function readShape(json: unknown): Manifest {
  const wrong = (where: string, what: string) =>
    new BundleError('manifest_invalid', `${manifestFile} is wrong at ${where}: ${what}.`, manifestFile)
  const object = (value: unknown, keys: string[], where: string): Record<string, unknown> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw wrong(where || 'its root', 'an object is expected')
    const inside = (key: string) => (where === '' ? key : `${where}.${key}`)
    for (const key of keys) if (!Object.hasOwn(value, key)) throw wrong(inside(key), 'it is missing')
    for (const key in value) if (!keys.includes(key)) throw wrong(inside(key), 'it is not known')
    return value as Record<string, unknown>
  }
  const text = (value: unknown, most: number, where: string): string => {
    if (typeof value !== 'string' || value.length > most)
      throw wrong(where, `a text of at most ${most} characters is expected`)
    return value
  }
  const count = (value: unknown, where: string): number => {
    if (!Number.isSafeInteger(value) || (value as number) < 0)
      throw wrong(where, 'a whole number is expected')
    return value as number
  }
  const digest = (value: unknown, where: string): string => {
    if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value))
      throw wrong(where, 'a SHA-256 in hexadecimal is expected')
    return value
  }
  const root = object(json, ['format', 'renderer', 'digest', 'name', 'pageCount', 'files'], '')
  if (root.format !== 1) throw wrong('format', 'only 1 is known')
  if (!Array.isArray(root.files)) throw wrong('files', 'a list is expected')
  return {
    format: 1,
    renderer: text(root.renderer, 200, 'renderer'),
    digest: digest(root.digest, 'digest'),
    name: text(root.name, 1000, 'name'),
    pageCount: count(root.pageCount, 'pageCount'),
    files: root.files.map((value: unknown, index) => {
      const where = `files.${index}`
      const file = object(value, ['path', 'sizeBytes', 'sha256'], where)
      return {
        path: text(file.path, 100_000, `${where}.path`),
        sizeBytes: count(file.sizeBytes, `${where}.sizeBytes`),
        sha256: digest(file.sha256, `${where}.sha256`),
      }
    }),
  }
}

export function serializeManifest(manifest: Manifest): Buffer {
  const { files, ...head } = manifest
  // One file a line, so that two manifests can be compared with diff.
  const lines = files.map((file) => `    ${JSON.stringify(file)}`).join(',\n')
  const start = JSON.stringify(head, null, 2).slice(0, -2)
  return Buffer.from(`${start},\n  "files": [${lines === '' ? '' : `\n${lines}\n  `}]\n}\n`)
}

export function digestOfFiles(files: ManifestEntry[]): string {
  const sum = createHash('sha256')
  for (const { path, sizeBytes, sha256 } of files) sum.update(`${path}\n${sizeBytes}\n${sha256}\n`)
  return sum.digest('hex')
}

/** Every plain file under the folder, in the order of manifests. A link is an error: a bundle holds plain files only. */
export async function listFiles(folder: string): Promise<string[]> {
  const found: string[] = []
  const pending = ['']
  for (let inside = pending.pop(); inside !== undefined; inside = pending.pop()) {
    for (const entry of await readdir(join(folder, inside), { withFileTypes: true })) {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`
      if (entry.isDirectory()) pending.push(path)
      else if (entry.isFile()) found.push(path)
      else
        throw new BundleError('link', `"${path}" is not a plain file; a bundle holds plain files only.`, path)
    }
  }
  return found.sort(comparePaths)
}

export async function digestFile(file: string): Promise<{ sizeBytes: number; sha256: string }> {
  const { size } = await stat(file)
  if (size <= wholeFileBytes) {
    const bytes = await readFile(file)
    return { sizeBytes: bytes.length, sha256: digestBytes(bytes) }
  }
  const sum = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    sum.update(chunk)
    sizeBytes += chunk.length
  }
  return { sizeBytes, sha256: sum.digest('hex') }
}

export function entryOf(path: string, bytes: Uint8Array): ManifestEntry {
  return { path, sizeBytes: bytes.length, sha256: digestBytes(bytes) }
}

export function digestBytes(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}

/** Maps with a few at a time, in order, so that reading and computing overlap while memory stays flat. */
export async function mapInOrder<Item, Result>(
  items: Item[],
  map: (item: Item) => Promise<Result>,
  width = 8,
): Promise<Result[]> {
  const results = new Array<Result>(items.length)
  let next = 0
  const work = async () => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await map(items[index] as Item)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, work))
  return results
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

const wholeFileBytes = 512 * 1024
