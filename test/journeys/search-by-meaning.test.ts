import assert from 'node:assert/strict'
import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeEmbeddings } from '../../src/backends/testing.ts'
import { fixture, journey, json, post } from './support.ts'

type Result = { path: string; metadata: { score: number } }

journey('search by meaning, and by words when the embedding model is gone', async (start, context) => {
  const server = await fakeEmbeddings(context, [['ignite', 'light', 'fuse']])
  const quire = await start(['--embedding-model', 'tiny'], {
    QUIRE_EMBEDDING_MODEL_URL: server.url,
    QUIRE_EMBEDDING_MODEL_KEY: 'embedding-secret',
  })
  const search = (query: string) =>
    json<Result[]>(quire.api('/discovery/v1/search/docs', { ...post({ query }), key: quire.assistantKey }))
  assert.equal((await quire.command('publish', fixture('acme'), '--site', 'docs')).code, 0)
  const passages = server.requests.flatMap(({ input }) => input)
  assert.ok(passages.some((text) => text.startsWith('Install a rocket') && text.includes('Light the fuse')))
  assert.ok(passages.every((text) => !text.includes('SECRET-INSTRUCTIONS')))
  assert.equal(server.requests[0]?.authorization, 'Bearer embedding-secret')

  assert.equal((await search('ignite'))[0]?.path, 'guide/install')
  assert.equal((await search('--dry-run'))[0]?.path, 'reference/flags')
  const ready = await json<{ embeddingModel: string }>(quire.api('/readyz'))
  assert.equal(ready.embeddingModel, 'openai-compatible:tiny')
  const metrics = await (await quire.api('/metrics')).text()
  assert.ok(metrics.includes('quire_question_vectors_total{outcome="answered"} 1\n'))

  const asked = server.requests.length
  assert.equal((await quire.command('publish', fixture('acme'), '--site', 'docs')).code, 0)
  assert.equal(server.requests.length, asked, 'What did not change is not asked for again.')

  server.trouble = { status: 500 }
  assert.deepEqual(await search('ignition'), [])
  assert.equal((await search('hex bolts'))[0]?.path, 'guide/install')
  const changed = await mkdtemp(join(tmpdir(), 'quire-meaning-'))
  context.after(() => rm(changed, { recursive: true, force: true }))
  await cp(fixture('acme'), changed, { recursive: true })
  await appendFile(join(changed, 'reference/flags.md'), '\n## More\n\nThere is more to say.\n')
  assert.equal((await quire.command('publish', changed, '--site', 'docs')).code, 0)
  const { releases } = await json<{ releases: { releaseId: string }[] }>(quire.api('/v1/sites/docs/releases'))
  const release = await json<{ problems: { code: string }[] }>(
    quire.api(`/v1/sites/docs/releases/${releases[0]?.releaseId}`),
  )
  assert.ok(release.problems.some(({ code }) => code === 'embeddings_unavailable'))
})
