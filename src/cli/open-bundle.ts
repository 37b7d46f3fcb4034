import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { BundleError, type Manifest, verifyArchive, verifyBundle } from '../bundle/index.ts'
import { UsageError } from './command.ts'

export type WholeBundle = {
  manifest: Manifest
  /** Of an archive; a folder has none. */
  archive: { sha256: string; sizeBytes: number } | undefined
}

/** Reads an archive or a folder to its end and tests every file against the manifest; what is wrong is told in a sentence. */
export async function openBundle(path: string): Promise<WholeBundle> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new UsageError(`There is no file or folder ${path}.`)
  return tellingFaults(path, async () => {
    if (found.isDirectory()) return { manifest: await verifyBundle(path), archive: undefined }
    const stream = createReadStream(path, { highWaterMark: 256 * 1024 })
    const { manifest, ...archive } = await verifyArchive(stream)
    return { manifest, archive }
  })
}

/** A bundle that is refused ends a command with one sentence and its code. */
export async function tellingFaults<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof BundleError)) throw error
    throw new UsageError(`${path} is refused (${error.code}): ${error.message}`)
  }
}
