import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { type Manifest, type ManifestEntry, manifestFile } from './bundle-api.ts'
import { BundleError } from './bundle-error.ts'
import { parseManifest } from './manifest.ts'
import { readArchive, type UnpackLimits } from './read-archive.ts'
import { openFolderWriter } from './unpack-archive.ts'
import { changed } from './verify-bundle.ts'

export type VerifiedArchive = { manifest: Manifest; sha256: string; sizeBytes: number }

/** Reads a bundle's archive to its end and throws a BundleError unless every file is what the manifest inside says. */
export async function verifyArchive(
  stream: Readable,
  onFile?: (file: ManifestEntry) => void,
): Promise<VerifiedArchive> {
  return readBundleArchive({ archive: stream, ...(onFile === undefined ? {} : { onFile }) })
}

/** Verifies and unpacks in one pass, into a new or empty folder. A refused archive leaves nothing behind. */
export async function unpackBundle(input: {
  archive: Readable
  into: string
  limits?: Partial<UnpackLimits>
  onFile?: (file: ManifestEntry) => void
}): Promise<VerifiedArchive> {
  const writer = await openFolderWriter(input.into)
  try {
    const verified = await readBundleArchive({ ...input, write: writer.write })
    await writer.finish()
    return verified
  } catch (error) {
    await writer.discard()
    throw error
  }
}

async function readBundleArchive(input: {
  archive: Readable
  limits?: Partial<UnpackLimits>
  onFile?: (file: ManifestEntry) => void
  write?: Awaited<ReturnType<typeof openFolderWriter>>['write']
}): Promise<VerifiedArchive> {
  let manifest: Manifest | undefined
  let listed: Map<string, ManifestEntry> | undefined
  const seen = new Map<string, { sizeBytes: number; sha256: string }>()
  const check = (path: string, found: { sizeBytes: number; sha256: string }) => {
    const expected = listed?.get(path)
    if (expected === undefined) throw extra(path)
    if (expected.sizeBytes !== found.sizeBytes || expected.sha256 !== found.sha256) throw changed(path)
    input.onFile?.(expected)
  }
  const { sha256, sizeBytes } = await readArchive({
    archive: input.archive,
    ...(input.limits === undefined ? {} : { limits: input.limits }),
    async onFile(file, body) {
      const isManifest = file.path === manifestFile
      if (isManifest && file.sizeBytes > maxManifestBytes) {
        throw new BundleError('manifest_invalid', 'The manifest is too large.', manifestFile)
      }
      // A file that the manifest does not name never reaches the disk.
      if (listed !== undefined && listed.get(file.path)?.sizeBytes !== file.sizeBytes) {
        throw listed.has(file.path) ? changed(file.path) : extra(file.path)
      }
      const sum = createHash('sha256')
      const parts: Buffer[] = []
      const onChunk = (chunk: Buffer) => {
        sum.update(chunk)
        if (isManifest) parts.push(chunk)
      }
      if (input.write !== undefined) await input.write(file, body, onChunk)
      else for await (const chunk of body) onChunk(chunk)
      const found = { sizeBytes: file.sizeBytes, sha256: sum.digest('hex') }
      if (isManifest) {
        manifest = parseManifest(Buffer.concat(parts))
        listed = new Map(manifest.files.map((entry) => [entry.path, entry]))
        for (const [path, earlier] of seen) check(path, earlier)
        return
      }
      seen.set(file.path, found)
      if (listed !== undefined) check(file.path, found)
    },
  })
  if (manifest === undefined) {
    throw new BundleError(
      'manifest_missing',
      `The archive holds no ${manifestFile}, so it is no bundle.`,
      manifestFile,
    )
  }
  for (const { path } of manifest.files) {
    if (!seen.has(path)) throw new BundleError('file_missing', `"${path}" is missing from the archive.`, path)
  }
  return { manifest, sha256, sizeBytes }
}

function extra(path: string): BundleError {
  return new BundleError('file_extra', `"${path}" is in the archive but not in its manifest.`, path)
}

const maxManifestBytes = 48 * 1024 * 1024
