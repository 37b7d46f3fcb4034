import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The project in an unpacked upload: the folder itself or, as archives are often made, the one folder inside it. */
export async function findProject(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true })
  const holdsSettings = entries.some(({ name }) => name === 'docs.json' || name === 'mint.json')
  const visible = entries.filter(({ name }) => !name.startsWith('.'))
  const only = visible.length === 1 ? visible[0] : undefined
  return !holdsSettings && only?.isDirectory() ? join(folder, only.name) : folder
}
