import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database, EmbeddingModel } from '../backends/index.ts'
import { searchFolder } from '../bundle/index.ts'
import type { Problem } from '../compiler/index.ts'
import { PassageVectors } from '../search/index.ts'
import type { ReleaseFolders } from './release-folders.ts'
import { readRelease } from './releases-store.ts'
import type { Site } from './sites-store.ts'

/** What makes the vectors of a new release, taking over those of the live one; undefined without a model. */
export async function publishVectors(input: {
  database: Database
  folders: ReleaseFolders
  embeddings?: EmbeddingModel | null
  site: Site
  clock: () => number
  signal: AbortSignal
}): Promise<PassageVectors | undefined> {
  const { embeddings, site, signal } = input
  if (!embeddings) return undefined
  const live = site.liveReleaseId === null ? null : await readRelease(input.database, site.liveReleaseId)
  const folder = live?.bundle ? await input.folders.open(live.bundle).catch(() => undefined) : undefined
  return new PassageVectors({
    model: embeddings,
    signal,
    now: input.clock,
    ...(folder === undefined
      ? {}
      : { readEarlier: (path: string) => readFile(join(folder, searchFolder, path)) }),
  })
}

/** Tells whoever publishes that this release is searched by words alone. */
export function vectorProblems(vectors: PassageVectors | undefined): Problem[] {
  if (!vectors?.counts.trouble) return []
  return [
    {
      severity: 'warning',
      code: 'embeddings_unavailable',
      file: 'docs.json',
      line: 1,
      column: 1,
      message: `Search by meaning is off for this release: ${vectors.counts.trouble}`,
      hint: 'Search goes on with words alone. Publish again when the embedding model answers; only what is missing is asked for.',
    },
  ]
}
