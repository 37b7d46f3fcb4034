import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database, ObjectStore } from '../backends/index.ts'
import { ArchiveWriter, BundleError, unpackArchive, verifyArchive } from '../bundle/index.ts'
import { CompileError, compileSite, type FailedPage, type Problem } from '../compiler/index.ts'
import type { Job, JobContext, JobHandler } from '../jobs/index.ts'
import {
  bundleKey,
  findProject,
  type Release,
  type ReleaseFolders,
  readRelease,
  readSite,
} from '../sites/index.ts'
import {
  beginExport,
  completeExport,
  type Export,
  failExport,
  readExport,
  recordProgress,
} from './exports-store.ts'
import { requireLiveKey } from './revoke-bundle.ts'
import { announceExport } from './send-webhook.ts'

export const exportJobKind = 'export'

export type ExportWork = {
  database: Database
  objects: ObjectStore
  folders: ReleaseFolders
  fetchSpec: (url: string) => Promise<string>
  clock: () => number
}

/** The work behind one export. Safe to run twice: the archive's key follows from its content, and only one attempt completes. */
export function exportHandler(work: ExportWork): JobHandler {
  return {
    run: (job, context) => runExport(work, job, context),
    giveUp: (job, error) =>
      endExport(work, job.subject, (inside) =>
        failExport(inside, {
          id: job.subject,
          attempt: job.attempt,
          ...describeFault(error),
          now: work.clock(),
        }),
      ),
  }
}

/** What the caller may know of a fault of ours. */
function describeFault(error: unknown): { error: string; code: string } {
  if (isDiskFull(error)) {
    return {
      error:
        'The export failed because the disk of the server is full. Tell whoever runs it, then start it again.',
      code: 'disk_full',
    }
  }
  return { error: 'The export failed because of a fault on our side. Start it again.', code: 'internal' }
}

const isDiskFull = (error: unknown) =>
  error instanceof Error &&
  (('code' in error && error.code === 'ENOSPC') || /disk is full/i.test(error.message))

type Archived = {
  archive: { key: string; sha256: string; sizeBytes: number; digest: string }
  pageCount: number
  failedPages: FailedPage[]
  warnings: string[]
}

async function runExport(work: ExportWork, job: Job, context: JobContext): Promise<void> {
  const { database, clock } = work
  const asked = await readExport(database, job.subject)
  const release = asked && (await readRelease(database, asked.releaseId))
  if (!asked || !release?.bundle) return
  const pagesTotal = asked.paths?.length ?? release.pageCount
  if (!(await beginExport(database, { id: asked.id, attempt: job.attempt, pagesTotal, now: clock() }))) return
  context.checkpoint('begun')
  const reporter = progressReporter(work, asked, job, context)
  const fail = (error: string, code: string, failedPages: FailedPage[] = []) =>
    endExport(work, asked.id, (inside) =>
      failExport(inside, { id: asked.id, attempt: job.attempt, error, code, failedPages, now: clock() }),
    )
  try {
    const whole = asked.paths === null && asked.version === null
    const done =
      (whole ? await reuseBundle(work, release, reporter, context) : undefined) ??
      (await compileBundle(work, asked, release, job, reporter, context))
    await reporter.settled()
    if (asked.strict && done.failedPages.length > 0) {
      const first = done.failedPages[0]!
      const sentence = `${done.failedPages.length} pages could not be rendered, the first being ${first.file}:${first.line}: ${first.message}`
      return void (await fail(sentence, 'pages_failed', done.failedPages))
    }
    await endExport(work, asked.id, async (inside) => {
      await requireLiveKey(inside, done.archive.key)
      const changed = await completeExport(inside, {
        id: asked.id,
        attempt: job.attempt,
        ...done,
        now: clock(),
      })
      context.checkpoint('completing')
      return changed
    })
    context.checkpoint('completed')
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof CompileError)) throw error
    await fail(error.message, 'compile_failed')
  }
}

/** The last change of an export and the word about it to others happen together, or not at all. */
async function endExport(
  work: ExportWork,
  id: string,
  change: (inside: Database) => Promise<boolean>,
): Promise<void> {
  await work.database.transaction(async (inside) => {
    if (await change(inside)) await announceExport(inside, (await readExport(inside, id))!, work.clock())
  })
}

