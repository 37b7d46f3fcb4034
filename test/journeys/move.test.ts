import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshPostgres, freshS3Objects, s3TestServer } from '../../src/backends/testing.ts'
import {
  cleanEnvironment,
  fixture,
  type Job,
  json,
  post,
  runCommand,
  startQuire,
  untilFinal,
} from './support.ts'

test('a move from nowhere is refused with a clear sentence', async () => {
  const refused = await runCommand(
    ['move', '--from', '/nowhere/at/all', '--to', '/nowhere/else'],
    cleanEnvironment(),
  )
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /There is no Quire installation in \/nowhere\/at\/all/)
})

const postgres = process.env.QUIRE_TEST_POSTGRES_URL
const s3 = s3TestServer()
const skip = postgres && s3 ? false : 'QUIRE_TEST_POSTGRES_URL and QUIRE_TEST_S3 name no servers'

test('move from one machine to PostgreSQL and S3, and back', { skip }, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-move-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  const database = await freshPostgres(postgres!)
  context.after(() => database.drop())
  const objects = freshS3Objects(s3!)
  const scaled = {
    ...objects.environment,
    QUIRE_DATABASE_URL: database.address,
    QUIRE_OBJECTS: objects.address,
  }
  const environment = { ...cleanEnvironment(), ...objects.environment }

  const small = await startQuire(context, { environment: {}, data: join(folder, 'one') }, [], {})
  assert.equal((await small.command('publish', fixture('acme'), '--site', 'docs')).code, 0)
  const { jobId } = await json<Job>(small.api('/v1/static-export/jobs', post({ domain: 'docs' })), 202)
  await untilFinal(small, jobId)
  assert.equal(await small.stop(), 0)

  const target = ['--to-database', database.address, '--to-objects', objects.address]
  const moved = await runCommand(['move', '--from', join(folder, 'one'), ...target], environment)
  assert.equal(moved.code, 0, moved.stderr)
  assert.match(moved.stdout, /the copy is the same/)
  const again = await runCommand(['move', '--from', join(folder, 'one'), ...target], environment)
  assert.match(again.stderr, /The target database is not empty/)

  const large = await startQuire(context, { environment: scaled, data: join(folder, 'node') }, [], {}, small)
  assert.match(await (await fetch(`${large.url}/sites/docs/guide/install`)).text(), /Mount the booster/)
  assert.equal((await json<Job>(large.api(`/v1/static-export/jobs/${jobId}`))).status, 'completed')
  assert.equal(await large.stop(), 0)

  const source = ['--from-database', database.address, '--from-objects', objects.address]
  const back = await runCommand(['move', ...source, '--to', join(folder, 'two')], environment)
  assert.equal(back.code, 0, back.stderr)
  const home = await startQuire(context, { environment: {}, data: join(folder, 'two') }, [], {}, small)
  assert.match(await (await fetch(`${home.url}/sites/docs/guide/install`)).text(), /Mount the booster/)
})
