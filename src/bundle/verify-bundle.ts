import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Manifest, type ManifestEntry, manifestFile } from './bundle-api.ts'
import { BundleError } from './bundle-error.ts'
import { digestFile, isMissing, listFiles, mapInOrder, readManifest } from './manifest.ts'

/** Throws a BundleError naming the first wrong, missing or extra file of an unpacked bundle. */
export async function verifyBundle(
  folder: string,
  onFile?: (file: ManifestEntry) => void,
): Promise<Manifest> {
  const manifest = await readManifest(folder)
  const listed = new Set(manifest.files.map((file) => file.path))
  for (const path of await listFiles(folder)) {
    if (!listed.has(path) && path !== manifestFile) {
      throw new BundleError('file_extra', `"${path}" is in the folder but not in the manifest.`, path)
    }
  }
  let firstError: { index: number; error: unknown } | undefined
  await mapInOrder([...manifest.files.entries()], async ([index, file]) => {
    if (firstError !== undefined && firstError.index < index) return
    try {
      await verifyFile(folder, file)
      onFile?.(file)
    } catch (error) {
      if (firstError === undefined || index < firstError.index) firstError = { index, error }
    }
  })
  if (firstError !== undefined) throw firstError.error
  return manifest
}

async function verifyFile(folder: string, file: ManifestEntry): Promise<void> {
  const target = join(folder, file.path)
  try {
    const { size } = await stat(target)
    if (size !== file.sizeBytes) {
      throw new BundleError(
        'file_changed',
        `"${file.path}" has ${size} bytes instead of ${file.sizeBytes}.`,
        file.path,
      )
    }
    const { sha256 } = await digestFile(target)
    if (sha256 !== file.sha256) throw changed(file.path)
  } catch (error) {
    if (isMissing(error)) throw new BundleError('file_missing', `"${file.path}" is missing.`, file.path)
    throw error
  }
}

export function changed(path: string): BundleError {
  return new BundleError('file_changed', `"${path}" does not have the digest that the manifest names.`, path)
}
