import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
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
import { compressedBytes } from './compressed-content.ts'
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
    handle: (request, response, options) => serve(site, request, response, options),
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

async function serve(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
  options: ServeOptions,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const isOptions = request.method === 'OPTIONS'
    response.writeHead(isOptions ? 204 : 405, ['Allow', 'GET, HEAD, OPTIONS', 'Content-Length', '0'])
    response.end()
    return
  }
  const path = decodePath(options.path)
  if (path === undefined) return sendNotFound(site, request, response, options)
  if (path === settingsFile) return sendSettings(request, response, options)
  const found = resolve(site, path, options)
  switch (found.type) {
    case 'file':
      return sendFile(site.folder, site, found.file, request, response, options)
    case 'previous-file':
      return sendFile(found.folder, site, found.file, request, response, options)
    case 'redirect':
      return sendRedirect(found, request, response, options)
    case 'nothing':
      return sendNotFound(site, request, response, options)
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

async function sendFile(
  folder: string,
  site: Site,
  file: ManifestEntry,
  request: IncomingMessage,
  response: ServerResponse,
  options: ServeOptions,
): Promise<void> {
  const type = typeOf(file.path, options)
  const headers = [...baseHeaders(type, options), 'Cache-Control', cacheControl(file.path)]
  const wantsRange = request.headers.range !== undefined
  let encoding: Encoding =
    type.compressible && !wantsRange && file.sizeBytes > 200 && file.sizeBytes < maxCompressedBytes
      ? chooseEncoding(request.headers['accept-encoding'])
      : 'identity'
  if (type.compressible) headers.push('Vary', 'Accept-Encoding')
  if (matchesNone(request.headers['if-none-match'], etagOf(file, encoding))) {
    response.writeHead(304, [...headers, 'ETag', etagOf(file, encoding)])
    response.end()
    return
  }
  let body: Buffer | undefined
  if (encoding !== 'identity') {
    body = await compressedBytes({
      file,
      encoding,
      cache: site.cache,
      keepIn: site.compressedFolder,
      read: () => readWhole(folder, file),
    })
    if (body === undefined) encoding = 'identity'
    else headers.push('Content-Encoding', encoding)
  }
  headers.push('Content-Type', type.contentType, 'ETag', etagOf(file, encoding), 'Accept-Ranges', 'bytes')
  const range = wantsRange
    ? readRange({
        range: request.headers.range,
        ifRange: request.headers['if-range']?.toString(),
        etag: etagOf(file, 'identity'),
        size: file.sizeBytes,
      })
    : whole
  if (range.type === 'unsatisfiable') {
    response.writeHead(416, [...headers, 'Content-Range', `bytes */${file.sizeBytes}`, 'Content-Length', '0'])
    response.end()
    return
  }
  const start = range.type === 'part' ? range.start : 0
  const end = range.type === 'part' ? range.end : file.sizeBytes - 1
  const length = body === undefined ? end - start + 1 : body.length
  if (range.type === 'part') headers.push('Content-Range', `bytes ${start}-${end}/${file.sizeBytes}`)
  headers.push('Content-Length', String(length))
  const status = range.type === 'part' ? 206 : 200
  if (request.method === 'HEAD' || length === 0) {
    response.writeHead(status, headers)
    response.end()
    return
  }
  if (body === undefined && file.sizeBytes <= inMemoryBytes) {
    const bytes = site.cache.get(file.sha256) ?? (await readWhole(folder, file))
    site.cache.set(file.sha256, bytes)
    body = range.type === 'part' ? bytes.subarray(start, end + 1) : bytes
  }
  if (body !== undefined) {
    response.writeHead(status, headers)
    response.end(body)
    return
  }
  const handle = await open(join(folder, file.path), constants.O_RDONLY | noFollow)
  response.writeHead(status, headers)
  try {
    await pipeline(handle.createReadStream({ start, end, highWaterMark: 256 * 1024 }), response)
  } catch (error) {
    if (!response.destroyed) throw error // A reader who leaves in the middle is no fault.
  } finally {
    await handle.close().catch(() => {})
  }
}

function sendSettings(request: IncomingMessage, response: ServerResponse, options: ServeOptions): void {
  const body = Buffer.from(settingsScript(options.settings))
  const etag = `"${hash('sha256', body, 'hex').slice(0, 32)}"`
  const type = mediaTypeOf(settingsFile)
  const headers = [...baseHeaders(type, options), 'Cache-Control', 'no-cache', 'ETag', etag]
  if (matchesNone(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers)
    response.end()
    return
  }
  response.writeHead(200, [
    ...headers,
    'Content-Type',
    type.contentType,
    'Content-Length',
    String(body.length),
  ])
  response.end(request.method === 'HEAD' ? undefined : body)
}

function sendRedirect(
  redirect: { to: string; permanent: boolean },
  request: IncomingMessage,
  response: ServerResponse,
  options: ServeOptions,
): void {
  // A target on this site stays on it: two slashes in front would name another host.
  const target = redirect.to.startsWith('/')
    ? `${options.basePath}/${redirect.to.replace(/^[/\\]+/, '')}`
    : redirect.to
  const query = /\?[^#]*/.exec(request.url ?? '')?.[0] ?? ''
  const [address = '', fragment] = target.split('#', 2)
  const location = `${address}${address.includes('?') ? '' : query}${fragment === undefined ? '' : `#${fragment}`}`
  response.writeHead(redirect.permanent ? 308 : 307, [
    ...baseHeaders(mediaTypeOf('a.txt'), options),
    'Location',
    location.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character)),
    'Cache-Control',
    'no-cache',
    'Content-Length',
    '0',
  ])
  response.end()
}

