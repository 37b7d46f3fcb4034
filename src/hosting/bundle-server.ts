import { hash } from 'node:crypto'
import { constants, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  BundleError,
  type Manifest,
  type ManifestEntry,
  readManifest,
  type SiteIndex,
  type SiteSettings,
  settingsFile,
  settingsScript,
  siteIndexFile,
} from '../bundle/index.ts'
import { type CompressedBytes, compressedBytes } from './compressed-content.ts'
import { chooseEncoding, type Encoding, matchesNone, readRange } from './conditional-request.ts'
import { ContentCache } from './content-cache.ts'
import {
  findExactRedirect,
  findPatternRedirect,
  prepareRedirects,
  type RedirectTable,
} from './find-redirect.ts'
import { inertScript, isScript, type MediaType, mediaTypeOf } from './media-types.ts'
import { plainPage } from './plain-page.ts'
import { readIntoScratch, scratchBytes } from './scratch-buffers.ts'
import { securityHeaders } from './security-headers.ts'

export type ServeOptions = {
  /** The path inside the bundle as it stands in the request: still percent-encoded, without the base path and the query. */
  path: string
  /** Where the bundle's root lies on this origin: `''` or `/sites/acme`, without a slash at its end. */
  basePath: string
  settings: SiteSettings
  /** True where sites of several tenants share one origin. */
  sharedOrigin?: boolean
  /** True when the reader came by https. */
  secure?: boolean
  /** True where the project's own scripts may run. */
  customScripts?: boolean
  /** Earlier bundles whose hashed files are still asked for by pages that readers have open. */
  previous?: PreviousBundle[]
}

export type BundleServer = {
  readonly folder: string
  readonly manifest: Manifest
  readonly siteIndex: SiteIndex | undefined
  handle(request: IncomingMessage, response: ServerResponse, options: ServeOptions): Promise<void>
  /** The answer itself, for whoever writes it otherwise; at once where everything is at hand. */
  answer(question: Question, options: ServeOptions): Answer | Promise<Answer>
  find(path: string): ManifestEntry | undefined
}

/** What is left of an earlier bundle: its hashed files. */
export type PreviousBundle = Pick<BundleServer, 'folder' | 'find'>

export function previousBundle(folder: string, manifest: Manifest): PreviousBundle {
  const hashed = new Map(
    manifest.files.filter((file) => isHashed(file.path)).map((file) => [file.path, file]),
  )
  return { folder, find: (path) => hashed.get(path) }
}

export type Question = {
  method: string
  /** With its question mark, or empty. */
  query: string
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  range: string | undefined
  ifRange: string | undefined
}

export type Answer = {
  status: number
  /** The headers that many answers share, and those of this one: names and values in turn. */
  shared: HeaderSet
  headers: string[]
  body: Buffer | { file: string; start: number; end: number } | undefined
  /** To be called when the body has been sent and its buffer may be used again. */
  release?: () => void
}

/**
 * Serves one unpacked bundle. A request is looked up in the manifest and never turned into a path of the file system,
 * so that nothing but the bundle's own files can be named.
 */
export async function openBundleServer(input: {
  folder: string
  /** Given where the caller has read it already. */
  manifest?: Manifest
  /** Shared between bundles where there are many; 32 MiB of its own otherwise. */
  cache?: ContentCache
  /** A folder where compressed files are kept by content; without it they are kept in memory alone. */
  compressedFolder?: string
}): Promise<BundleServer> {
  const manifest = input.manifest ?? (await readManifest(input.folder))
  const site: Site = {
    folder: input.folder,
    files: new Map(manifest.files.map((file) => [file.path, file])),
    cache: input.cache ?? new ContentCache({ maxBytes: 32 * 1024 * 1024 }),
    compressedFolder: input.compressedFolder,
    redirects: prepareRedirects([]),
    home: 'index',
  }
  const siteIndex = await readSiteIndex(site)
  if (siteIndex !== undefined) {
    site.redirects = prepareRedirects(siteIndex.redirects ?? [])
    site.home = siteIndex.home
  }
  return {
    folder: input.folder,
    manifest,
    siteIndex,
    find: (path) => site.files.get(path),
    answer: (question, options) => answer(site, question, options),
    handle: async (request, response, options) =>
      writeAnswer(await answer(site, questionOf(request), options), response),
  }
}

type Site = {
  folder: string
  files: Map<string, ManifestEntry>
  cache: ContentCache
  compressedFolder: string | undefined
  redirects: RedirectTable
  home: string
}

