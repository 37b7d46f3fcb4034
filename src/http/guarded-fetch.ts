import { lookup as lookUpName } from 'node:dns/promises'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { isInternalName, isPublicAddress } from './public-address.ts'

export type GuardedFetchOptions = {
  method?: 'GET' | 'HEAD' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** For the whole of it: name, connection, redirects and body. */
  timeoutMs?: number
  maximumBytes?: number
  maximumRedirects?: number
  /** Media types that may be received; any when left out. */
  acceptType?: (mediaType: string) => boolean
  signal?: AbortSignal
  /** The world outside, so that a test or an operator may give another one. */
  resolveName?: (host: string) => Promise<readonly string[]>
  isAllowedAddress?: (ip: string) => boolean
}

export type GuardedResponse = {
  status: number
  /** The last address, after redirects. */
  url: string
  headers: Readonly<Record<string, string>>
  body: Buffer
}

export type GuardedFetchCode =
  | 'forbidden_address'
  | 'forbidden_scheme'
  | 'forbidden_port'
  | 'invalid_address'
  | 'unknown_host'
  | 'unreachable'
  | 'too_many_redirects'
  | 'too_large'
  | 'too_slow'
  | 'wrong_type'

export class GuardedFetchError extends Error {
  readonly code: GuardedFetchCode

  constructor(code: GuardedFetchCode, message: string) {
    super(message)
    this.name = 'GuardedFetchError'
    this.code = code
  }
}

const defaults = { timeoutMs: 15_000, maximumBytes: 20 * 1024 * 1024, maximumRedirects: 5 }

/**
 * Fetches an address that somebody else chose. It reaches public hosts only: a name is resolved once, every address it
 * has must be public, and the connection goes to exactly that address; each redirect is checked again. Size and time
 * have an end.
 */
export async function guardedFetch(
  address: string,
  options: GuardedFetchOptions = {},
): Promise<GuardedResponse> {
  const timeoutMs = options.timeoutMs ?? defaults.timeoutMs
  const deadline = AbortSignal.timeout(timeoutMs)
  const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal])
  try {
    return await follow(address, options, signal)
  } catch (error) {
    if (error instanceof GuardedFetchError) throw error
    if (deadline.aborted)
      throw new GuardedFetchError('too_slow', `No whole answer came within ${timeoutMs} ms.`)
    options.signal?.throwIfAborted()
    const reason = error instanceof Error ? error.message : String(error)
    throw new GuardedFetchError('unreachable', `The host could not be reached: ${reason}`)
  }
}

async function follow(
  address: string,
  options: GuardedFetchOptions,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const maximumRedirects = options.maximumRedirects ?? defaults.maximumRedirects
  let url = checkedUrl(address)
  let headers = options.headers ?? {}
  for (let redirects = 0; ; redirects += 1) {
    const addresses = await resolveOnce(url, options, signal)
    const response = await connect({ url, addresses, headers, options, signal })
    const location = redirectOf(response, options)
    if (location === undefined) return await receive(response, url, options, signal)
    response.destroy()
    if (redirects >= maximumRedirects) {
      throw new GuardedFetchError('too_many_redirects', `More than ${maximumRedirects} redirects.`)
    }
    const next = checkedUrl(location, url)
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw new GuardedFetchError('forbidden_scheme', 'A redirect leads from https to http.')
    }
    if (next.origin !== url.origin) headers = withoutCredentials(headers)
    url = next
  }
}

/** What the address says must be plain: http or https, no credentials, no port of another service. */
function checkedUrl(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href)
  if (url === null) throw new GuardedFetchError('invalid_address', 'The address cannot be read.')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new GuardedFetchError('forbidden_scheme', 'Only http and https addresses are fetched.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new GuardedFetchError('invalid_address', 'The address holds a user name or password.')
  }
  const port = url.port === '' ? 0 : Number(url.port)
  if (port !== 0 && ((port < 1024 && port !== 80 && port !== 443) || portsOfOthers.has(port))) {
    throw new GuardedFetchError('forbidden_port', `The port ${port} is not one for web pages.`)
  }
  return url
}

/** Ports above 1023 that browsers refuse too, because other services listen there. */
const portsOfOthers = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
])

async function resolveOnce(url: URL, options: GuardedFetchOptions, signal: AbortSignal): Promise<string[]> {
  const isAllowed = options.isAllowedAddress ?? isPublicAddress
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
  if (isIP(host) !== 0) {
    if (!isAllowed(host)) throw forbidden(url.hostname)
    return [host]
  }
  if (isInternalName(host)) throw forbidden(url.hostname)
  const addresses = await resolved(host, options.resolveName ?? systemResolve, signal)
  if (addresses.length === 0) throw new GuardedFetchError('unknown_host', `The host ${host} is not known.`)
  // One internal address among public ones is reason enough: the name is not to be trusted.
  if (!addresses.every((ip) => isIP(ip) !== 0 && isAllowed(ip))) throw forbidden(url.hostname)
  return addresses.toSorted((one, other) => isIP(one) - isIP(other)).slice(0, 4)
}

