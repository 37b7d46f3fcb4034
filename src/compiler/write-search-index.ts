import { type BundleWriter, type ManifestEntry, packKey, searchFolder } from '../bundle/index.ts'
import { type IndexFile, writeIndex } from '../search/index.ts'
import type { SearchSpool } from './search-spool.ts'

/** Writes the search index, or takes the one that was made of the same words before. */
export async function writeSearchIndex(input: {
  bundle: BundleWriter
  spool: SearchSpool
  /** Whose index it is: another renderer may count otherwise. */
  renderer: string
  /** Sees every file of the index; there is then no shortcut. */
  onFile: ((file: IndexFile) => Promise<void>) | undefined
  signal: AbortSignal | undefined
}): Promise<void> {
  const { bundle, spool } = input
  const key = packKey('search index', input.renderer, spool.digest())
  if (input.onFile === undefined && takeKnown(bundle, key)) return
  const files: ManifestEntry[] = []
  await writeIndex({
    pages: spool.pages(),
    write: async (file) => {
      input.signal?.throwIfAborted()
      files.push(await bundle.write(`${searchFolder}/${file.path}`, file.content))
      await input.onFile?.(file)
    },
  })
  bundle.members?.add(key, Buffer.from(JSON.stringify(files)))
}

function takeKnown(bundle: BundleWriter, key: string): boolean {
  const known = bundle.members?.read(key)
  if (known === undefined) return false
  const files = JSON.parse(known.toString()) as ManifestEntry[]
  return files.every((file) => bundle.keep(file))
}
