import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { freshPostgres, freshS3Objects, s3TestServer } from '../../src/backends/testing.ts'

export const root = new URL('../../', import.meta.url).pathname
export const fixture = (name: string) => join(root, 'test/fixtures/journeys', name)

/** A server as a person starts it: a process of its own, reached over HTTP alone. */
export type Quire = {
  url: string
  adminKey: string
  assistantKey: string
  /** The same installation again, after this process has gone; keys stay as they are. */
  restart(environment?: Record<string, string>): Promise<Quire>
  /** Ends the process without warning. */
  kill(): Promise<void>
  /** Asks the process to stop and gives its exit code. */
  stop(): Promise<number | null>
  exited: Promise<number | null>
  command(...args: string[]): Promise<Finished>
  api(path: string, init?: RequestInit & { key?: string }): Promise<Response>
}

export type Finished = { code: number | null; stdout: string; stderr: string }

type Storage = { environment: Record<string, string>; data: string }

/** Runs a journey on SQLite and a folder, and again on a real PostgreSQL and a real S3 server where both are given. */
export function journey(
  name: string,
  body: (
    start: (flags?: string[], environment?: Record<string, string>) => Promise<Quire>,
    context: TestContext,
  ) => Promise<void>,
): void {
  const run = async (context: TestContext, environment: Record<string, string>): Promise<void> => {
    const data = await mkdtemp(join(tmpdir(), 'quire-journey-'))
    context.after(() => rm(data, { recursive: true, force: true }))
    const storage: Storage = { environment, data }
    await body((flags = [], extra = {}) => startQuire(context, storage, flags, extra), context)
  }
  test(`${name} (SQLite and disk)`, (context) => run(context, {}))

  const postgres = process.env.QUIRE_TEST_POSTGRES_URL
  const s3 = s3TestServer()
  const skip = postgres && s3 ? false : 'QUIRE_TEST_POSTGRES_URL and QUIRE_TEST_S3 name no servers'
  test(`${name} (PostgreSQL and S3)`, { skip }, async (context) => {
    const database = await freshPostgres(postgres!)
    context.after(() => database.drop())
    const objects = freshS3Objects(s3!)
    const environment = {
      ...objects.environment,
      QUIRE_DATABASE_URL: database.address,
      QUIRE_OBJECTS: objects.address,
    }
    await run(context, environment)
  })
}

/** Starts a server on the given storage; keys are given where this is not its first start. */
export async function startQuire(
  context: TestContext,
  storage: Storage,
  flags: string[],
  extra: Record<string, string>,
  keys?: { adminKey: string; assistantKey: string },
): Promise<Quire> {
  const environment = { ...cleanEnvironment(), ...storage.environment, ...extra }
  const args = ['src/cli/main.ts', 'start', '--port', '0', '--data', storage.data, ...flags]
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  context.after(() => child.kill('SIGKILL'))
  const output = await untilReady(child)
  const url = /Quire is ready at (\S+)|Site\s+(\S+?)\/sites\//.exec(output)
  const address = url?.[1] ?? url?.[2]
  assert.ok(address, `The server did not say where it is:\n${output}`)
  const adminKey = keys?.adminKey ?? /Admin key\s+(\S+)/.exec(output)?.[1]
  const assistantKey = keys?.assistantKey ?? /Assistant key\s+(\S+)/.exec(output)?.[1]
  assert.ok(adminKey && assistantKey, 'The first start prints its keys.')
  const quire: Quire = {
    url: address,
    adminKey,
    assistantKey,
    exited,
    restart: (more = {}) =>
      startQuire(context, storage, flags, { ...extra, ...more }, { adminKey, assistantKey }),
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    stop: async () => {
      child.kill('SIGTERM')
      return exited
    },
    command: (...words) =>
      runCommand(words, {
        ...environment,
        QUIRE_URL: address,
        QUIRE_ADMIN_KEY: adminKey,
        QUIRE_DATA: storage.data,
      }),
    api: (path, init = {}) =>
      fetch(address + path, {
        ...init,
        headers: { authorization: `Bearer ${init.key ?? adminKey}`, ...init.headers },
      }),
  }
  return quire
}

export async function runCommand(words: string[], environment: Record<string, string>): Promise<Finished> {
  const child = spawn(process.execPath, ['src/cli/main.ts', ...words], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code: code as number | null, stdout, stderr }
}

/** Sends JSON and gives the answer's JSON, whose status must be the one expected. */
export async function json<Answer>(answer: Promise<Response>, status = 200): Promise<Answer> {
  const response = await answer
  const body = await response.text()
  assert.equal(response.status, status, body)
  return JSON.parse(body) as Answer
}

export const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

export type Job = {
  jobId: string
  status: string
  progress: number
  pageCount: number
  pagesTotal: number
  error: string | null
  failedPages: unknown[]
}

/** Polls a job as a client would until it is final, and checks on the way that progress never goes down. */
export async function untilFinal(quire: Quire, jobId: string, seen: number[] = []): Promise<Job> {
  for (;;) {
    const job = await json<Job>(quire.api(`/v1/static-export/jobs/${jobId}`))
    assert.ok(job.progress >= (seen.at(-1) ?? 0), `progress went from ${seen.at(-1)} to ${job.progress}`)
    seen.push(job.progress)
    if (job.status === 'completed' || job.status === 'failed') return job
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export async function download(address: string): Promise<Buffer> {
  const response = await fetch(address)
  assert.equal(response.status, 200)
  return buffer(response.body!)
}

/** The environment without this machine's own Quire settings. */
export function cleanEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('QUIRE_') || name === 'NODE_TEST_CONTEXT' ? [] : [[name, value]],
    ),
  )
}

function untilReady(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const add = (chunk: Buffer) => {
      output += chunk
      if (/Quire is ready at \S+\n|--key \S+\n/.test(output)) resolve(output)
    }
    child.stdout!.on('data', add)
    child.stderr!.on('data', (chunk: Buffer) => {
      output += chunk
    })
    child.once('exit', (code) =>
      reject(new Error(`The server ended with ${code} before it was ready:\n${output}`)),
    )
  })
}
