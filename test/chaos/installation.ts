import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { freshPostgres, freshS3Objects, s3TestServer } from '../../src/backends/testing.ts'
import { type Keys, type NodeProcess, startNode } from './node-process.ts'

/** Where the nodes of one installation keep what they keep. */
export type Ground = {
  name: string
  environment: Record<string, string>
  data: string
  /** How often each export was completed, as the messages about it tell that were written in the same transaction. */
  completions(): Promise<Map<string, number>>
  /** What the database says of its own soundness. */
  integrity(): Promise<string>
  remove(): Promise<void>
}

/** SQLite and disk in a folder of its own. */
export async function embeddedGround(data?: string): Promise<Ground> {
  const folder = data ?? (await mkdtemp(join(tmpdir(), 'quire-chaos-')))
  const file = join(folder, 'quire.sqlite')
  return {
    name: 'SQLite and disk',
    environment: {},
    data: folder,
    completions: async () => {
      const database = new DatabaseSync(file)
      try {
        return countCompletions(database.prepare('select body from webhook_deliveries').all())
      } finally {
        database.close()
      }
    },
    integrity: async () => {
      const database = new DatabaseSync(file)
      try {
        return String(database.prepare('pragma integrity_check').get()?.integrity_check)
      } finally {
        database.close()
      }
    },
    remove: async () => {
      if (data === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A fresh PostgreSQL database, and S3 where one is given; undefined where no PostgreSQL is given. */
export async function sharedGround(): Promise<Ground | undefined> {
  const server = process.env.QUIRE_TEST_POSTGRES_URL
  if (!server) return undefined
  const database = await freshPostgres(server)
  const data = await mkdtemp(join(tmpdir(), 'quire-chaos-'))
  const s3 = s3TestServer()
  const objects = s3 ? freshS3Objects(s3) : { address: join(data, 'objects'), environment: {} }
  return {
    name: s3 ? 'PostgreSQL and S3' : 'PostgreSQL and disk',
    environment: {
      ...objects.environment,
      QUIRE_DATABASE_URL: database.address,
      QUIRE_OBJECTS: objects.address,
    },
    data,
    completions: () => postgresCompletions(database.address),
    integrity: async () => 'ok',
    remove: async () => {
      await database.drop()
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** How often each export was completed, asked of PostgreSQL. */
export async function postgresCompletions(address: string): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    return countCompletions((await client.query('select body from webhook_deliveries')).rows)
  } finally {
    await client.end()
  }
}

function countCompletions(rows: Record<string, unknown>[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const { type, job } = JSON.parse(String(row.body)) as { type: string; job: { jobId: string } }
    if (type === 'export.completed') counts.set(job.jobId, (counts.get(job.jobId) ?? 0) + 1)
  }
  return counts
}

export type JobView = {
  jobId: string
  status: string
  progress: number
  pageCount: number
  updatedAt: string
  error: string | null
  code: string | null
  failedPages: { path: string }[]
}
export type ReleaseView = {
  releaseId: string
  status: string
  live: boolean
  digest: string | null
  error: string | null
}

/** An installation as its users see it: keys that last, and a node that may be another one after each fault. */
export class Installation {
  readonly ground: Ground
  keys: Keys | undefined
  node!: NodeProcess

  constructor(ground: Ground) {
    this.ground = ground
  }

  /** Starts a node; the newest one is the one that is asked. */
  async start(
    environment: Record<string, string> = {},
    options: { flags?: string[]; data?: string } = {},
  ): Promise<NodeProcess> {
    const { node, keys } = await startNode({
      data: options.data ?? this.ground.data,
      environment: { ...this.ground.environment, ...environment },
      ...(options.flags ? { flags: options.flags } : {}),
    })
    this.keys ??= keys
    this.node = node
    return node
  }

  api(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.node.url + path, {
      signal: AbortSignal.timeout(30_000),
      ...init,
      headers: { authorization: `Bearer ${this.keys!.adminKey}`, ...init.headers },
    })
  }

  /** Adds an address that can never be reached, so that each end of an export leaves a message to count. */
  async countEnds(): Promise<void> {
    await this.sendJson('/v1/webhooks', { url: 'http://127.0.0.1:9/' })
  }

  async startExport(paths: string[] | undefined, idempotencyKey: string): Promise<JobView> {
    return (await this.sendJson(
      '/v1/static-export/jobs',
      { domain: 'docs', ...(paths ? { paths } : {}) },
      { 'idempotency-key': idempotencyKey },
    )) as JobView
  }

  async publish(archive: Buffer): Promise<ReleaseView> {
    const response = await this.api('/v1/sites/docs/content?wait=false', {
      method: 'PUT',
      headers: { 'content-type': 'application/gzip' },
      body: new Uint8Array(archive),
    })
    return readAnswer<ReleaseView>(response)
  }

  async readJob(jobId: string): Promise<JobView> {
    return readAnswer<JobView>(await this.api(`/v1/static-export/jobs/${jobId}`))
  }

  async readRelease(releaseId: string): Promise<ReleaseView> {
    return readAnswer<ReleaseView>(await this.api(`/v1/sites/docs/releases/${releaseId}`))
  }

  /** The digest of what the link of a job really delivers. */
  async downloadDigest(jobId: string): Promise<{ told: string; delivered: string }> {
    const bundle = await readAnswer<{ bundleUrl: string; sha256: string }>(
      await this.api(`/v1/static-export/jobs/${jobId}/bundle`, { method: 'POST' }),
    )
    const response = await fetch(bundle.bundleUrl, { signal: AbortSignal.timeout(60_000) })
    const bytes = await buffer(response.body!)
    return { told: bundle.sha256, delivered: createHash('sha256').update(bytes).digest('hex') }
  }

  private async sendJson(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<unknown> {
    const response = await this.api(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return readAnswer(response)
  }
}

async function readAnswer<Answer>(response: Response): Promise<Answer> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`)
  return JSON.parse(text) as Answer
}

/** Asks until the answer is there, or a time has passed in which it must have come. */
export async function until<Answer>(
  limitMs: number,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const endsAt = performance.now() + limitMs
  for (;;) {
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined || performance.now() > endsAt) return answer
    await pause(50)
  }
}
