import type { Readable } from 'node:stream'
import { verifyDownload } from './download-link.ts'
import type { ByteRange, ObjectStore } from './object-store.ts'

/** The answer to a request for a signed link. The link is judged once, here: a running download outlives its expiry. */
export async function openSignedDownload(request: SignedDownloadRequest): Promise<SignedDownload> {
  const { store, method, target, nowMs } = request
  if (store.linkKeys === null) return linkInvalid
  const link = await verifyDownload({ method, target, nowMs, signingKeys: store.linkKeys })
  if (link.type === 'link-invalid') return linkInvalid
  if (link.type === 'link-expired') return linkExpired(link.expiredAtMs, nowMs)
  if (await request.isRevoked(link.key)) return linkRevoked

  const info = await store.head(link.key)
  if (info === null) return linkRevoked
  const etag = `"${info.sha256}"`
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    etag,
    'cache-control': 'private, no-store',
    'content-type': info.contentType,
    'content-disposition': contentDisposition(link.fileName),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  if (request.headers['if-match'] !== undefined && !lists(request.headers['if-match'], etag)) {
    return { type: 'answer', status: 412, headers: { ...headers, 'content-length': '0' }, stream: null }
  }
  if (request.headers['if-none-match'] !== undefined && lists(request.headers['if-none-match'], etag)) {
    return { type: 'answer', status: 304, headers, stream: null }
  }
  const range = chooseRange(request.headers, etag, info.sizeBytes)
  if (range === 'unsatisfiable') {
    const none = { ...headers, 'content-range': `bytes */${info.sizeBytes}`, 'content-length': '0' }
    return { type: 'answer', status: 416, headers: none, stream: null }
  }
  const object = await store.get(link.key, range === 'whole' ? {} : { range })
  if (object === null) return linkRevoked
  if (object.sha256 !== info.sha256) {
    object.stream.destroy()
    return openSignedDownload(request) // Another object took the key between the two looks.
  }
  if (range === 'whole') {
    const whole = { ...headers, 'content-length': String(info.sizeBytes) }
    return { type: 'answer', status: 200, headers: whole, stream: object.stream }
  }
  const part = {
    ...headers,
    'content-length': String(range.end - range.start + 1),
    'content-range': `bytes ${range.start}-${range.end}/${info.sizeBytes}`,
  }
  return { type: 'answer', status: 206, headers: part, stream: object.stream }
}

export interface SignedDownloadRequest {
  store: ObjectStore
  method: string
  /** Path and query exactly as they arrived. */
  target: string
  headers: DownloadHeaders
  nowMs: number
  /** Asked for every request, so that a revoked object's links die at once. */
  isRevoked(key: string): Promise<boolean>
}

export interface DownloadHeaders {
  range?: string | undefined
  'if-range'?: string | string[] | undefined
  'if-match'?: string | undefined
  'if-none-match'?: string | undefined
}

export type SignedDownload =
  | Refusal
  | { type: 'answer'; status: number; headers: Record<string, string>; stream: Readable | null }

export interface Refusal {
  type: 'refused'
  status: 403
  code: 'link_invalid' | 'link_expired' | 'link_revoked'
  message: string
  serverTime?: string
}

export const linkInvalid: Refusal = {
  type: 'refused',
  status: 403,
  code: 'link_invalid',
  message: 'This link is not one this server signed, or it was changed; ask for a fresh link.',
}

const linkRevoked: Refusal = {
  type: 'refused',
  status: 403,
  code: 'link_revoked',
  message: 'What this link led to was revoked or deleted; ask for a fresh link.',
}

function linkExpired(expiredAtMs: number, nowMs: number): Refusal {
  const serverTime = new Date(nowMs).toISOString()
  const message = `This link expired at ${new Date(expiredAtMs).toISOString()} and the server's time is ${serverTime}; ask for a fresh link.`
  return { type: 'refused', status: 403, code: 'link_expired', message, serverTime }
}

/** One range is honoured; several, or a header that is none, get the whole object, as HTTP allows. */
function chooseRange(
  headers: DownloadHeaders,
  etag: string,
  sizeBytes: number,
): Required<ByteRange> | 'whole' | 'unsatisfiable' {
  const ifRange = headers['if-range']
  if (headers.range === undefined || (ifRange !== undefined && ifRange !== etag)) return 'whole'
  const found = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(headers.range)
  if (found === null) return 'whole'
  const [, first = '', last = ''] = found
  if (first === '' && last === '') return 'whole'
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 }
  }
  if (last !== '' && Number(last) < Number(first)) return 'whole'
  if (Number(first) >= sizeBytes) return 'unsatisfiable'
  return { start: Number(first), end: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) }
}

function lists(header: string, etag: string): boolean {
  return header.trim() === '*' || header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag)
}

function contentDisposition(fileName: string): string {
  const plain = fileName.replace(/[^\w .+=@()-]/g, '_')
  const extended = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return plain === fileName
    ? `attachment; filename="${plain}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${extended}`
}
