import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { BundleError } from './bundle-error.ts'
import { isMissing } from './manifest.ts'
import { type ArchiveResult, readArchive, type UnpackLimits } from './read-archive.ts'

/**
 * Unpacks a .tar.gz into a new or empty folder. Only plain files and folders inside it are made, without the modes, owners
 * or times that the archive names; a refused archive leaves nothing behind.
 */
export async function unpackArchive(input: {
  archive: Readable
  into: string
  limits?: Partial<UnpackLimits>
}): Promise<ArchiveResult> {
  const writer = await openFolderWriter(input.into)
  try {
    const result = await readArchive({
      archive: input.archive,
      ...(input.limits === undefined ? {} : { limits: input.limits }),
      onFile: (file, body) => writer.write(file, body),
    })
    await writer.finish()
    return result
  } catch (error) {
    await writer.discard()
    throw error
  }
}

/** Writes files into a folder of its own, a few small ones at a time. */
export async function openFolderWriter(folder: string): Promise<FolderWriter> {
  const existing = await readdir(folder).catch((error) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (existing !== undefined && existing.length > 0) {
    throw new BundleError('target_not_empty', 'The folder to unpack into is not empty.')
  }
  await mkdir(folder, { recursive: true })
  const folders = new Map<string, Promise<unknown>>()
  const pending = new Set<Promise<void>>()
  let failure: unknown
  const makeFolder = (target: string) => {
    const made = folders.get(target) ?? mkdir(target, { recursive: true })
    folders.set(target, made)
    return made
  }
  return {
    async write(file, body, onChunk) {
      const target = join(folder, file.path)
      await makeFolder(dirname(target))
      if (file.sizeBytes > wholeFileBytes) {
        const handle = await open(target, 'wx', 0o644)
        try {
          for await (const chunk of body) {
            onChunk?.(chunk)
            await handle.writeFile(chunk)
          }
        } finally {
          await handle.close()
        }
        return
      }
      const chunks: Buffer[] = []
      for await (const chunk of body) {
        onChunk?.(chunk)
        chunks.push(chunk)
      }
      while (pending.size >= 16) await Promise.race(pending)
      if (failure !== undefined) throw failure
      const written = writeFile(target, Buffer.concat(chunks), { flag: 'wx', mode: 0o644 })
        .catch((error) => {
          failure ??= error
        })
        .finally(() => pending.delete(written))
      pending.add(written)
    },
    async finish() {
      await Promise.all(pending)
      if (failure !== undefined) throw failure
    },
    async discard() {
      await Promise.all(pending)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type FolderWriter = {
  write(
    file: { path: string; sizeBytes: number },
    body: AsyncIterable<Buffer>,
    onChunk?: (chunk: Buffer) => void,
  ): Promise<void>
  finish(): Promise<void>
  discard(): Promise<void>
}

const wholeFileBytes = 1024 * 1024
