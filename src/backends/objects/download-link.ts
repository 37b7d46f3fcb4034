import { createHmac, timingSafeEqual } from 'node:crypto'
import { checkObjectKey, linkExpiresAtMs } from './object-store.ts'
import type { SigningKey, SigningKeys } from './signing-keys.ts'

/** A link to `/objects/{key}` whose every byte behind the host is either signed or the signature. */
export function signDownload(link: {
  key: string
  fileName: string
  expiresInSeconds: number
  nowMs: number
  publicUrl: string
  signingKey: SigningKey
}): string {
  const expires = linkExpiresAtMs(link) / 1000
  const target = `${objectPath}${link.key}?expires=${expires}&name=${encodeURIComponent(link.fileName)}&key=${link.signingKey.id}`
  return `${link.publicUrl.replace(/\/+$/, '')}${target}&signature=${signatureOf(target, link.signingKey)}`
}

/**
 * Reads a link from the bytes of the request line, undecoded: another spelling of the same address is another address.
 * A link is for GET alone, as it is on S3.
 */
export async function verifyDownload(request: {
  method: string
  target: string
  nowMs: number
  signingKeys: SigningKeys
}): Promise<VerifiedDownload> {
  const parts = linkPattern.exec(request.target)?.groups
  if (request.method !== 'GET' || parts === undefined) return { type: 'link-invalid' }
  const { signed = '', key = '', expires = '', name = '', keyId = '', signature = '' } = parts
  const signingKey = await request.signingKeys.find(keyId)
  if (signingKey === null || !sameText(signature, signatureOf(signed, signingKey)))
    return { type: 'link-invalid' }
  if (request.nowMs >= Number(expires) * 1000)
    return { type: 'link-expired', expiredAtMs: Number(expires) * 1000 }
  return { type: 'download', key: checkObjectKey(key), fileName: decodeURIComponent(name) }
}

export type VerifiedDownload =
  | { type: 'download'; key: string; fileName: string }
  | { type: 'link-expired'; expiredAtMs: number }
  | { type: 'link-invalid' }

/** What a log or an error page may show of an address: the signatures of our links and of S3's are cut out. */
export function hideSignature(url: string): string {
  return url.replace(
    /([?&](?:signature|X-Amz-Signature|X-Amz-Credential|X-Amz-Security-Token)=)[^&#\s"]*/gi,
    '$1…',
  )
}

/**
 * For fastify's `rewriteUrl`: the router and the log see the path of a link alone, so that no signature reaches a log and
 * a link that was changed into something undecodable still gets a link's answer.
 */
export function rewriteObjectUrl(request: { url?: string | undefined }): string {
  const url = request.url ?? '/'
  if (!url.startsWith(objectPath)) return url
  return /^[\w./+=@-]+/.exec(url)![0]
}

export const objectPath = '/objects/'

const linkPattern =
  /^(?<signed>\/objects\/(?<key>[^?]+)\?expires=(?<expires>\d{1,12})&name=(?<name>[^&]*)&key=(?<keyId>[a-z0-9]+))&signature=(?<signature>[\w-]+)$/

function signatureOf(target: string, signingKey: SigningKey): string {
  return createHmac('sha256', signingKey.secret).update(`GET\n${target}`).digest('base64url')
}

/** Compares the encoded text, so that no second spelling of a signature exists, in time that tells nothing. */
function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