/** The release's own bundle, read through and tested file by file; undefined where the stored one is not what was published. */
async function reuseBundle(
  work: ExportWork,
  release: Release,
  reporter: ProgressReporter,
  context: JobContext,
): Promise<Archived | undefined> {
  const bundle = release.bundle!
  const stored = await work.objects.get(bundle.key, { signal: context.signal })
  if (!stored) return undefined
  context.checkpoint('source-fetched')
  try {
    let pages = 0
    const verified = await verifyArchive(stored.stream, ({ path }) => {
      if (isPageTwin(path)) reporter.report({ pagesDone: ++pages, pagesTotal: release.pageCount })
    })
    context.signal.throwIfAborted()
    if (verified.sha256 !== bundle.sha256) return undefined
    context.checkpoint('archived')
    return {
      archive: bundle,
      pageCount: release.pageCount,
      failedPages: release.failedPages,
      warnings: warningsOf(release),
    }
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof BundleError) return undefined
    throw error
  }
}

async function compileBundle(
  work: ExportWork,
  asked: Export,
  release: Release,
  job: Job,
  reporter: ProgressReporter,
  context: JobContext,
): Promise<Archived> {
  const { objects, folders } = work
  const folder = join(folders.work, `${asked.id}-${job.attempt}`)
  const source = join(folder, 'source')
  let bundle: ArchiveWriter | undefined
  try {
    const archive = await objects.get(release.sourceKey, { signal: context.signal })
    if (!archive) throw new CompileError([sourceGone])
    context.checkpoint('source-fetched')
    await unpackArchive({ archive: archive.stream, into: source })
    context.checkpoint('unpacked')
    const site = await readSite(work.database, asked.siteId)
    bundle = new ArchiveWriter({ members: folders.members, scratch: join(folder, 'scratch') })
    const result = await compileSite({
      source: await findProject(source),
      into: bundle,
      cache: folders.pages,
      thrifty: true,
      customScripts: site?.customScripts ?? false,
      fetchSpec: work.fetchSpec,
      onProgress: reporter.report,
      signal: context.signal,
      ...(asked.paths ? { paths: asked.paths } : {}),
      ...(asked.version ? { version: asked.version } : {}),
      ...(site?.hosts[0] ? { siteUrl: `https://${site.hosts[0]}` } : {}),
    })
    context.checkpoint('compiled')
    const key = await bundleKey(work.database, result.digest)
    const put = await objects.put(key, bundle.archive({ signal: context.signal }), {
      contentType: 'application/gzip',
      signal: context.signal,
    })
    context.checkpoint('archived')
    return {
      archive: { key, ...put, digest: result.digest },
      pageCount: result.pageCount,
      failedPages: result.failedPages,
      warnings: result.problems.map(problemLine),
    }
  } finally {
    bundle?.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const sourceGone: Problem = {
  severity: 'error',
  code: 'source_gone',
  file: 'docs.json',
  line: 1,
  column: 1,
  message: 'The published project is no longer stored.',
  hint: 'Publish it again, then export.',
}

type ProgressReporter = {
  report(progress: { pagesDone: number; pagesTotal: number }): void
  settled(): Promise<void>
}

/** Writes progress at most four times a second, the last 5 per cent being left for the archive. */
function progressReporter(work: ExportWork, asked: Export, job: Job, context: JobContext): ProgressReporter {
  let lastMs = 0
  let writing: Promise<unknown> = Promise.resolve()
  return {
    report: ({ pagesDone, pagesTotal }) => {
      context.checkpoint('page')
      context.progressed(pagesDone)
      const now = work.clock()
      if (Math.abs(now - lastMs) < 250) return
      lastMs = now
      const progress = Math.floor((95 * Math.min(pagesDone, pagesTotal)) / Math.max(1, pagesTotal))
      const step = { id: asked.id, attempt: job.attempt, progress, pageCount: pagesDone, now }
      writing = writing.then(() => recordProgress(work.database, step)).catch(() => {}) // The next step tells more.
    },
    settled: async () => void (await writing),
  }
}

/** Every page has one Markdown twin, which makes twins the pages to count. */
const isPageTwin = (path: string) => path.endsWith('.md')

const warningsOf = (release: Release) => release.problems.map(problemLine)
const problemLine = (problem: { file: string; line: number; column: number; message: string }) =>
  `${problem.file}:${problem.line}:${problem.column} ${problem.message}`
