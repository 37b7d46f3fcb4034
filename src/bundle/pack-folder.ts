import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { checkBundlePath, comparePaths } from './bundle-path.ts'
import { digestBytes } from './manifest.ts'
import { tarHeader, tarPadding } from './tar-header.ts'

/**
 * A docs folder as .tar.gz, for publishing. Leaves out `node_modules`, `.git`, what `ignore` names, links that lead out
 * of the folder, and all of `.quire` but the instructions to the assistant; links inside travel as the files they point to.
 */
export function packFolder(input: { folder: string; ignore?: (path: string) => boolean }): Readable {
  const source = Readable.from(folderChunks(input), { objectMode: false })
  const gzip = createGzip({ level: 6 })
  source.on('error', (error) => gzip.destroy(error))
  gzip.on('close', () => source.destroy())
  return source.pipe(gzip)
}

async function* folderChunks(input: {
  folder: string
  ignore?: (path: string) => boolean
}): AsyncGenerator<Buffer> {
  for (const path of await listProjectFiles(input)) {
    checkBundlePath(path)
    const handle = await open(join(input.folder, path))
    try {
      const sizeBytes = (await handle.stat()).size
      const sha256 = digestBytes(Buffer.from(path))
      yield tarHeader({ path, sizeBytes, sha256 })
      let sent = 0
      while (sent < sizeBytes) {
        const chunk = Buffer.alloc(Math.min(256 * 1024, sizeBytes - sent))
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, sent)
        if (bytesRead === 0) throw new Error(`"${path}" became shorter while it was being packed. Try again.`)
        sent += bytesRead
        yield chunk.subarray(0, bytesRead)
      }
      yield tarPadding(sizeBytes)
    } finally {
      await handle.close()
    }
  }
  yield Buffer.alloc(1024)
}

async function listProjectFiles(input: {
  folder: string
  ignore?: (path: string) => boolean
}): Promise<string[]> {
  const root = await realpath(input.folder)
  const found: string[] = []
  const walk = async (inside: string, ancestors: string[]): Promise<void> => {
    const here = await realpath(join(root, inside))
    if (ancestors.includes(here)) return // A link to a folder above itself would never end.
    for (const entry of await readdir(here, { withFileTypes: true })) {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`
      if (neverPacked.has(entry.name) || input.ignore?.(path)) continue
      if (/(^|\/)\.quire$/.test(inside) && entry.name !== 'assistant.md') continue // A server's data may lie here.
      let kind: { isDirectory(): boolean; isFile(): boolean } = entry
      if (entry.isSymbolicLink()) {
        const target = await realpath(join(here, entry.name)).catch(() => undefined)
        if (target === undefined || !target.startsWith(root + sep)) continue
        kind = await stat(target)
      }
      if (kind.isDirectory()) await walk(path, [...ancestors, here])
      else if (kind.isFile()) found.push(path)
    }
  }
  await walk('', [])
  return found.sort(comparePaths)
}

const neverPacked = new Set(['node_modules', '.git', '.DS_Store', 'Thumbs.db'])
