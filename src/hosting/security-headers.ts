import type { SiteSettings } from '../bundle/bundle-api.ts'
import type { MediaType } from './media-types.ts'

export type SecurityOptions = {
  settings: SiteSettings
  /** True where sites of several tenants share one origin: then a page may send no form and be framed by nobody. */
  sharedOrigin?: boolean
  /** True when the reader came by https. */
  secure?: boolean
}

/** Names and values in turn, as node's writeHead takes them. */
export function securityHeaders(document: MediaType['document'], options: SecurityOptions): string[] {
  const headers = [
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'strict-origin-when-cross-origin',
    'Permissions-Policy',
    'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()',
    'Cross-Origin-Opener-Policy',
    'same-origin',
    'X-Frame-Options',
    options.sharedOrigin ? 'DENY' : 'SAMEORIGIN',
  ]
  const policy = contentSecurityPolicy(document, options)
  if (policy !== undefined) headers.push('Content-Security-Policy', policy)
  if (options.secure) headers.push('Strict-Transport-Security', 'max-age=31536000; includeSubDomains')
  return headers
}

function contentSecurityPolicy(
  document: MediaType['document'],
  options: SecurityOptions,
): string | undefined {
  switch (document) {
    case 'none':
      return undefined
    case 'active':
      return activePolicy // An SVG or XML file opened by itself runs nothing and belongs to no origin.
    case 'page':
      return pagePolicy(options)
  }
}

const activePolicy =
  "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"

/** Scripts come from this origin alone and never from the page itself; styles may stand in the page, as authors write them. */
function pagePolicy({ settings, sharedOrigin }: SecurityOptions): string {
  const outside = settings.deployment === 'air-gapped' ? '' : ' https:'
  const servers = [settings.search, settings.assistant, settings.analytics].flatMap((feature) =>
    feature.type === 'server' ? originOf(feature.endpoint) : [],
  )
  const connect = settings.playground.type === 'on' && outside !== '' ? [...servers, 'https:'] : servers
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob:${outside}`,
    `media-src 'self' data: blob:${outside}`,
    "font-src 'self' data:",
    ["connect-src 'self'", ...new Set(connect)].join(' '),
    outside === '' ? "frame-src 'self'" : `frame-src 'self'${outside}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'self'",
    "object-src 'none'",
    `form-action ${sharedOrigin ? "'none'" : `'self'${outside}`}`,
    `frame-ancestors ${sharedOrigin ? "'none'" : "'self'"}`,
  ].join('; ')
}

/** Endpoints on this origin are `'self'` already. */
function originOf(endpoint: string): string[] {
  if (!URL.canParse(endpoint)) return []
  const { protocol, origin } = new URL(endpoint)
  return protocol === 'https:' || protocol === 'http:' ? [origin] : []
}