function answer(site: Site, question: Question, options: ServeOptions): Answer | Promise<Answer> {
  if (question.method !== 'GET' && question.method !== 'HEAD') {
    const status = question.method === 'OPTIONS' ? 204 : 405
    const shared = sharedHeaders('none', options)
    return {
      status,
      shared,
      headers: ['Allow', 'GET, HEAD, OPTIONS', 'Content-Length', '0'],
      body: undefined,
    }
  }
  const path = decodePath(options.path)
  if (path === undefined) return notFound(site, question, options)
  if (path === settingsFile) return settingsAnswer(question, options)
  const found = resolve(site, path, options)
  switch (found.type) {
    case 'file':
      return fileAnswer(site.folder, site, found.file, question, options)
    case 'previous-file':
      return fileAnswer(found.folder, site, found.file, question, options)
    case 'redirect':
      return redirectAnswer(found, question, options)
    case 'nothing':
      return notFound(site, question, options)
  }
}

function questionOf(request: IncomingMessage): Question {
  const { headers, url = '' } = request
  const query = url.indexOf('?')
  return {
    method: request.method ?? 'GET',
    query: query === -1 ? '' : url.slice(query).replace(/#.*$/, ''),
    acceptEncoding: headers['accept-encoding']?.toString(),
    ifNoneMatch: headers['if-none-match'],
    range: headers.range,
    ifRange: headers['if-range']?.toString(),
  }
}

async function writeAnswer(answer: Answer, response: ServerResponse): Promise<void> {
  const { body } = answer
  const headers = [...answer.shared.list, ...answer.headers]
  if (body === undefined || Buffer.isBuffer(body)) {
    if (answer.release !== undefined) response.once('close', answer.release)
    response.writeHead(answer.status, headers)
    response.end(body)
    return
  }
  const handle = await open(body.file, constants.O_RDONLY | noFollow)
  response.writeHead(answer.status, headers)
  try {
    const { start, end } = body
    await pipeline(handle.createReadStream({ start, end, highWaterMark: 256 * 1024 }), response)
  } catch (error) {
    if (!response.destroyed) throw error // A reader who leaves in the middle is no fault.
  } finally {
    await handle.close().catch(() => {})
  }
}

type Resolved =
  | { type: 'file'; file: ManifestEntry }
  | { type: 'previous-file'; file: ManifestEntry; folder: string }
  | { type: 'redirect'; to: string; permanent: boolean }
  | { type: 'nothing' }

function resolve(site: Site, path: string, options: ServeOptions): Resolved {
  if (site.redirects.exact.size > 0) {
    const redirect = findExactRedirect(site.redirects, `/${path}`)
    if (redirect !== undefined) return { type: 'redirect', to: redirect.to, permanent: redirect.permanent }
  }
  const isFolder = path === '' || path.endsWith('/')
  const file = isFolder
    ? site.files.get(`${path}index.html`)
    : (site.files.get(path) ?? site.files.get(`${path}.html`))
  if (file !== undefined) return { type: 'file', file }
  if (path === '') return { type: 'redirect', to: `/${encodePath(site.home)}`, permanent: false }
  // A page's links are relative, so an address has its one right form: a folder ends with a slash, a page does not.
  if (isFolder && site.files.has(`${path.slice(0, -1)}.html`)) {
    return { type: 'redirect', to: `/${encodePath(path.slice(0, -1))}`, permanent: true }
  }
  if (!isFolder && site.files.has(`${path}/index.html`)) {
    return { type: 'redirect', to: `/${encodePath(path)}/`, permanent: true }
  }
  if (path.startsWith('_quire/')) {
    for (const earlier of options.previous ?? []) {
      const old = earlier.find(path)
      if (old !== undefined && isHashed(path))
        return { type: 'previous-file', file: old, folder: earlier.folder }
    }
    return { type: 'nothing' }
  }
  if (site.redirects.patterns.length > 0 && path.length <= 2000) {
    const redirect = findPatternRedirect(site.redirects, `/${path}`)
    if (redirect !== undefined) return { type: 'redirect', ...redirect }
  }
  return { type: 'nothing' }
}

function fileAnswer(
  folder: string,
  site: Site,
  file: ManifestEntry,
  question: Question,
  options: ServeOptions,
): Answer | Promise<Answer> {
  const type = typeOf(file.path, options)
  const encoding: Encoding =
    type.compressible &&
    question.range === undefined &&
    file.sizeBytes > 200 &&
    file.sizeBytes < maxCompressedBytes
      ? chooseEncoding(question.acceptEncoding)
      : 'identity'
  const etag = etagOf(file, encoding)
  if (question.ifNoneMatch !== undefined && matchesNone(question.ifNoneMatch, etag)) {
    const headers = ['Cache-Control', cacheControl(file.path), 'ETag', etag]
    if (type.compressible) headers.push('Vary', 'Accept-Encoding')
    return { status: 304, shared: sharedHeaders(type.document, options), headers, body: undefined }
  }
  if (encoding === 'identity') return plainAnswer(folder, site, file, type, question, options)
  const compressed = compressedBytes({
    file,
    encoding,
    cache: site.cache,
    keepIn: site.compressedFolder,
    read: () => readWhole(folder, file),
  })
  const finish = (found: CompressedBytes): Answer => {
    if (found === undefined) return plainAnswer(folder, site, file, type, question, options)
    const headers = fileHeaders(file, type, etag, found.bytes.length)
    headers.push('Content-Encoding', encoding)
    const shared = sharedHeaders(type.document, options)
    const { release } = found
    const isHead = question.method === 'HEAD'
    if (isHead) release?.()
    const body = isHead ? undefined : found.bytes
    return { status: 200, shared, headers, body, ...(release === undefined || isHead ? {} : { release }) }
  }
  return compressed instanceof Promise ? compressed.then(finish) : finish(compressed)
}

/** The file as it is, whole or in part. */
function plainAnswer(
  folder: string,
  site: Site,
  file: ManifestEntry,
  type: MediaType,
  question: Question,
  options: ServeOptions,
): Answer {
  const etag = etagOf(file, 'identity')
  const shared = sharedHeaders(type.document, options)
  const size = file.sizeBytes
  const range =
    question.range === undefined
      ? whole
      : readRange({ range: question.range, ifRange: question.ifRange, etag, size })
  if (range.type === 'unsatisfiable') {
    const headers = [...fileHeaders(file, type, etag, 0), 'Content-Range', `bytes */${size}`]
    return { status: 416, shared, headers, body: undefined }
  }
  const start = range.type === 'part' ? range.start : 0
  const end = range.type === 'part' ? range.end : size - 1
  const headers = fileHeaders(file, type, etag, end - start + 1)
  if (range.type === 'part') headers.push('Content-Range', `bytes ${start}-${end}/${size}`)
  const status = range.type === 'part' ? 206 : 200
  if (question.method === 'HEAD' || size === 0) return { status, shared, headers, body: undefined }
  if (size > inMemoryBytes)
    return { status, shared, headers, body: { file: join(folder, file.path), start, end } }
  const { bytes, release } = readSmall(folder, site, file)
  const body = range.type === 'part' ? bytes.subarray(start, end + 1) : bytes
  return { status, shared, headers, body, ...(release === undefined ? {} : { release }) }
}

/** From memory where it is wanted often, else from the disk by way of a buffer on loan. */
function readSmall(folder: string, site: Site, file: ManifestEntry): { bytes: Buffer; release?: () => void } {
  const cached = site.cache.get(file.sha256)
  if (cached !== undefined) return { bytes: cached }
  if (!site.cache.isWanted(file.sha256)) {
    const loan = readIntoScratch(`${folder}/${file.path}`)
    if (loan !== undefined) {
      checkDigest(file, loan.bytes)
      return loan
    }
  }
  const bytes = readWhole(folder, file)
  site.cache.set(file.sha256, bytes)
  return { bytes }
}

function fileHeaders(file: ManifestEntry, type: MediaType, etag: string, length: number): string[] {
  const headers = ['Content-Type', type.contentType, 'Content-Length', String(length), 'ETag', etag]
  headers.push('Cache-Control', cacheControl(file.path), 'Accept-Ranges', 'bytes')
  if (type.compressible) headers.push('Vary', 'Accept-Encoding')
  return headers
}

function settingsAnswer(question: Question, options: ServeOptions): Answer {
  const body = Buffer.from(settingsScript(options.settings))
  const etag = `"${hash('sha256', body, 'hex').slice(0, 32)}"`
  const type = mediaTypeOf(settingsFile)
  const shared = sharedHeaders(type.document, options)
  const headers = ['Cache-Control', 'no-cache', 'ETag', etag]
  if (matchesNone(question.ifNoneMatch, etag)) return { status: 304, shared, headers, body: undefined }
  headers.push('Content-Type', type.contentType, 'Content-Length', String(body.length))
  return { status: 200, shared, headers, body: question.method === 'HEAD' ? undefined : body }
}

function redirectAnswer(
  redirect: { to: string; permanent: boolean },
  question: Question,
  options: ServeOptions,
): Answer {
  // A target on this site stays on it: two slashes in front would name another host.
  const target = redirect.to.startsWith('/')
    ? `${options.basePath}/${redirect.to.replace(/^[/\\]+/, '')}`
    : redirect.to
  const [address = '', fragment] = target.split('#', 2)
  const query = address.includes('?') ? '' : question.query
  const location = `${address}${query}${fragment === undefined ? '' : `#${fragment}`}`
  const headers = [
    'Location',
    location.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character)),
    'Cache-Control',
    'no-cache',
    'Content-Length',
    '0',
  ]
  return {
    status: redirect.permanent ? 308 : 307,
    shared: sharedHeaders('none', options),
    headers,
    body: undefined,
  }
}

