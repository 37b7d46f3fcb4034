import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { forgetOldThreads } from '../assistant/index.ts'
import type { Database, ObjectStore } from '../backends/index.ts'
import { exportNeeds, forgetDeliveries, forgetExports } from '../exports/index.ts'
import { forgetOldWindows } from '../http/index.ts'
import { forgetReleases, releaseObjectKeys } from '../sites/index.ts'

export type Retention = { exportDays: number; releasesPerSite: number; threadDays: number }

const dayMs = 86_400_000

/**
 * Forgets what nobody needs any more: old exports, releases, threads, messages and counters, and the objects that no row names.
 * Safe at any time and on several nodes at once: an object younger than a day is never taken for an orphan.
 */
export async function cleanUp(input: {
  database: Database
  objects: ObjectStore
  retention: Retention
  now: number
}): Promise<{ exports: number; releases: number; threads: number; objects: number }> {
  const { database, objects, retention, now } = input
  await forgetOldWindows({ database, now })
  await forgetDeliveries(database, now - 30 * dayMs)
  const threads = await forgetOldThreads({ database, olderThan: now - retention.threadDays * dayMs })
  const exports = await forgetExports(database, { endedBefore: now - retention.exportDays * dayMs, now })
  const { releases: keep } = await exportNeeds(database)
  const releases = await forgetReleases(database, { keepNewest: retention.releasesPerSite, keep })
  const needed = (await exportNeeds(database)).keys.union(await releaseObjectKeys(database))
  let removed = 0
  for (const prefix of ['sources/', 'bundles/']) {
    for await (const object of objects.list(prefix)) {
      if (needed.has(object.key) || object.modifiedAtMs > now - dayMs) continue
      await objects.delete(object.key)
      removed += 1
    }
  }
  return { exports, releases, threads, objects: removed }
}

/** Frees the node's own caches of what has not been used for a while; all of it can be made again. */
export async function trimCache(folder: string, input: { unusedDays: number; now: number }): Promise<void> {
  for (const kind of ['pages', 'members', 'compressed']) await trimFolder(join(folder, kind), input)
}

async function trimFolder(folder: string, input: { unusedDays: number; now: number }): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await trimFolder(path, input)
    else {
      const { atimeMs, mtimeMs } = await stat(path).catch(() => ({ atimeMs: input.now, mtimeMs: input.now }))
      if (Math.max(atimeMs, mtimeMs) < input.now - input.unusedDays * dayMs) await rm(path, { force: true })
    }
  }
}
