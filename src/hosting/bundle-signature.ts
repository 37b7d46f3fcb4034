import {
  BundleError,
  compareVersions,
  type Manifest,
  type VerifiedSignature,
  verifySignature,
} from '../bundle/index.ts'
import { FetchError, fetchBundle, shown } from './fetch-bundle.ts'
import type { HostSettings } from './host-settings.ts'

export type SignatureSettings = NonNullable<HostSettings['staticExport']['signature']>

/** Fetches the text of a bundle's signature: from where the settings say, else from beside the bundle. */
export async function fetchSignature(input: {
  settings: SignatureSettings
  bundleAddress: string
  signal: AbortSignal
}): Promise<string> {
  const address = input.settings.url ?? besideBundle(input.bundleAddress)
  try {
    // Nobody can forge it on the way, so that it may come by any.
    const fetched = await fetchBundle({ address, allowHttp: true, signal: input.signal })
    if (fetched.type === 'unchanged') throw new Error('A signature is fetched anew each time.')
    let text = ''
    for await (const piece of fetched.stream) {
      text += piece
      if (text.length > longestSignature) {
        throw new BundleError('signature_invalid', `${shown(address)} is too large to be a signature.`)
      }
    }
    return text
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    throw new FetchError(
      error.code,
      `The signature of the bundle is missing, and staticExport.signature asks for one. ${error.message}`,
    )
  }
}

/** Throws unless the bundle is signed by the key of the settings, as no version below their minimum. */
export function checkSignature(
  manifest: Manifest,
  signature: string | undefined,
  { key, minimumVersion }: SignatureSettings,
): VerifiedSignature {
  if (signature === undefined) {
    throw new BundleError(
      'signature_invalid',
      'This version was taken in without a signature, and staticExport.signature asks for one.',
    )
  }
  return verifySignature({ manifest, signature, publicKey: key, minimumVersion })
}

/** What is signed as older than what is being served may be an old bundle that someone sends again; an operator rolls back by command. */
export function refuseDowngrade(offered: string | undefined, served: string | undefined): void {
  if (served === undefined || (offered !== undefined && compareVersions(offered, served) >= 0)) return
  throw new BundleError(
    offered === undefined ? 'version_missing' : 'version_too_old',
    `The bundle is ${offered === undefined ? 'signed without a version' : `version ${offered}`}, and ${served} is being served. To go back, use quire host rollback.`,
  )
}

function besideBundle(address: string): string {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(address)) return `${address}.sig`
  const url = new URL(address)
  url.pathname += '.sig'
  url.search = '' // What signs the link of the bundle signs no other.
  return url.href
}

const longestSignature = 16 * 1024