/** The bundle's own 404 page, whose relative links are made to start at the bundle's root. */
function notFound(site: Site, question: Question, options: ServeOptions): Answer {
  const file = site.files.get('404.html')
  const base = `<base href="${encodeURI(options.basePath)}/">`
  const page =
    file === undefined
      ? plainPage({ title: 'Page not found', text: 'There is no page at this address.' })
      : (site.cache.get(file.sha256) ?? readWhole(site.folder, file))
          .toString('utf8')
          .replace(/<head(\s[^>]*)?>/i, (head) => `${head}${base}`)
  const body = Buffer.from(page)
  const headers = ['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-cache']
  headers.push('Content-Length', String(body.length))
  const shared = sharedHeaders('page', options)
  return { status: 404, shared, headers, body: question.method === 'HEAD' ? undefined : body }
}

/**
 * What was damaged on the disk is not served: the digest is looked at when a file is first read. Small files are read at
 * once, because handing such a read to another thread costs several times the read itself.
 */
function readWhole(folder: string, file: ManifestEntry): Buffer {
  const bytes = readFileSync(join(folder, file.path), { flag: constants.O_RDONLY | noFollow })
  checkDigest(file, bytes)
  return bytes
}

function checkDigest(file: ManifestEntry, bytes: Buffer): void {
  if (bytes.length === file.sizeBytes && read.has(file)) return
  if (hash('sha256', bytes, 'hex') !== file.sha256) {
    throw new BundleError('file_changed', `"${file.path}" was changed on the disk.`, file.path)
  }
  read.add(file)
}

