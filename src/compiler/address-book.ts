import { posix } from 'node:path'
import { addressOf } from './plan-pages.ts'
import { createRedirects, type Redirect } from './redirects.ts'

/** Every address of the site: pages, files and redirects. Links are resolved against it and against nothing else. */
export type AddressBook = {
  /** What an address as an author writes it on a page means. */
  resolve(from: string, written: string): Target
  /** The page or file at an absolute path of the site, redirects not applied. */
  find(path: string): Target | undefined
}

export type Target =
  | {
      type: 'page'
      path: string
      query: string
      hash: string
      how: 'direct' | 'redirect' | 'folder' | 'elsewhere'
    }
  | { type: 'file'; path: string; query: string; hash: string }
  | { type: 'foreign'; href: string }
  | { type: 'here'; hash: string }
  | { type: 'forbidden' }
  | { type: 'missing'; path: string; query: string; hash: string }

export type AddressInput = {
  /** In the order of the navigation, so that a folder leads to its first page. */
  pages: string[]
  /** Pages that exist in the project but not in this bundle. */
  pagesElsewhere: string[]
  files: string[]
  redirects: Redirect[]
}

/** Schemes that could run code or show something else under the site's name; every other is a reader's own program. */
const forbiddenSchemes =
  /^(?:javascript|vbscript|livescript|mocha|data|file|blob|filesystem|view-source|jar|mhtml|about):/i

export function createAddressBook(input: AddressInput): AddressBook {
  const pages = new Map<string, string>()
  const elsewhere = new Map<string, string>()
  const folders = new Map<string, string>()
  for (const path of input.pages) {
    addTo(pages, path)
    for (
      let folder = posix.dirname(path);
      folder !== '.' && !folders.has(folder);
      folder = posix.dirname(folder)
    ) {
      folders.set(folder, path)
    }
  }
  for (const path of input.pagesElsewhere) addTo(elsewhere, path)
  const files = new Set(input.files)
  const filesByLowerCase = new Map(input.files.map((file) => [file.toLowerCase(), file]))
  const redirect = createRedirects(input.redirects)
  return { resolve, find }

  function resolve(from: string, written: string): Target {
    const address = written.trim()
    if (address.startsWith('#')) return { type: 'here', hash: address.slice(1) }
    if (address === '') return { type: 'here', hash: '' }
    if (address.startsWith('//')) return { type: 'foreign', href: `https:${address}` }
    // Browsers drop control characters inside a scheme, so they are dropped before it is judged.
    const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(withoutControls(address))
    if (scheme) {
      const isHost = /^[a-z0-9.-]+:\d+(?:\/|$)/i.test(address)
      if (isHost) return { type: 'foreign', href: `http://${address}` }
      return forbiddenSchemes.test(scheme[0]) ? { type: 'forbidden' } : { type: 'foreign', href: address }
    }
    const { path, query, hash } = splitAddress(address)
    for (const candidate of candidates(from, path)) {
      const found = lookUp(candidate)
      if (found) return attach(found, query, hash)
    }
    return { type: 'missing', path: candidates(from, path)[0] ?? path, query, hash }
  }

  function find(path: string): Target | undefined {
    const found = page(path) ?? file(path)
    return found && attach(found, '', '')
  }

  function lookUp(start: string): Found | undefined {
    let path = start
    let how: 'direct' | 'redirect' = 'direct'
    let redirectHash = ''
    for (let step = 0; step < 10; step += 1) {
      const direct = page(path, how) ?? file(path)
      if (direct) return { ...direct, redirectHash }
      const next = redirect(`/${path}`)
      if (next === undefined) break
      if (/^[a-z][a-z0-9+.-]*:/i.test(next)) {
        return forbiddenSchemes.test(next) ? undefined : { type: 'foreign', href: next, redirectHash }
      }
      const split = splitAddress(next)
      redirectHash = split.hash
      how = 'redirect'
      path = split.path.replace(/^\/+|\/+$/g, '')
    }
    const folder = folders.get(path)
    return folder === undefined ? undefined : { type: 'page', path: folder, how: 'folder', redirectHash }
  }

  function page(path: string, how: 'direct' | 'redirect' = 'direct'): Found | undefined {
    const plain = path.replace(/\.(?:mdx?|html)$/i, '')
    const exact = pages.get(plain) ?? pages.get(plain.toLowerCase())
    if (exact !== undefined) return { type: 'page', path: exact, how }
    const other = elsewhere.get(plain)
    return other === undefined ? undefined : { type: 'page', path: other, how: 'elsewhere' }
  }

  function file(path: string): Found | undefined {
    const exact = files.has(path) ? path : filesByLowerCase.get(path.toLowerCase())
    return exact === undefined ? undefined : { type: 'file', path: exact }
  }
}