async function resolved(
  host: string,
  resolveName: (host: string) => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([resolveName(host), aborted.promise])
  } catch (error) {
    if (signal.aborted) throw error
    throw new GuardedFetchError('unknown_host', `The host ${host} is not known.`)
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function systemResolve(host: string): Promise<string[]> {
  const records = await lookUpName(host, { all: true })
  return records.map((record) => record.address)
}

function forbidden(host: string): GuardedFetchError {
  return new GuardedFetchError('forbidden_address', `The host ${host} is not on the public internet.`)
}

type Connecting = {
  url: URL
  addresses: readonly string[]
  headers: Readonly<Record<string, string>>
  options: GuardedFetchOptions
  signal: AbortSignal
}

/** Tries the checked addresses one after the other; a request with a body is sent once only. */
async function connect(input: Connecting): Promise<IncomingMessage> {
  let failure: unknown
  for (const address of input.addresses) {
    try {
      return await send(input, address)
    } catch (error) {
      failure = error
      if (input.signal.aborted || input.options.body !== undefined) break
    }
  }
  throw failure
}

function send(input: Connecting, address: string): Promise<IncomingMessage> {
  const { url, options, signal } = input
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const open = url.protocol === 'https:' ? requestHttps : requestHttp
  const request: ClientRequest = open(url, {
    method: options.method ?? 'GET',
    headers: {
      'user-agent': 'quire',
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      ...input.headers,
      // The name in the request is the one that was checked, whatever the caller's headers say.
      host: url.host,
      connection: 'close',
    },
    // Resolved and checked before: the connection asks nobody again.
    lookup: (_host, lookupOptions, callback) => {
      const family = isIP(address)
      if (lookupOptions.all === true) callback(null, [{ address, family }])
      else callback(null, address, family)
    },
    agent: false,
    signal,
  })
  request.on('response', resolve)
  request.on('error', reject)
  request.end(options.body)
  return promise
}

function redirectOf(response: IncomingMessage, options: GuardedFetchOptions): string | undefined {
  const method = options.method ?? 'GET'
  const status = response.statusCode ?? 0
  if (method === 'POST' || ![301, 302, 303, 307, 308].includes(status)) return undefined
  return response.headers.location
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(authorization|cookie|proxy-authorization)$/i.test(name),
  )
  return Object.fromEntries(kept)
}

async function receive(
  response: IncomingMessage,
  url: URL,
  options: GuardedFetchOptions,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const maximumBytes = options.maximumBytes ?? defaults.maximumBytes
  const status = response.statusCode ?? 0
  const mediaType = (response.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  try {
    if (status >= 200 && status < 300 && options.acceptType !== undefined && !options.acceptType(mediaType)) {
      throw new GuardedFetchError('wrong_type', `The answer is of the type "${mediaType || 'unknown'}".`)
    }
    if (Number(response.headers['content-length'] ?? 0) > maximumBytes) throw tooLarge(maximumBytes)
    const body = await readBody(decoded(response), maximumBytes, signal)
    return { status, url: url.href, headers: flatHeaders(response), body }
  } finally {
    response.destroy()
  }
}

function decoded(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').toLowerCase()
  const unpack =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'br'
        ? createBrotliDecompress()
        : encoding === 'deflate'
          ? createInflate()
          : undefined
  if (unpack === undefined) {
    if (encoding === 'identity' || encoding === '') return response
    throw new GuardedFetchError('wrong_type', `The answer is packed as "${encoding}".`)
  }
  response.on('error', (error) => unpack.destroy(error))
  response.on('aborted', () => unpack.destroy(new Error('The connection was cut.')))
  return response.pipe(unpack)
}

/** Counts what has been unpacked, so that a small answer cannot become a large one. */
async function readBody(stream: Readable, maximumBytes: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  const stop = () => stream.destroy(new Error('aborted'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk)
      size += bytes.length
      if (size > maximumBytes) throw tooLarge(maximumBytes)
      chunks.push(bytes)
    }
    signal.throwIfAborted()
    return Buffer.concat(chunks)
  } finally {
    signal.removeEventListener('abort', stop)
    stream.destroy()
  }
}

function tooLarge(maximumBytes: number): GuardedFetchError {
  return new GuardedFetchError('too_large', `The answer is larger than ${maximumBytes} bytes.`)
}

function flatHeaders(response: IncomingMessage): Record<string, string> {
  const entries = Object.entries(response.headers).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ])
  return Object.fromEntries(entries)
}
