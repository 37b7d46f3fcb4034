import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database, EmbeddingModel, ObjectStore } from '../backends/index.ts'
import { archiveBundle, BundleError, FolderWriter, PackStore, unpackArchive } from '../bundle/index.ts'
import { CompileError, type CompileResult, compileSite } from '../compiler/index.ts'
import type { Job, JobContext, JobHandler } from '../jobs/index.ts'
import { bundleKey } from './bundle-keys.ts'
import { findProject } from './find-project.ts'
import { publishVectors, vectorProblems } from './publish-vectors.ts'
import type { ReleaseFolders } from './release-folders.ts'
import { beginRelease, completeRelease, failRelease, readRelease } from './releases-store.ts'
import { readSite } from './sites-store.ts'

export type PublishDependencies = {
  database: Database
  objects: ObjectStore
  folders: ReleaseFolders
  /** Makes vectors of passages for search; none when absent. */
  embeddings?: EmbeddingModel | null
  fetchSpec: (url: string) => Promise<string>
  clock: () => number
}

/** The work behind one publication. Safe to run twice: pages are kept by content, the bundle's key follows from its content. */
export function publishHandler(dependencies: PublishDependencies): JobHandler {
  const { database, clock } = dependencies
  return {
    run: (job, context) => runPublish(dependencies, job, context),
    giveUp: async (job) => {
      await failRelease(database, {
        id: job.subject,
        attempt: job.attempt,
        error:
          'The project could not be compiled because of a fault on our side. The live release is unchanged; try again.',
        problems: [],
        finishedAt: clock(),
      })
    },
  }
}

async function runPublish(dependencies: PublishDependencies, job: Job, context: JobContext): Promise<void> {
  const { database, objects, folders, clock } = dependencies
  if (!(await beginRelease(database, job.subject, job.attempt))) return
  context.checkpoint('begun')
  const release = (await readRelease(database, job.subject))!
  const site = (await readSite(database, release.siteId))!
  const work = join(folders.work, `${release.id}-${job.attempt}`)
  const source = join(work, 'source')
  const bundle = join(work, 'bundle')
  const fail = (error: string, problems: CompileResult['problems'] = []) =>
    failRelease(database, { id: release.id, attempt: job.attempt, error, problems, finishedAt: clock() })
  try {
    await mkdir(bundle, { recursive: true })
    const archive = await objects.get(release.sourceKey, { signal: context.signal })
    if (!archive) return void (await fail('The uploaded project is no longer stored. Publish it again.'))
    context.checkpoint('source-fetched')
    await unpackArchive({ archive: archive.stream, into: source })
    context.checkpoint('unpacked')
    const project = await findProject(source)
    const vectors = await publishVectors({ ...dependencies, site, signal: context.signal })
    const members = new PackStore(folders.members)
    const compiling = compileSite({
      source: project,
      into: new FolderWriter(bundle, members),
      cache: folders.pages,
      thrifty: true,
      customScripts: site.customScripts,
      fetchSpec: dependencies.fetchSpec,
      onProgress: ({ pagesDone }) => {
        context.checkpoint('page')
        context.progressed(pagesDone)
      },
      signal: context.signal,
      ...(vectors ? { vectors } : {}),
      ...(site.hosts[0] ? { siteUrl: `https://${site.hosts[0]}` } : {}),
    })
    const result = await compiling.finally(() => members.close())
    context.checkpoint('compiled')
    const key = await bundleKey(database, result.digest)
    const stored = await storeBundle(objects, bundle, folders.members, key, context.signal)
    context.checkpoint('archived')
    await folders.adopt(result.digest, bundle)
    context.checkpoint('completing')
    await completeRelease(database, {
      id: release.id,
      attempt: job.attempt,
      bundle: { ...stored, digest: result.digest },
      pageCount: result.pageCount,
      problems: [...result.problems, ...vectorProblems(vectors)],
      failedPages: result.failedPages,
      instructions: await readInstructions(project),
      finishedAt: clock(),
    })
    context.checkpoint('completed')
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof CompileError) await fail(error.message, error.problems)
    else if (error instanceof BundleError)
      await fail(`The upload is not a usable .tar.gz of a docs folder: ${error.message}`)
    else throw error
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function storeBundle(
  objects: ObjectStore,
  folder: string,
  members: string,
  key: string,
  signal: AbortSignal,
) {
  const known = await objects.head(key)
  if (known?.sha256) return { key, sha256: known.sha256, sizeBytes: known.sizeBytes }
  const put = await objects.put(key, archiveBundle({ folder, members, signal }), {
    contentType: 'application/gzip',
    signal,
  })
  return { key, ...put }
}

const instructionFiles = ['.quire/assistant.md', '.mintlify/Assistant.md', '.mintlify/assistant.md']

async function readInstructions(source: string): Promise<string | null> {
  for (const file of instructionFiles) {
    const text = await readFile(join(source, file), 'utf8').catch(() => null)
    if (text?.trim()) return text.slice(0, 20_000)
  }
  return null
}
