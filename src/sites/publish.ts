import type { Readable } from 'node:stream'
import type { Database, ObjectStore } from '../backends/index.ts'
import { enqueueJob } from '../jobs/index.ts'
import { newId } from './new-id.ts'
import { createRelease, type Release, readRelease } from './releases-store.ts'
import type { Site } from './sites-store.ts'

export const publishJobKind = 'publish'

/** Takes a docs project as tar.gz and queues its compilation. The project is safe in the object store before this returns. */
export async function acceptSource(input: {
  database: Database
  objects: ObjectStore
  site: Site
  archive: Readable
  now: number
  signal?: AbortSignal
}): Promise<string> {
  const { database, objects, site, archive, now } = input
  const releaseId = newId('rel')
  const sourceKey = `sources/${site.id}/${releaseId}.tar.gz`
  await objects.put(sourceKey, archive, {
    contentType: 'application/gzip',
    ...(input.signal ? { signal: input.signal } : {}),
  })
  await database.transaction(async (inside) => {
    await createRelease(inside, { id: releaseId, siteId: site.id, sourceKey, createdAt: now })
    await enqueueJob(inside, {
      id: newId('job'),
      kind: publishJobKind,
      subject: releaseId,
      organizationId: site.organizationId,
      now,
    })
  })
  return releaseId
}

/** Waits until a release is ready or failed. Any node may be the one that compiles it, so the row is asked. */
export async function waitForRelease(
  database: Database,
  releaseId: string,
  signal: AbortSignal,
): Promise<Release> {
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.5, 500)) {
    signal.throwIfAborted()
    const release = await readRelease(database, releaseId)
    if (!release) throw new Error(`Release ${releaseId} has gone.`)
    if (release.status === 'ready' || release.status === 'failed') return release
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
