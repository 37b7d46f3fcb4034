import { createHash } from 'node:crypto'
import { constants, copyFileSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Manifest, type ManifestEntry, manifestFile } from './bundle-api.ts'
import type { BundleWriter } from './bundle-writer.ts'
import { digestFile, entryOf, makeManifest, storeManifest } from './manifest.ts'
import { memberKey, unpackMember } from './member.ts'
import type { PackStore } from './pack-store.ts'

/** Makes a bundle as a folder of plain files. */
export class FolderWriter implements BundleWriter {
  readonly folder: string
  readonly scratch: string
  readonly members: PackStore | undefined
  readonly #files = new Map<string, ManifestEntry>()
  readonly #copied = new Map<string, string>()
  #before: FolderWriter | undefined

  /** What `before` wrote the same is linked from there; its folder must still be whole. */
  constructor(folder: string, members?: PackStore, before?: FolderWriter) {
    this.folder = folder
    this.scratch = join(folder, '_quire')
    this.members = members
    this.#before = before
    if (before !== undefined) before.#before = undefined // One step back is enough to remember.
    mkdirSync(this.scratch, { recursive: true })
  }

  async write(path: string, content: string | Uint8Array): Promise<ManifestEntry> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    const file = entryOf(path, bytes)
    if (!this.#link(file)) this.#place(path, bytes)
    this.note(file)
    return file
  }

  async compose(path: string, parts: AsyncIterable<string | Uint8Array>): Promise<void> {
    const target = join(this.folder, path)
    mkdirSync(dirname(target), { recursive: true })
    this.note({ path, ...(await writeParts(target, parts)) })
  }

  async copy(path: string, from: string): Promise<void> {
    const target = join(this.folder, path)
    const { size, mtimeMs } = await stat(from)
    const state = `${from} ${size} ${mtimeMs}`
    this.#copied.set(path, state)
    const before = this.#before
    const known = before && before.#copied.get(path) === state ? before.#files.get(path) : undefined
    if (known !== undefined && this.#link(known)) {
      this.note(known)
      return
    }
    withFolder(target, () => copyFileSync(from, target, constants.COPYFILE_FICLONE))
    this.note({ path, ...(await digestFile(target)) })
  }

  note(file: ManifestEntry): void {
    this.#files.set(file.path, file)
  }

  keep(file: ManifestEntry): boolean {
    if (!this.#link(file)) {
      const member = this.members?.read(memberKey(file))
      if (member === undefined) return false
      this.#place(file.path, unpackMember(file, member))
    }
    this.note(file)
    return true
  }

  read(path: string): Promise<Buffer> {
    return readFile(join(this.folder, path))
  }

  async finish(about: Pick<Manifest, 'name' | 'renderer' | 'pageCount'>): Promise<Manifest> {
    this.#files.delete(manifestFile)
    const manifest = makeManifest(about, [...this.#files.values()])
    await storeManifest(this.folder, manifest)
    return manifest
  }

  #link(file: ManifestEntry): boolean {
    const before = this.#before
    if (before === undefined || before.#files.get(file.path)?.sha256 !== file.sha256) return false
    const target = join(this.folder, file.path)
    try {
      withFolder(target, () => linkSync(join(before.folder, file.path), target))
      return true
    } catch {
      return false // Then it is written.
    }
  }

  #place(path: string, bytes: Uint8Array): void {
    const target = join(this.folder, path)
    if (this.#before !== undefined) rmSync(target, { force: true }) // It may be linked, and writing would change both.
    withFolder(target, () => writeFileSync(target, bytes))
  }
}

/** Runs what makes a file; where the folder is missing, makes it and runs once more. */
export function withFolder(file: string, make: () => void): void {
  try {
    make()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    mkdirSync(dirname(file), { recursive: true })
    make()
  }
}

/** Writes a file part by part, and digests it on the way. */
export async function writeParts(
  target: string,
  parts: AsyncIterable<string | Uint8Array>,
): Promise<{ sizeBytes: number; sha256: string }> {
  const sum = createHash('sha256')
  let sizeBytes = 0
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  const file = await open(target, 'w')
  const flush = async () => {
    const bytes = Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    sum.update(bytes)
    sizeBytes += bytes.length
    await file.writeFile(bytes)
  }
  try {
    for await (const part of parts) {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part
      waiting.push(bytes)
      waitingBytes += bytes.length
      if (waitingBytes > 1024 * 1024) await flush()
    }
    await flush()
  } finally {
    await file.close()
  }
  return { sizeBytes, sha256: sum.digest('hex') }
}
