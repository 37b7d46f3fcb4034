import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { packFolder } from '../../src/bundle/index.ts'
import { embeddedGround, Installation, until } from './installation.ts'
import { isBroken, newLedger, settleExport, settleRelease } from './ledger.ts'
import { writeProject } from './project.ts'

/** A project with a page whose code never ends. */
async function packPoison(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-poison-'))
  await mkdir(join(folder, 'pages'))
  const pages = ['pages/page-0', 'pages/wild', 'pages/page-1']
  await writeFile(join(folder, 'docs.json'), JSON.stringify({ name: 'Poison', navigation: { pages } }))
  const endless = '{/^(a+)+$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")}'
  for (const page of pages)
    await writeFile(join(folder, `${page}.mdx`), page.endsWith('wild') ? endless : 'Marker poison.')
  const archive = await buffer(packFolder({ folder }))
  await rm(folder, { recursive: true })
  return archive
}

test('a page that never ends is named, and holds up neither other pages nor other jobs', async (context) => {
  const installation = new Installation(await embeddedGround())
  const project = await writeProject(8)
  context.after(async () => {
    await installation.node.kill()
    await project.remove()
    await installation.ground.remove()
  })
  await installation.start()
  const ledger = newLedger()
  const { releaseId } = await installation.publish(await project.pack())
  const whole = await project.expected()
  const first = { id: releaseId, name: 'the healthy project', expected: whole, marker: 'first' }
  await settleRelease(ledger, installation, first)

  const poison = await installation.publish(await packPoison())
  const healthy = await installation.startExport(project.pages.slice(1), randomUUID())
  const expected = await project.expected(project.pages.slice(1))
  await settleExport(ledger, installation, { id: healthy.jobId, name: 'meanwhile', expected })
  const compiled = await until(240_000, async () => {
    const release = await installation.readRelease(poison.releaseId)
    return release.status === 'compiling' || release.status === 'queued' ? undefined : release
  })
  assert.equal(compiled?.status, 'ready', compiled?.error ?? 'not compiled in time')
  const job = await installation.startExport(undefined, randomUUID())
  const done = await until(60_000, async () => {
    const now = await installation.readJob(job.jobId)
    return now.status === 'completed' || now.status === 'failed' ? now : undefined
  })
  assert.equal(done?.status, 'completed')
  assert.deepEqual(
    done.failedPages.map(({ path }) => path),
    ['pages/wild'],
  )
  assert.equal((await installation.api('/sites/docs/pages/page-1')).status, 200)
  assert.ok(!isBroken(ledger), JSON.stringify(ledger))
})
