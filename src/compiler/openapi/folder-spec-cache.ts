import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SpecCache } from './fetch-spec.ts'

/** Keeps fetched specifications in a folder, each under a name that follows from its address. */
export function folderSpecCache(folder: string): SpecCache {
  const fileOf = (address: string) => join(folder, createHash('sha256').update(address).digest('hex'))
  return {
    async read(address) {
      try {
        return await readFile(fileOf(address), 'utf8')
      } catch {
        return undefined
      }
    },
    async write(address, text) {
      await mkdir(folder, { recursive: true })
      const file = fileOf(address)
      const partial = `${file}.${process.pid}`
      await writeFile(partial, text)
      await rename(partial, file) // Readers see the whole file or none of it.
    },
  }
}
