import { randomBytes } from 'node:crypto'
import { access, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { ObjectStore } from '../backends/index.ts'
import { unpackBundle } from '../bundle/index.ts'

/** Bundles and rendered pages as this node keeps them, by content. All of it can be fetched or made again. */
export type ReleaseFolders = {
  /** Rendered pages, by content. */
  pages: string
  /** Compressed files of archives, by content. */
  members: string
  /** Where this process has its work in progress; what dead processes left is removed at each start. */
  work: string
  /** Keeps a finished bundle; whoever looks for it finds the whole of it or nothing. */
  adopt(digest: string, folder: string): Promise<string>
  /** The unpacked bundle, fetched and verified where this node does not have it. */
  open(bundle: { key: string; digest: string; sha256: string }): Promise<string>
}

export async function openReleaseFolders(input: {
  folder: string
  objects: ObjectStore
}): Promise<ReleaseFolders> {
  const { folder, objects } = input
  const bundles = join(folder, 'bundles')
  const allWork = join(folder, 'work')
  const work = join(allWork, `${hostname()}-${process.pid}`)
  await removeLeftWork(allWork)
  for (const path of [bundles, work]) await mkdir(path, { recursive: true })
  const fetching = new Map<string, Promise<string>>()

  const adopt = async (digest: string, from: string): Promise<string> => {
    const target = join(bundles, digest)
    await rename(from, target).catch(async (error) => {
      if (!(await exists(target))) throw error // Somebody else brought the same bundle: the same files.
    })
    return target
  }
  const fetch = async (bundle: { key: string; digest: string; sha256: string }): Promise<string> => {
    const archive = await objects.get(bundle.key)
    if (!archive) throw new Error(`The bundle ${bundle.key} is missing from the object store.`)
    const part = join(work, `fetch-${randomBytes(6).toString('hex')}`)
    const verified = await unpackBundle({ archive: archive.stream, into: part })
    if (verified.sha256 !== bundle.sha256 || verified.manifest.digest !== bundle.digest) {
      await rm(part, { recursive: true, force: true })
      throw new Error(`The bundle ${bundle.key} is not the one that was published.`)
    }
    return adopt(bundle.digest, part)
  }
  return {
    pages: join(folder, 'pages'),
    members: join(folder, 'members'),
    work,
    adopt,
    open: async (bundle) => {
      const target = join(bundles, bundle.digest)
      if (await exists(target)) return target
      const running =
        fetching.get(bundle.digest) ?? fetch(bundle).finally(() => fetching.delete(bundle.digest))
      fetching.set(bundle.digest, running)
      return running
    },
  }
}

/** Removes the work of processes that are gone; one that lives, or that is another machine's, keeps its own. */
async function removeLeftWork(allWork: string): Promise<void> {
  const here = `${hostname()}-`
  for (const name of await readdir(allWork).catch(() => [])) {
    const pid = name.startsWith(here) ? Number(name.slice(here.length)) : Number.NaN
    if (pid > 0 && pid !== process.pid && isAlive(pid)) continue
    const path = join(allWork, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }))
    const elsewhere = Number.isNaN(pid) && /-\d+$/.test(name)
    if (elsewhere && mtimeMs > Date.now() - 86_400_000) continue
    await rm(path, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
