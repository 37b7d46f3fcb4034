import type { Database, ObjectStore } from '../backends/index.ts'
import {
  bundleKey,
  isBundleRevoked,
  moveReleasesToKey,
  releasesNeedKey,
  revokeBundleKey,
} from '../sites/index.ts'
import { exportsNeedKey, markRevoked, moveExportsToKey } from './exports-store.ts'

/**
 * Takes an export's bundle back: every link to it dies. Releases and other exports of the same content go on under another
 * key. Safe to call again: what an interruption left undone is done then.
 */
export async function revokeBundle(input: {
  database: Database
  objects: ObjectStore
  job: { id: string; archive: { key: string; digest: string } }
  now: number
}): Promise<void> {
  const { database, objects, job, now } = input
  const { key, digest } = job.archive
  await database.transaction(async (inside) => {
    await markRevoked(inside, job.id, now)
    await revokeBundleKey(inside, { key, digest, now })
  })
  if ((await releasesNeedKey(database, key)) || (await exportsNeedKey(database, key))) {
    const target = await bundleKey(database, digest)
    await copyObject(objects, key, target)
    await database.transaction(async (inside) => {
      await moveReleasesToKey(inside, key, target)
      await moveExportsToKey(inside, key, target)
    })
  }
  await objects.delete(key)
}

async function copyObject(objects: ObjectStore, from: string, to: string): Promise<void> {
  if (await objects.head(to)) return
  const object = await objects.get(from)
  if (object) await objects.put(to, object.stream, { contentType: object.contentType })
}

/** Throws where the key was revoked while an archive was being put there; the job's next attempt takes another key. */
export async function requireLiveKey(database: Database, key: string): Promise<void> {
  if (await isBundleRevoked(database, key)) throw new Error(`The key ${key} was revoked meanwhile.`)
}
