import { extname } from 'node:path'

export type MediaType = {
  contentType: string
  compressible: boolean
  /** A browser may show it as a document of this origin, so that it needs a policy of its own. */
  document: 'page' | 'active' | 'none'
}

export function mediaTypeOf(path: string): MediaType {
  return types.get(extname(path).toLowerCase()) ?? binary
}

const binary: MediaType = { contentType: 'application/octet-stream', compressible: false, document: 'none' }

/** A project's own script, shown as text: with nosniff no browser runs it. */
export const inertScript: MediaType = {
  contentType: 'text/plain; charset=utf-8',
  compressible: true,
  document: 'active',
}

export function isScript(path: string): boolean {
  return mediaTypeOf(path).contentType.startsWith('text/javascript')
}

const types = new Map<string, MediaType>()
const add = (contentType: string, extensions: string, options: Partial<MediaType> = {}) => {
  for (const extension of extensions.split(' ')) {
    types.set(extension, { contentType, compressible: false, document: 'none', ...options })
  }
}
add('text/html; charset=utf-8', '.html .htm', { compressible: true, document: 'page' })
add('text/markdown; charset=utf-8', '.md .mdx .markdown', { compressible: true, document: 'active' })
add('text/plain; charset=utf-8', '.txt .log .ini .toml .env .example', {
  compressible: true,
  document: 'active',
})
add('text/css; charset=utf-8', '.css', { compressible: true, document: 'active' })
add('text/javascript; charset=utf-8', '.js .mjs .cjs', { compressible: true, document: 'active' })
add('application/json', '.json .map', { compressible: true, document: 'active' })
add('application/manifest+json', '.webmanifest', { compressible: true, document: 'active' })
add('application/yaml', '.yaml .yml', { compressible: true, document: 'active' })
add('text/csv; charset=utf-8', '.csv', { compressible: true, document: 'active' })
add('application/xml', '.xml .xsd .xsl', { compressible: true, document: 'active' })
add('application/atom+xml', '.atom', { compressible: true, document: 'active' })
add('application/rss+xml', '.rss', { compressible: true, document: 'active' })
add('image/svg+xml', '.svg', { compressible: true, document: 'active' })
add('image/png', '.png')
add('image/apng', '.apng')
add('image/jpeg', '.jpg .jpeg')
add('image/gif', '.gif')
add('image/webp', '.webp')
add('image/avif', '.avif')
add('image/x-icon', '.ico', { compressible: true })
add('image/bmp', '.bmp', { compressible: true })
add('video/mp4', '.mp4 .m4v')
add('video/webm', '.webm')
add('video/quicktime', '.mov')
add('video/ogg', '.ogv')
add('audio/mpeg', '.mp3')
add('audio/wav', '.wav')
add('audio/ogg', '.ogg')
add('audio/mp4', '.m4a')
add('text/vtt; charset=utf-8', '.vtt', { compressible: true })
add('font/woff', '.woff')
add('font/woff2', '.woff2')
add('font/ttf', '.ttf', { compressible: true })
add('font/otf', '.otf', { compressible: true })
add('application/pdf', '.pdf')
add('application/zip', '.zip')
add('application/gzip', '.gz .tgz')
add('application/wasm', '.wasm', { compressible: true })
