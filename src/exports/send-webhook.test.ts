import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { Database } from '../backends/index.ts'
import { testOnEveryEngine } from '../backends/testing.ts'
import { jobMigrations, startJobRunner } from '../jobs/index.ts'
import { beginExport, completeExport, createExport, exportMigrations, readExport } from './exports-store.ts'
import { announceExport, type SendRequest, webhookHandler, webhookJobKind } from './send-webhook.ts'
import { createWebhook, deleteWebhook, listWebhooks, webhookMigrations } from './webhooks-store.ts'

const migrations = [...jobMigrations, ...exportMigrations, ...webhookMigrations]

async function announceOne(database: Database): Promise<void> {
  await createWebhook(database, {
    id: 'wh_1',
    organizationId: 'org_1',
    url: 'https://a.example/hook',
    secret: 's',
    createdAt: 0,
  })
  const job = {
    id: 'se_a',
    organizationId: 'org_1',
    siteId: 's',
    domain: 'acme',
    releaseId: 'r',
    version: null,
    paths: null,
  }
  await createExport(database, { ...job, strict: false, createdAt: 0 })
  await beginExport(database, { id: 'se_a', attempt: 1, pagesTotal: 1, now: 0 })
  const archive = { key: 'k', sha256: 's', sizeBytes: 1, digest: 'd' }
  await completeExport(database, {
    id: 'se_a',
    attempt: 1,
    archive,
    pageCount: 1,
    failedPages: [],
    warnings: [],
    now: 0,
  })
  await database.transaction(async (inside) => announceExport(inside, (await readExport(inside, 'se_a'))!, 0))
}

function runSender(database: Database, send: SendRequest) {
  let time = 0
  const now = () => (time += 3_600_000) // Each look at the clock is an hour later, so that pauses end soon.
  return startJobRunner({
    database,
    handlers: { [webhookJobKind]: webhookHandler({ database, send, clock: now }) },
    worker: 'w',
    concurrency: 1,
    now: async () => now(),
    onError: () => {},
    pollMs: 5,
  })
}

testOnEveryEngine(
  'tells an address that an export ended, signed, until it is taken',
  migrations,
  async (database) => {
    await announceOne(database)
    const events = new EventEmitter()
    const taken = once(events, 'taken')
    let tries = 0
    const runner = runSender(database, async (address, { headers, body }) => {
      tries += 1
      if (tries < 3) return { status: 503 }
      events.emit('taken', address, headers, body)
      return { status: 204 }
    })
    const [address, headers, body] = (await taken) as [string, Record<string, string>, string]
    await runner.stop()
    assert.equal(address, 'https://a.example/hook')
    const message = JSON.parse(body) as { type: string; job: { jobId: string } }
    assert.deepEqual([message.type, message.job.jobId], ['export.completed', 'se_a'])
    const [, seconds, digest] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(headers['x-quire-signature']!)!
    assert.equal(digest, createHmac('sha256', 's').update(`${seconds}.${body}`).digest('hex'))
  },
)

testOnEveryEngine('sends nothing to an address that was removed', migrations, async (database) => {
  await announceOne(database)
  assert.equal(await deleteWebhook(database, 'org_2', 'wh_1'), false, 'not by another organization')
  assert.equal(await deleteWebhook(database, 'org_1', 'wh_1'), true)
  assert.deepEqual(await listWebhooks(database, 'org_1'), [])
  let sent = 0
  const handler = webhookHandler({
    database,
    clock: () => 1,
    send: async () => {
      sent += 1
      return { status: 200 }
    },
  })
  const rows = await database
    .tables<{ jobs: { subject: string } }>()
    .selectFrom('jobs')
    .select('subject')
    .execute()
  const job = {
    id: 'j',
    kind: webhookJobKind,
    subject: rows[0]!.subject,
    organizationId: 'org_1',
    attempt: 1,
    failures: 0,
    deaths: 0,
    reached: 0,
    createdAt: 0,
  }
  await handler.run(job, {
    signal: new AbortController().signal,
    progressed: () => {},
    checkpoint: () => {},
  })
  assert.equal(sent, 0)
})
