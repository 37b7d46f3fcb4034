import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Writes a file of the bundle, with the folders it lies in. */
export function writeBundleFile(into: string, path: string, content: string | Uint8Array): void {
  const file = join(into, path)
  withFolder(file, () => writeFileSync(file, content))
}

/** Runs what makes a file; where the folder is missing, makes it and runs once more. */
export function withFolder(file: string, make: () => void): void {
  try {
    make()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    mkdirSync(dirname(file), { recursive: true })
    make()
  }
}
