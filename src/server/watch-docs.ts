import { type FSWatcher, watch } from 'node:fs'
import { readdir } from 'node:fs/promises'
import type { Database, ObjectStore } from '../backends/index.ts'
import { packFolder } from '../bundle/index.ts'
import { acceptSource, type Release, type Site, waitForRelease } from '../sites/index.ts'

export type DocsFolder = {
  database: Database
  objects: ObjectStore
  site: Site
  folder: string
  clock: () => number
  wake: () => void
  signal: AbortSignal
}

/** Publishes a local folder as an upload would. */
export async function publishFolder(docs: DocsFolder): Promise<Release> {
  const { database, objects, site, folder, clock, signal } = docs
  const releaseId = await acceptSource({
    database,
    objects,
    site,
    archive: packFolder({ folder }),
    now: clock(),
  })
  docs.wake()
  return waitForRelease(database, releaseId, signal)
}

const quietMs = 150

/** Publishes the folder again whenever something in it changes, one publication at a time. */
export function watchFolder(
  docs: DocsFolder,
  on: { published(release: Release): void; failed(error: unknown): void },
): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let publishing = false
  let changedMeanwhile = false
  const publish = async (): Promise<void> => {
    if (publishing) {
      changedMeanwhile = true
      return
    }
    publishing = true
    try {
      on.published(await publishFolder(docs))
    } catch (error) {
      if (!docs.signal.aborted) on.failed(error)
    } finally {
      publishing = false
      if (changedMeanwhile) {
        changedMeanwhile = false
        void publish()
      }
    }
  }
  const watcher: FSWatcher = watch(docs.folder, { recursive: true }, (_event, file) => {
    if (file && /(^|[/\\])(\.git|node_modules|\.quire)([/\\]|$)/.test(file)) return
    clearTimeout(timer)
    timer = setTimeout(() => void publish(), quietMs)
  })
  watcher.on('error', on.failed)
  return {
    close: () => {
      clearTimeout(timer)
      watcher.close()
    },
  }
}

/** Whether a folder holds a docs project at its root. */
export async function holdsDocs(folder: string): Promise<boolean> {
  const files: string[] = await readdir(folder).catch(() => [])
  return files.includes('docs.json') || files.includes('mint.json')
}