/** The bundle's own 404 page, whose relative links are made to start at the bundle's root. */
async function sendNotFound(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
  options: ServeOptions,
): Promise<void> {
  const file = site.files.get('404.html')
  const base = `<base href="${encodeURI(options.basePath)}/">`
  const page =
    file === undefined
      ? plainPage({ title: 'Page not found', text: 'There is no page at this address.' })
      : (site.cache.get(file.sha256) ?? (await readWhole(site.folder, file)))
          .toString('utf8')
          .replace(/<head(\s[^>]*)?>/i, (head) => `${head}${base}`)
  const body = Buffer.from(page)
  response.writeHead(404, [
    ...baseHeaders(mediaTypeOf('404.html'), options),
    'Content-Type',
    'text/html; charset=utf-8',
    'Cache-Control',
    'no-cache',
    'Content-Length',
    String(body.length),
  ])
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** What was damaged on the disk is not served: the digest is looked at whenever a file is read whole. */
async function readWhole(folder: string, file: ManifestEntry): Promise<Buffer> {
  const bytes = await readFile(join(folder, file.path), { flag: constants.O_RDONLY | noFollow })
  if (hash('sha256', bytes, 'hex') !== file.sha256) {
    throw new BundleError('file_changed', `"${file.path}" was changed on the disk.`, file.path)
  }
  return bytes
}

async function readSiteIndex(site: Site): Promise<SiteIndex | undefined> {
  const file = site.files.get(siteIndexFile)
  if (file === undefined) return undefined
  return JSON.parse((await readWhole(site.folder, file)).toString('utf8')) as SiteIndex
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

/** The headers that every answer has are made once for each settings object. */
function baseHeaders(type: MediaType, options: ServeOptions): string[] {
  let kept = headersBySettings.get(options.settings)
  if (kept === undefined) {
    kept = new Map()
    headersBySettings.set(options.settings, kept)
  }
  const key = `${type.document}${options.sharedOrigin ? 's' : ''}${options.secure ? 't' : ''}`
  let headers = kept.get(key)
  if (headers === undefined) {
    headers = securityHeaders(type.document, options)
    kept.set(key, headers)
  }
  return headers
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

const headersBySettings = new WeakMap<SiteSettings, Map<string, string[]>>()
const whole = { type: 'whole' } as const
const inMemoryBytes = 512 * 1024
const maxCompressedBytes = 32 * 1024 * 1024
// Windows has no such flag and no such links made by us.
const noFollow = constants.O_NOFOLLOW ?? 0
