import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import {
  cleanEnvironment,
  download,
  fixture,
  type Job,
  journey,
  json,
  post,
  root,
  untilFinal,
} from './support.ts'

/** The code of an error with the expected status. */
const code = async (response: Promise<Response>, expected: number) =>
  (await json<{ code: string }>(response, expected)).code

type Bundle = { bundleUrl: string; sizeBytes: number; sha256: string; expiresAt: string }

journey('export, download, host', async (start, context) => {
  const quire = await start()
  assert.equal((await quire.command('publish', fixture('acme'), '--site', 'docs')).code, 0)
  const started = await quire.api('/v1/static-export/jobs', post({ domain: 'docs' }))
  assert.equal(started.status, 202)
  const { jobId } = (await started.json()) as Job
  assert.equal(started.headers.get('location'), `/v1/static-export/jobs/${jobId}`)
  const job = await untilFinal(quire, jobId)
  assert.deepEqual([job.status, job.progress, job.pageCount, job.error], ['completed', 100, 4, null])

  const bundle = await json<Bundle>(quire.api(`/v1/static-export/jobs/${jobId}/bundle`, { method: 'POST' }))
  const bytes = await download(bundle.bundleUrl)
  assert.equal(bytes.length, bundle.sizeBytes)
  assert.equal(createHash('sha256').update(bytes).digest('hex'), bundle.sha256)
  const again = await json<Bundle>(quire.api(`/v1/static-export/jobs/${jobId}/bundle`, { method: 'POST' }))
  assert.equal(again.sha256, bundle.sha256)
  const part = await fetch(bundle.bundleUrl, { headers: { range: 'bytes=100-199' } })
  assert.equal(part.status, 206)
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(100, 200))
  const altered = new URL(bundle.bundleUrl)
  altered.search = altered.search.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  assert.equal((await fetch(altered)).status, 403)

  const second = await json<Job>(
    quire.api('/v1/static-export/jobs', post({ domain: 'docs', paths: ['/guide/install'] })),
    202,
  )
  const partial = await untilFinal(quire, second.jobId)
  assert.deepEqual([partial.status, partial.pageCount], ['completed', 1])
  const unknown = await json<{ error: string }>(
    quire.api('/v1/static-export/jobs', post({ domain: 'docs', paths: ['nope'] })),
    400,
  )
  assert.match(unknown.error, /"nope"/)

  const folder = await mkdtemp(join(tmpdir(), 'quire-host-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  const config = join(folder, 'host.yaml')
  const settings = (url: string) =>
    `deployment: client-hosted\nstaticExport:\n  enabled: true\n  bundleUrl: ${JSON.stringify(url)}\n`
  await writeFile(config, `${settings(bundle.bundleUrl)}  sha256: ${bundle.sha256}\n`)
  const host = await startHost(context, ['--config', config, '--port', '0', '--data', join(folder, 'data')])
  assert.match(await (await fetch(`${host.url}/guide/install`)).text(), /Mount the booster/)
  await host.stop()

  await writeFile(config, settings(altered.href)) // As good as expired: the store refuses it.
  const later = await startHost(context, ['--config', config, '--port', '0', '--data', join(folder, 'data')])
  assert.match(await (await fetch(`${later.url}/guide/install`)).text(), /Mount the booster/)
  let readiness = ''
  while (!/"degraded"|403|refused|expired/.test(readiness))
    readiness = await (await fetch(`${later.url}/readyz`)).text()
  await later.stop()
})

journey('take a bundle back', async (start) => {
  const quire = await start()
  assert.equal((await quire.command('publish', fixture('acme'), '--site', 'docs')).code, 0)
  const make = async () => {
    const { jobId } = await json<Job>(quire.api('/v1/static-export/jobs', post({ domain: 'docs' })), 202)
    await untilFinal(quire, jobId)
    return jobId
  }
  const bundleOf = (jobId: string, method = 'POST') =>
    quire.api(`/v1/static-export/jobs/${jobId}/bundle`, { method })
  const list = async (query: string) =>
    (await json<{ jobs: Job[] }>(quire.api(`/v1/static-export/jobs?${query}`))).jobs.map((job) => job.jobId)
  const [first, second] = [await make(), await make()]
  assert.deepEqual(await list('domain=docs&status=completed'), [second, first])
  assert.deepEqual(await list('status=failed'), [])
  assert.equal(await code(quire.api('/v1/static-export/jobs?domain=nobody'), 404), 'site_not_found')

  const bundle = await json<Bundle>(bundleOf(first))
  const bytes = await download(bundle.bundleUrl)
  const revoked = await json<Job & { bundleRevokedAt: string }>(bundleOf(first, 'DELETE'))
  assert.ok(Date.parse(revoked.bundleRevokedAt) > 0)
  assert.ok([403, 404].includes((await fetch(bundle.bundleUrl)).status), 'the link is dead')
  assert.equal(await code(bundleOf(first), 410), 'bundle_revoked')
  assert.equal((await bundleOf(first, 'DELETE')).status, 200, 'again is as good as once')

  const third = await make()
  for (const jobId of [second, third]) {
    const { bundleUrl, sha256 } = await json<Bundle>(bundleOf(jobId))
    assert.equal(sha256, bundle.sha256)
    assert.deepEqual(await download(bundleUrl), bytes)
  }
  assert.ok([403, 404].includes((await fetch(bundle.bundleUrl)).status), 'and stays dead')
  assert.equal((await fetch(`${quire.url}/sites/docs/guide/install`)).status, 200)
  assert.equal(await quire.stop(), 0)
})

journey('get the answers that were decided for exports', async (start) => {
  const quire = await start()
  const begin = (key: string, body: object) =>
    quire.api('/v1/static-export/jobs', {
      ...post(body),
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
    })
  const repeats = await Promise.all(
    Array.from({ length: 20 }, () => json<Job>(begin('once', { domain: 'docs' }), 202)),
  )
  assert.equal(new Set(repeats.map((job) => job.jobId)).size, 1)
  assert.equal(
    (await json<{ code: string }>(begin('once', { domain: 'docs', paths: ['index'] }), 422)).code,
    'idempotency_mismatch',
  )
  const { jobId } = repeats[0]!
  await untilFinal(quire, jobId)
  const status = await quire.api(`/v1/static-export/jobs/${jobId}`)
  const etag = status.headers.get('etag')!
  assert.equal(
    (await quire.api(`/v1/static-export/jobs/${jobId}`, { headers: { 'if-none-match': etag } })).status,
    304,
  )

  assert.equal(await code(begin('new', { domain: 'nobody' }), 404), 'site_not_found')
  assert.equal(await code(quire.api('/v1/static-export/jobs/se_0000000000000000'), 404), 'job_not_found')
  assert.equal(
    await code(
      quire.api('/v1/static-export/jobs', { ...post({ domain: 'docs' }), key: quire.assistantKey }),
      403,
    ),
    'wrong_key_type',
  )
  const list = await json<{ jobs: Job[]; nextCursor: string | null }>(
    quire.api('/v1/static-export/jobs?limit=1'),
  )
  assert.equal(list.jobs.length, 1)

  const other = await quire.command('orgs', 'create', 'Other', '--plan', 'pro')
  const key = (await quire.command('keys', 'create', 'admin', '--org', 'Other')).stdout.trim()
  assert.equal(other.code, 0)
  assert.equal(
    await code(quire.api('/v1/static-export/jobs', { ...post({ domain: 'docs' }), key }), 403),
    'plan_required',
  )
  assert.equal((await quire.command('orgs', 'plan', 'Other', 'enterprise')).code, 0)
  assert.equal(
    await code(quire.api('/v1/static-export/jobs', { ...post({ domain: 'docs' }), key }), 404),
    'site_not_found',
  )
  assert.equal(await code(quire.api(`/v1/static-export/jobs/${jobId}`, { key }), 404), 'job_not_found')
  assert.equal(
    await code(quire.api(`/v1/static-export/jobs/${jobId}/bundle`, { method: 'POST', key }), 404),
    'job_not_found',
  )
  const { keys } = await json<{ keys: { keyId: string }[] }>(quire.api('/v1/keys', { key }))
  assert.equal(keys.length, 1, 'only its own keys')
  assert.equal((await quire.api(`/v1/keys/${keys[0]!.keyId}`, { method: 'DELETE', key })).status, 204)
  assert.equal(await code(quire.api('/v1/sites', { key }), 401), 'key_revoked')
})

async function startHost(
  context: TestContext,
  flags: string[],
): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['src/cli/main.ts', 'host', ...flags], {
    cwd: root,
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  context.after(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const add = (chunk: Buffer) => {
      output += chunk
      const address = /^Serving (http\S+?)\/?$/m.exec(output)
      if (address) resolve(address[1]!)
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    child.once('exit', (code) => reject(new Error(`quire host ended with ${code}:\n${output}`)))
  })
  while ((await fetch(url)).status === 503) await new Promise((resolve) => setTimeout(resolve, 50))
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}
