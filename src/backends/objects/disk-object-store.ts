import { randomUUID } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { signDownload } from './download-link.ts'
import { measureBytes } from './measured-bytes.ts'
import {
  checkObjectKey,
  type ListedObject,
  type ObjectInfo,
  ObjectRangeError,
  type ObjectStore,
} from './object-store.ts'
import { openSigningKeys } from './signing-keys.ts'

/**
 * Objects as files below a folder. One file holds the bytes and, behind them, their description, so that one rename
 * publishes both; a file never changes after its rename, so a reader that has it open reads it to its end.
 */
export async function openDiskObjectStore(settings: DiskObjectStoreSettings): Promise<ObjectStore> {
  const root = resolve(settings.folder)
  const partials = join(root, partialFolder)
  await mkdir(partials, { recursive: true })
  await removeOldPartials(partials, settings.nowMs)
  const linkKeys = await openSigningKeys(signingKeysFile(root))

  return {
    async put(key, bytes, options) {
      const file = fileOf(root, key)
      const partial = join(partials, randomUUID())
      const measured = measureBytes(key, bytes, options)
      try {
        const handle = await open(partial, 'wx', 0o600)
        try {
          for await (const chunk of measured.bytes) await handle.writeFile(chunk)
          const result = measured.result()
          await handle.writeFile(encodeTrailer({ ...result, contentType: options.contentType }))
          await handle.sync()
        } finally {
          await handle.close()
        }
        await publish(partial, file, root)
      } catch (error) {
        await rm(partial, { force: true })
        throw error
      }
      return measured.result()
    },

    async get(key, options = {}) {
      options.signal?.throwIfAborted()
      const opened = await openObject(root, key)
      if (opened === null) return null
      const { handle, info } = opened
      const start = options.range?.start ?? 0
      const end = Math.min(options.range?.end ?? info.sizeBytes - 1, info.sizeBytes - 1)
      if (options.range !== undefined && (start >= info.sizeBytes || end < start)) {
        await handle.close()
        throw new ObjectRangeError(key, info.sizeBytes)
      }
      if (info.sizeBytes === 0) {
        await handle.close()
        return { ...info, stream: Readable.from([], { objectMode: false }) }
      }
      return {
        ...info,
        stream: handle.createReadStream({ start, end, ...(options.signal && { signal: options.signal }) }),
      }
    },

    async head(key) {
      const opened = await openObject(root, key)
      if (opened === null) return null
      await opened.handle.close()
      return opened.info
    },

    async delete(key) {
      await rm(fileOf(root, key), { force: true })
    },

    list(prefix) {
      return listFolder(root, '', prefix)
    },

    async presignDownload(key, options) {
      const signingKey = await linkKeys.newest()
      return signDownload({
        ...options,
        key: checkObjectKey(key),
        publicUrl: settings.publicUrl(),
        signingKey,
      })
    },

    linkKeys,

    async check() {
      const probe = join(partials, randomUUID())
      const handle = await open(probe, 'wx')
      await handle.close()
      await rm(probe)
    },

    async close() {},
  }
}

/** The keys lie beside the objects, so that every node on a shared folder signs with the same. */
export function signingKeysFile(folder: string): string {
  return join(resolve(folder), '.signing-keys.json')
}

export interface DiskObjectStoreSettings {
  folder: string
  /** The address under which the server's `/objects/` is reached from outside. */
  publicUrl(): string
  nowMs: number
}

/** No key has a dot first, so no object can lie in this folder. */
const partialFolder = '.partial'

/** No key has a comma, so an object `a` and a folder `a/` never meet. */
const objectSuffix = ',object'

function fileOf(root: string, key: string): string {
  return join(root, ...checkObjectKey(key).split('/')) + objectSuffix
}

async function removeOldPartials(partials: string, nowMs: number): Promise<void> {
  for (const name of await readdir(partials)) {
    const file = join(partials, name)
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: nowMs }))
    if (mtimeMs < nowMs - 24 * 3_600_000) await rm(file, { force: true }) // Younger ones may be another process's.
  }
}

/** After this returns, the object outlives a power cut: the file, its name and the names of new folders are synced. */
async function publish(partial: string, file: string, root: string): Promise<void> {
  const firstMade = await mkdir(dirname(file), { recursive: true })
  await rename(partial, file) // Readers see the whole object or none of it.
  const highest = firstMade === undefined ? dirname(file) : dirname(firstMade)
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    await syncFolder(folder)
    if (folder === highest || folder === root) return
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (sep === '\\') return // Windows opens no folder for syncing.
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const trailerSchema = z.object({
  sizeBytes: z.int().min(0),
  sha256: z.string().length(64),
  contentType: z.string(),
})
type Trailer = z.infer<typeof trailerSchema>

const trailerBytes = 512

function encodeTrailer(trailer: Trailer): Buffer {
  const json = Buffer.from(JSON.stringify(trailer))
  if (json.length >= trailerBytes) throw new RangeError('The content type of an object is too long.')
  return Buffer.concat([json, Buffer.alloc(trailerBytes - json.length, '\n')])
}

async function openObject(
  root: string,
  key: string,
): Promise<{ handle: FileHandle; info: ObjectInfo } | null> {
  const handle = await open(fileOf(root, key), 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (handle === null) return null
  try {
    const { size, mtimeMs } = await handle.stat()
    const { buffer } = await handle.read(
      Buffer.alloc(trailerBytes),
      0,
      trailerBytes,
      Math.max(0, size - trailerBytes),
    )
    const trailer = trailerSchema.parse(JSON.parse(buffer.toString()))
    if (trailer.sizeBytes !== size - trailerBytes) throw new Error('the length is wrong')
    return { handle, info: { ...trailer, modifiedAtMs: Math.floor(mtimeMs) } }
  } catch (error) {
    await handle.close()
    throw new Error(`The file of object ${key} is damaged; restore it from a backup or delete it.`, {
      cause: error,
    })
  }
}

async function* listFolder(root: string, folder: string, prefix: string): AsyncGenerator<ListedObject> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException): Dirent[] => {
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  for (const path of entries.flatMap((entry) => pathOf(folder, entry)).sort(byBytes)) {
    if (path.endsWith('/')) {
      if (path.startsWith(prefix) || prefix.startsWith(path)) yield* listFolder(root, path, prefix)
    } else if (path.startsWith(prefix)) {
      const found = await stat(fileOf(root, path)).catch(() => null) // Deleted since the folder was read.
      if (found === null) continue
      yield { key: path, sizeBytes: found.size - trailerBytes, modifiedAtMs: Math.floor(found.mtimeMs) }
    }
  }
}

function pathOf(folder: string, entry: Dirent): string[] {
  if (entry.name.startsWith('.')) return []
  if (entry.isDirectory()) return [`${folder}${entry.name}/`]
  if (entry.isFile() && entry.name.endsWith(objectSuffix)) {
    return [folder + entry.name.slice(0, -objectSuffix.length)]
  }
  return []
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
