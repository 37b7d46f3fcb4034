import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database, QuestionVectors } from '../backends/index.ts'
import { type SiteIndex, searchFolder, siteIndexFile } from '../bundle/index.ts'
import { openIndex, type SearchIndex } from '../search/index.ts'
import type { ReleaseFolders } from './release-folders.ts'
import { type Release, readRelease } from './releases-store.ts'
import type { Site } from './sites-store.ts'

/** What readers and the assistant may know of a site: its live release, opened. */
export type PublishedSite = {
  release: Release
  folder: string
  index: SearchIndex
  siteIndex: SiteIndex
  instructions: string | null
  /** A page as Markdown, or null where the release has no such page. */
  readPage(path: string): Promise<string | null>
}

export type PublishedSites = {
  /** The site's live release, or null before its first publication. */
  open(site: Site): Promise<PublishedSite | null>
}

const indexBudgetBytes = 256 * 1024 * 1024

/** Opens releases lazily and keeps the most recently used ones, under a budget of memory for their indexes. */
export function openPublishedSites(input: {
  database: Database
  folders: ReleaseFolders
  /** Vectors of questions, for releases that have vectors of their passages. */
  questions?: QuestionVectors | null
}): PublishedSites {
  const opened = new Map<string, Promise<PublishedSite | null>>()
  const inMemory = new Map<string, PublishedSite>()

  const open = async (releaseId: string): Promise<PublishedSite | null> => {
    const release = await readRelease(input.database, releaseId)
    if (!release?.bundle) return null
    const folder = await input.folders.open(release.bundle)
    const published = await openFolder(release, folder, input.questions ?? null)
    inMemory.set(releaseId, published)
    return published
  }
  const makeRoom = (keep: string) => {
    let total = inMemory.values().reduce((sum, site) => sum + site.index.sizeBytes, 0)
    for (const releaseId of opened.keys()) {
      if (total <= indexBudgetBytes) return
      const site = inMemory.get(releaseId)
      if (!site || releaseId === keep) continue
      total -= site.index.sizeBytes
      site.index.close()
      opened.delete(releaseId)
      inMemory.delete(releaseId)
    }
  }
  return {
    open: async (site) => {
      const releaseId = site.liveReleaseId
      if (releaseId === null) return null
      const known = opened.get(releaseId) ?? open(releaseId)
      opened.delete(releaseId)
      opened.set(releaseId, known) // The last in the map is the one used last.
      try {
        const published = await known
        makeRoom(releaseId)
        return published
      } catch (error) {
        opened.delete(releaseId)
        throw error
      }
    },
  }
}

async function openFolder(
  release: Release,
  folder: string,
  questions: QuestionVectors | null,
): Promise<PublishedSite> {
  const siteIndex = JSON.parse(await readFile(join(folder, siteIndexFile), 'utf8')) as SiteIndex
  const pages = new Set(siteIndex.pages.map((page) => page.path))
  const index = await openIndex({ read: (path) => readFile(join(folder, searchFolder, path)), questions })
  return {
    release,
    folder,
    index,
    siteIndex,
    instructions: release.instructions,
    readPage: async (path) => {
      const name = pagePath(path)
      return pages.has(name) ? readFile(join(folder, `${name}.md`), 'utf8').catch(() => null) : null
    },
  }
}

/** A page's path as people write it (`/guide/install`, `guide/install.md#step`), turned into the bundle's own form. */
export function pagePath(path: string): string {
  const plain = path
    .replace(/[?#].*$/s, '')
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.(html|mdx?)$/, '')
  return plain === '' ? 'index' : plain
}
