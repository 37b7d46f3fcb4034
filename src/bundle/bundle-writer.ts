import type { Manifest, ManifestEntry } from './bundle-api.ts'
import type { PackStore } from './pack-store.ts'

/** Where the files of a bundle go while it is made: a folder, or straight into an archive. */
export type BundleWriter = {
  /** A folder for what is needed only while the bundle is made. */
  readonly scratch: string
  /** Compressed files of this and earlier bundles. */
  readonly members: PackStore | undefined
  /** The folder that threads write pages to; without one they hand over members. */
  readonly folder: string | undefined
  /** Takes a file; one of that path is replaced. Waits where much is under way. */
  write(path: string, content: string | Uint8Array): Promise<ManifestEntry>
  /** Takes a file too large to hold, part by part. */
  compose(path: string, parts: AsyncIterable<string | Uint8Array>): Promise<void>
  /** Takes a file as it lies on disk, where it stays until the bundle is made. */
  copy(path: string, from: string): Promise<void>
  /** Takes a file that a thread wrote to the folder, or whose member it handed over. */
  note(file: ManifestEntry): void
  /** Takes a file from the store of members, and says whether it was there, undamaged. */
  keep(file: ManifestEntry): boolean
  /** The bytes of a file taken before. */
  read(path: string): Promise<Buffer>
  finish(about: Pick<Manifest, 'name' | 'renderer' | 'pageCount'>): Promise<Manifest>
}