const read = new WeakSet<ManifestEntry>()

async function readSiteIndex(site: Site): Promise<SiteIndex | undefined> {
  const file = site.files.get(siteIndexFile)
  if (file === undefined) return undefined
  return JSON.parse(readWhole(site.folder, file).toString('utf8')) as SiteIndex
}

/** Decoded once and looked up as it is; what cannot be decoded names nothing. */
function decodePath(path: string): string | undefined {
  const bare = path.startsWith('/') ? path.slice(1) : path
  if (!bare.includes('%')) return bare
  try {
    return decodeURIComponent(bare)
  } catch {
    return undefined
  }
}

function typeOf(path: string, options: ServeOptions): MediaType {
  if (!path.startsWith('_quire/') && !options.customScripts && isScript(path)) return inertScript
  return mediaTypeOf(path)
}

function cacheControl(path: string): string {
  return isHashed(path) ? 'public, max-age=31536000, immutable' : 'no-cache'
}

/** Files whose name follows from their content; they can be kept for ever. */
export function isHashed(path: string): boolean {
  if (path.startsWith('_quire/assets/')) return true
  return path.startsWith('_quire/search/') && /[.-][0-9a-zA-Z_]{8,}\.[a-z0-9]+$/.test(path)
}

function etagOf(file: ManifestEntry, encoding: Encoding): string {
  return encoding === 'identity'
    ? `"${file.sha256.slice(0, 32)}"`
    : `"${file.sha256.slice(0, 32)}-${encoding}"`
}

/** Headers as node takes them and as they go over the wire. */
export type HeaderSet = { list: string[]; text: string }

/** The headers that every answer has are made once for each settings object. */
function sharedHeaders(document: MediaType['document'], options: ServeOptions): HeaderSet {
  let kept = headersBySettings.get(options.settings)
  if (kept === undefined) {
    kept = new Map()
    headersBySettings.set(options.settings, kept)
  }
  const key = `${document}${options.sharedOrigin ? 's' : ''}${options.secure ? 't' : ''}`
  let headers = kept.get(key)
  if (headers === undefined) {
    const list = securityHeaders(document, options)
    headers = { list, text: headerText(list) }
    kept.set(key, headers)
  }
  return headers
}

export function headerText(list: string[]): string {
  let text = ''
  for (let index = 0; index < list.length; index += 2) text += `${list[index]}: ${list[index + 1]}\r\n`
  return text
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

const headersBySettings = new WeakMap<SiteSettings, Map<string, HeaderSet>>()
const whole = { type: 'whole' } as const
const inMemoryBytes = scratchBytes
const maxCompressedBytes = 32 * 1024 * 1024
// Windows has no such flag and no such links made by us.
const noFollow = constants.O_NOFOLLOW ?? 0
