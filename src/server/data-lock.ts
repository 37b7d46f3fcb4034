import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SettingsError } from './settings.ts'

/**
 * Holds a data folder for this process alone. The lock is the operating system's, on a small SQLite file, so that it ends
 * with the process, however that ends.
 */
export function lockDataFolder(folder: string): { release(): void } {
  mkdirSync(folder, { recursive: true })
  const note = join(folder, 'lock.json')
  const lock = new DatabaseSync(join(folder, 'lock.sqlite'))
  try {
    lock.exec('pragma locking_mode = exclusive; pragma busy_timeout = 0; begin exclusive')
  } catch {
    lock.close()
    throw new SettingsError(
      `The data folder ${folder} is in use by another Quire process${holder(note)}. Stop that one first, or choose another folder with --data.`,
    )
  }
  writeFileSync(note, JSON.stringify({ pid: process.pid }))
  return { release: () => lock.close() }
}

function holder(note: string): string {
  try {
    const { pid } = JSON.parse(readFileSync(note, 'utf8')) as { pid?: number }
    return pid ? ` (process ${pid})` : ''
  } catch {
    return ''
  }
}
