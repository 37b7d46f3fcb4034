import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { RefreshSettings } from './host-settings.ts'

/** A bundle's archive on its way, or word that the one we have is still the newest. */
export type FetchedBundle =
  | { type: 'archive'; stream: Readable; tag: string | undefined }
  | { type: 'unchanged' }

/** A fetch that failed, told so that an operator knows what to do. Never holds a query, where signatures live. */
export class FetchError extends Error {
  override name = 'FetchError'
  readonly code: 'link_expired' | 'unreachable' | 'not_found' | 'not_allowed' | 'bad_answer'

  constructor(code: FetchError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Opens an archive by https, file:// or path. Plain http is taken from this machine, or where a sha256 or a setting vouches
 * for it. `knownTag` is what an earlier fetch returned: the same file is then not sent again.
 */
export async function fetchBundle(input: {
  address: string
  knownTag?: string | undefined
  allowHttp: boolean
  signal: AbortSignal
}): Promise<FetchedBundle> {
  const { address } = input
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(address)) return openFile(address, input.knownTag)
  const url = new URL(address)
  if (url.protocol === 'file:') return openFile(fileURLToPath(url), input.knownTag)
  return download(url, input)
}

async function openFile(path: string, knownTag: string | undefined): Promise<FetchedBundle> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new FetchError('not_found', `There is no file ${path}.`)
  if (!found.isFile()) throw new FetchError('not_found', `${path} is not a file.`)
  const tag = `file-${found.ino}-${found.size}-${found.mtimeMs}`
  if (tag === knownTag) return { type: 'unchanged' }
  return { type: 'archive', stream: createReadStream(path, { highWaterMark: 256 * 1024 }), tag }
}

async function download(
  start: URL,
  input: { knownTag?: string | undefined; allowHttp: boolean; signal: AbortSignal },
): Promise<FetchedBundle> {
  let url = start
  for (let hop = 0; hop <= maxRedirects; hop++) {
    checkProtocol(url, input.allowHttp)
    const answer = await fetchOnce(url, {
      signal: input.signal,
      headers: input.knownTag?.startsWith('etag-') ? { 'if-none-match': input.knownTag.slice(5) } : {},
    })
    const location = answer.headers.get('location')
    if (answer.status >= 300 && answer.status < 400 && answer.status !== 304 && location !== null) {
      await answer.body?.cancel()
      url = new URL(location, url)
      continue
    }
    if (answer.status === 304 && input.knownTag !== undefined) return { type: 'unchanged' }
    if (answer.status !== 200 || answer.body === null) {
      await answer.body?.cancel()
      throw answerError(url, answer.status)
    }
    const etag = answer.headers.get('etag')
    return {
      type: 'archive',
      stream: Readable.from(withIdleLimit(answer.body, url)),
      tag: etag === null ? undefined : `etag-${etag}`,
    }
  }
  throw new FetchError('bad_answer', `${shown(start)} redirects more than ${maxRedirects} times.`)
}

/** Asks a Quire server for a fresh link to the newest, or to one given, finished export. */
export async function requestFreshLink(
  refresh: RefreshSettings,
  signal: AbortSignal,
): Promise<{ jobId: string; bundleUrl: string; sha256?: string; version?: string }> {
  const jobId = refresh.jobId ?? (await newestJob(refresh, signal))
  const answer = await callServer(
    refresh,
    `/v1/static-export/jobs/${encodeURIComponent(jobId)}/bundle`,
    'POST',
    signal,
  )
  const { bundleUrl, sha256, version } = answer
  if (typeof bundleUrl !== 'string')
    throw new FetchError('bad_answer', 'The server answered without a bundleUrl.')
  return {
    jobId,
    bundleUrl: new URL(bundleUrl, refresh.server).href,
    ...(typeof sha256 === 'string' ? { sha256 } : {}),
    ...(typeof version === 'string' ? { version } : {}),
  }
}

