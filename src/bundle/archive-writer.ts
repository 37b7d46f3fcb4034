import { mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { archiveFiles } from './archive-bundle.ts'
import { type Manifest, type ManifestEntry, manifestFile } from './bundle-api.ts'
import { BundleError } from './bundle-error.ts'
import type { BundleWriter } from './bundle-writer.ts'
import { writeParts } from './folder-writer.ts'
import { digestFile, entryOf, makeManifest, serializeManifest } from './manifest.ts'
import { memberKey, packMember, packMemberAside, unpackMember } from './member.ts'
import { PackStore } from './pack-store.ts'

/**
 * Makes a bundle as an archive, without ever laying its files out in a folder: each is compressed as it comes and waits
 * in the store of members, where the next bundle finds it again.
 */
export class ArchiveWriter implements BundleWriter {
  readonly scratch: string
  readonly members: PackStore
  readonly folder = undefined
  readonly #files = new Map<string, ManifestEntry>()
  /** Files that lie elsewhere, by path. */
  readonly #sources = new Map<string, string>()
  readonly #pending = new Map<string, Promise<void>>()
  #failure: { error: unknown } | undefined
  #manifest: Manifest | undefined
  #composed = 0

  /** `members` is a folder that may be kept; `scratch` one that may be removed when the archive is made. */
  constructor(folders: { members: string; scratch: string }) {
    this.scratch = folders.scratch
    this.members = new PackStore(folders.members)
    mkdirSync(this.scratch, { recursive: true })
  }

  async write(path: string, content: string | Uint8Array): Promise<ManifestEntry> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    const file = entryOf(path, bytes)
    this.note(file)
    this.#sources.delete(path)
    if (this.members.has(memberKey(file))) return file
    if (bytes.length <= smallBytes) {
      this.members.add(memberKey(file), packMember(file, bytes))
      return file
    }
    const packing = packMemberAside(file, bytes)
      .then((member) => this.members.add(memberKey(file), member))
      .catch((error: unknown) => {
        this.#failure ??= { error }
      })
      .finally(() => {
        if (this.#pending.get(path) === packing) this.#pending.delete(path)
      })
    this.#pending.set(path, packing)
    if (this.#pending.size > mostPending) await Promise.race(this.#pending.values())
    this.#throwFailure()
    return file
  }

  async compose(path: string, parts: AsyncIterable<string | Uint8Array>): Promise<void> {
    this.#composed += 1
    const source = join(this.scratch, `composed-${this.#composed}`)
    this.note({ path, ...(await writeParts(source, parts)) })
    this.#sources.set(path, source)
  }

  async copy(path: string, from: string): Promise<void> {
    this.note({ path, ...(await digestFile(from)) })
    this.#sources.set(path, from)
  }

  note(file: ManifestEntry): void {
    this.#files.set(file.path, file)
  }

  keep(file: ManifestEntry): boolean {
    const isKept = this.members.has(memberKey(file))
    if (isKept) this.note(file)
    return isKept
  }

  async read(path: string): Promise<Buffer> {
    await this.#pending.get(path)
    this.#throwFailure()
    const source = this.#sources.get(path)
    if (source !== undefined) return readFile(source)
    const file = this.#files.get(path)
    const member = file === undefined ? undefined : this.members.read(memberKey(file))
    if (file === undefined || member === undefined)
      throw new BundleError('file_missing', `"${path}" is missing.`, path)
    return unpackMember(file, member)
  }

  async finish(about: Pick<Manifest, 'name' | 'renderer' | 'pageCount'>): Promise<Manifest> {
    await Promise.all(this.#pending.values())
    this.#throwFailure()
    this.#files.delete(manifestFile)
    this.#manifest = makeManifest(about, [...this.#files.values()])
    return this.#manifest
  }

  get manifest(): Manifest {
    if (this.#manifest === undefined) throw new Error('A bundle was asked for before it was finished.')
    return this.#manifest
  }

  /** The finished bundle as one .tar.gz. */
  archive(options: { signal?: AbortSignal } = {}): Readable {
    const chunks = archiveFiles({
      manifest: serializeManifest(this.manifest),
      files: this.manifest.files,
      sourceOf: (path) => this.#sources.get(path),
      members: this.members,
      ...options,
    })
    return Readable.from(chunks, { objectMode: false })
  }

  /** Seals the store of members. */
  close(): void {
    this.members.close()
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }
}

/** Handing a smaller file to another thread takes longer than compressing it here. */
const smallBytes = 32 * 1024
/** So many files wait to be compressed at most. */
const mostPending = 32