/** Browsers skip these inside a scheme. */
export function withoutControls(text: string): string {
  let plain = ''
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 32) plain += text[index]
  }
  return plain
}

type Found =
  | { type: 'page'; path: string; how: 'direct' | 'redirect' | 'folder' | 'elsewhere'; redirectHash?: string }
  | { type: 'file'; path: string; redirectHash?: string }
  | { type: 'foreign'; href: string; redirectHash?: string }

function attach(found: Found, query: string, hash: string): Target {
  if (found.type === 'foreign')
    return { type: 'foreign', href: found.href + query + (hash === '' ? '' : `#${hash}`) }
  const finalHash = hash === '' ? (found.redirectHash ?? '') : hash
  if (found.type === 'file') return { type: 'file', path: found.path, query, hash: finalHash }
  return { type: 'page', path: found.path, how: found.how, query, hash: finalHash }
}

function addTo(map: Map<string, string>, path: string): void {
  const address = addressOf(path)
  map.set(path, path)
  if (!map.has(address)) map.set(address, path)
  // People link with other capitals than the file has, and hosts differ in whether that works.
  if (!map.has(address.toLowerCase())) map.set(address.toLowerCase(), path)
}

export function splitAddress(address: string): { path: string; query: string; hash: string } {
  const hashAt = address.indexOf('#')
  const hash = hashAt < 0 ? '' : address.slice(hashAt + 1)
  const beforeHash = hashAt < 0 ? address : address.slice(0, hashAt)
  const queryAt = beforeHash.indexOf('?')
  const query = queryAt < 0 ? '' : beforeHash.slice(queryAt)
  return { path: queryAt < 0 ? beforeHash : beforeHash.slice(0, queryAt), query, hash }
}

/** The absolute paths that a written path may mean, best first. */
function candidates(from: string, written: string): string[] {
  const path = decode(written)
  const clean = (value: string) => posix.normalize(value).replace(/^(?:\.\.\/)+|^\/+|\/+$|^\.$/g, '')
  if (path.startsWith('/')) {
    const absolute = clean(path)
    const [first = '', ...rest] = absolute.split('/')
    // A site written for a base path such as /docs writes it before every address.
    const withoutBase =
      rest.length > 0 && (first === 'docs' || first === 'documentation') ? [rest.join('/')] : []
    return [absolute, ...withoutBase]
  }
  const beside = clean(posix.join(posix.dirname(from), path))
  const below = clean(posix.join(addressOf(from), path))
  const atRoot = clean(path)
  return [...new Set([beside, atRoot, below])]
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The way from one file of the bundle to another, as it stands in an `href`. */
export function relativeHref(fromFile: string, toFile: string): string {
  const from = fromFile.split('/')
  const to = toFile.split('/')
  let common = 0
  while (common < from.length - 1 && common < to.length - 1 && from[common] === to[common]) common += 1
  const up = '../'.repeat(from.length - 1 - common)
  return up + to.slice(common).map(encodeSegment).join('/')
}

function encodeSegment(segment: string): string {
  if (/^[\w.-]*$/.test(segment)) return segment
  return encodeURIComponent(segment).replace(/%(?:40|3A|24|2C|2B|3D|3B|26)/g, decodeURIComponent)
}