async function newestJob(refresh: RefreshSettings, signal: AbortSignal): Promise<string> {
  const query = new URLSearchParams({ domain: refresh.domain ?? '', status: 'completed', limit: '100' })
  const answer = await callServer(refresh, `/v1/static-export/jobs?${query}`, 'GET', signal)
  const jobs = [answer.jobs, answer.items, answer.data].find(Array.isArray) ?? []
  let newest: { jobId: string; createdAt: string } | undefined
  for (const job of jobs) {
    if (job?.status !== 'completed' || typeof job.jobId !== 'string') continue
    const createdAt = String(job.createdAt)
    if (newest === undefined || Date.parse(createdAt) > Date.parse(newest.createdAt))
      newest = { jobId: job.jobId, createdAt }
  }
  if (newest === undefined) {
    throw new FetchError('not_found', `The server has no finished export of ${refresh.domain}.`)
  }
  return newest.jobId
}

async function callServer(
  refresh: RefreshSettings,
  path: string,
  method: string,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const url = new URL(`${refresh.server.replace(/\/$/, '')}${path}`)
  const answer = await fetchOnce(url, {
    method,
    signal,
    headers: { authorization: `Bearer ${refresh.adminKey}`, accept: 'application/json' },
  })
  const body: unknown = await answer.json().catch(() => undefined)
  const json = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  if (!answer.ok) {
    const why = typeof json.error === 'string' ? json.error : `It answered ${answer.status}.`
    throw new FetchError('bad_answer', `${shown(url)} gave no fresh link: ${why}`)
  }
  return json
}

async function fetchOnce(url: URL, options: RequestInit & { signal: AbortSignal }): Promise<Response> {
  const tooLate = new AbortController()
  const timer = setTimeout(() => tooLate.abort(new Error('no answer in time')), answerWithinMs)
  try {
    const signal = AbortSignal.any([options.signal, tooLate.signal])
    return await fetch(url, { ...options, signal, redirect: 'manual' })
  } catch (error) {
    options.signal.throwIfAborted()
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const why =
      cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.message) : String(cause)
    throw new FetchError('unreachable', `${shown(url)} cannot be reached (${why}).`)
  } finally {
    clearTimeout(timer) // The answer has begun; how long its body takes is another matter.
  }
}

/** A server that sends nothing for too long is given up. */
async function* withIdleLimit(body: ReadableStream<Uint8Array>, url: URL): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      let timer: NodeJS.Timeout | undefined
      const idle = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(new FetchError('unreachable', `${shown(url)} stopped in the middle of the download.`))
        }, idleMs)
      })
      const next = await Promise.race([reader.read(), idle])
        .catch((error) => {
          if (error instanceof FetchError) throw error
          throw new FetchError('unreachable', `The download from ${shown(url)} broke off.`)
        })
        .finally(() => clearTimeout(timer))
      if (next.done) return
      yield next.value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function checkProtocol(url: URL, allowHttp: boolean): void {
  if (url.protocol === 'https:') return
  if (url.protocol !== 'http:')
    throw new FetchError('not_allowed', `${url.protocol} addresses are not fetched.`)
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  if (isLoopback || allowHttp) return
  throw new FetchError(
    'not_allowed',
    `${shown(url)} is plain http. Use https, or give staticExport.sha256, or set staticExport.insecureHttp.`,
  )
}

function answerError(url: URL, status: number): FetchError {
  if (status === 401 || status === 403 || status === 410) {
    return new FetchError(
      'link_expired',
      `The link to ${shown(url)} has expired or is not valid (${status}).`,
    )
  }
  if (status === 404) return new FetchError('not_found', `There is nothing at ${shown(url)} (404).`)
  return new FetchError('bad_answer', `${shown(url)} answered ${status}.`)
}

/** An address as it may stand in a log: without user, query and fragment. */
export function shown(url: URL | string): string {
  if (typeof url === 'string' && !URL.canParse(url)) return url
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

const maxRedirects = 5
const answerWithinMs = 15_000
const idleMs = 30_000
