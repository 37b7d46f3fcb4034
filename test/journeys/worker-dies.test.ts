import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { download, type Job, journey, json, post, untilFinal } from './support.ts'

type Bundle = { bundleUrl: string; sha256: string }

/** A project large enough that an export of it takes a while. */
async function writeProject(folder: string, pageCount: number): Promise<void> {
  await mkdir(join(folder, 'pages'))
  const names = Array.from({ length: pageCount }, (_, index) => `pages/page-${index}`)
  const settings = {
    name: 'Long',
    theme: 'mint',
    colors: { primary: '#333333' },
    navigation: { groups: [{ group: 'All', pages: names }] },
  }
  await writeFile(join(folder, 'docs.json'), JSON.stringify(settings))
  for (const [index, name] of names.entries()) {
    const words = Array.from({ length: 300 }, (_, word) => `word${(index * 7 + word * 13) % 997}`).join(' ')
    await writeFile(join(folder, `${name}.mdx`), `---\ntitle: Page ${index}\n---\n\n## Part\n\n${words}\n`)
  }
}

journey('worker dies in the middle of an export', async (start, context) => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-long-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  await writeProject(folder, 120)
  const first = await start()
  assert.equal((await first.command('publish', folder, '--site', 'docs')).code, 0)
  const paths = Array.from({ length: 119 }, (_, index) => `pages/page-${index}`)
  const { jobId } = await json<Job>(first.api('/v1/static-export/jobs', post({ domain: 'docs', paths })), 202)
  const seen: number[] = []
  for (;;) {
    const job = await json<Job>(first.api(`/v1/static-export/jobs/${jobId}`))
    seen.push(job.progress)
    if (job.status !== 'queued') break
  }
  await first.kill()

  const second = await first.restart()
  const job = await untilFinal(second, jobId, seen)
  assert.deepEqual([job.status, job.pageCount, job.progress], ['completed', 119, 100])
  const bundle = await json<Bundle>(second.api(`/v1/static-export/jobs/${jobId}/bundle`, { method: 'POST' }))
  assert.equal(
    createHash('sha256')
      .update(await download(bundle.bundleUrl))
      .digest('hex'),
    bundle.sha256,
  )

  const again = await json<Job>(second.api('/v1/static-export/jobs', post({ domain: 'docs', paths })), 202)
  await untilFinal(second, again.jobId)
  const same = await json<Bundle>(
    second.api(`/v1/static-export/jobs/${again.jobId}/bundle`, { method: 'POST' }),
  )
  assert.equal(same.sha256, bundle.sha256, 'an undisturbed export gives the same bytes')
})

journey('stop and start again without losing a job', async (start) => {
  const first = await start()
  const { jobId } = await json<Job>(first.api('/v1/static-export/jobs', post({ domain: 'docs' })), 202)
  assert.equal(await first.stop(), 0)
  const second = await first.restart()
  assert.equal((await untilFinal(second, jobId)).status, 'completed')
})
