import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

let known: Promise<string> | undefined

/** `quire 0.1.0`, and after a `#` a digest of the code that renders, so that a cache never outlives it. */
export function rendererName(): Promise<string> {
  known ??= computeName()
  return known
}

async function computeName(): Promise<string> {
  const source = join(import.meta.dirname, '..')
  const version = await readVersion(join(source, '..'))
  const sum = createHash('sha256')
  for (const folder of ['compiler', 'theme', 'search']) {
    const files = (await readdir(join(source, folder), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
    for (const file of files) sum.update(file.slice(source.length)).update(await readFile(file))
  }
  return `quire ${version}#${sum.digest('hex').slice(0, 16)}`
}

async function readVersion(start: string): Promise<string> {
  for (const folder of [start, join(start, '..')]) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
    const version = text === undefined ? undefined : /"version":\s*"([^"]+)"/.exec(text)?.[1]
    if (version !== undefined) return version
  }
  return '0.0.0'
}
