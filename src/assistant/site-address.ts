import type { SiteIndex } from '../bundle/bundle-api.ts'

/** The absolute address of a page, and of a heading in it. */
export function pageUrl(siteUrl: string, path: string, anchor?: string): string {
  const base = siteUrl.replace(/\/+$/, '')
  const page = path === 'index' || path === '' ? '/' : `/${encodeURI(path)}`
  return `${base}${page}${anchor ? `#${encodeURIComponent(anchor)}` : ''}`
}

/** Where readers of the site find help, as an address; null where its owner names no place. */
export function supportAddress({ site, siteUrl }: { site: SiteIndex; siteUrl: string }): string | null {
  const given = site.assistant?.supportUrl
  if (given === undefined) return null
  return given.startsWith('/') ? `${siteUrl.replace(/\/+$/, '')}${given}` : given
}

/** The page that an address or path of the site names, or null where the site has none of that name. */
export function findPagePath(site: SiteIndex, siteUrl: string, address: string): string | null {
  const path = toPath(siteUrl, address)
  if (path === null) return null
  const known = new Set(site.pages.map((page) => page.path))
  for (const candidate of [path, `${path}/index`, path.replace(/\/?index$/, '') || 'index']) {
    if (known.has(candidate)) return candidate
  }
  if (path === '' || path === 'index') return site.home
  return null
}

function toPath(siteUrl: string, address: string): string | null {
  const base = URL.parse(`${siteUrl.replace(/\/+$/, '')}/`)
  const url = URL.parse(address, base?.href)
  if (!base || !url || url.origin !== base.origin) return null
  const decoded = decode(url.pathname)
  if (decoded === null) return null
  const prefix = decode(base.pathname) ?? '/'
  const inside = decoded.startsWith(prefix) ? decoded.slice(prefix.length) : decoded
  return inside.replace(/^\/+|\/+$/g, '').replace(/\.(html|mdx?)$/, '')
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}
