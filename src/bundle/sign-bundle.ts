import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import type { Manifest } from './bundle-api.ts'
import { BundleError } from './bundle-error.ts'
import { compareVersions } from './compare-versions.ts'
import { digestBytes, serializeManifest } from './manifest.ts'

/** A pair of Ed25519 keys as PEM: the private one signs bundles, the public one is given to whoever verifies. */
export function makeSigningKeys(): { privateKey: string; publicKey: string; keyId: string } {
  const pair = generateKeyPairSync('ed25519')
  return {
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    keyId: keyIdOf(pair.publicKey),
  }
}

/**
 * The text of `bundle.tar.gz.sig`. It stands beside the bundle and not in it, so that the same content stays the same
 * bytes, whoever signs it and whatever version they call it; it holds for the archive and for the unpacked folder alike.
 */
export function signBundle(input: {
  manifest: Manifest
  /** What a downgrade is measured by, such as `2026-11-01` or `1.4.0`. */
  version?: string | undefined
  privateKey: string
}): string {
  const key = readKey(input.privateKey, createPrivateKey, 'private')
  const statement = {
    format: 1 as const,
    manifest: manifestDigest(input.manifest),
    ...(input.version === undefined ? {} : { version: checkVersion(input.version) }),
  }
  return `${JSON.stringify(
    {
      ...statement,
      keyId: keyIdOf(createPublicKey(key)),
      signature: sign(null, signedBytes(statement), key).toString('base64'),
    },
    null,
    2,
  )}\n`
}

export type VerifiedSignature = { keyId: string; version: string | undefined }

/** Throws a BundleError unless the signature is of this bundle, by this key and of no version below the minimum. */
export function verifySignature(input: {
  manifest: Manifest
  /** The text of the .sig file. */
  signature: string
  publicKey: string
  minimumVersion?: string | undefined
}): VerifiedSignature {
  const key = readKey(input.publicKey, createPublicKey, 'public')
  const keyId = keyIdOf(key)
  const written = parseSignature(input.signature)
  const bytes = Buffer.from(written.signature, 'base64')
  if (written.keyId !== keyId || !verify(null, signedBytes(written), key, bytes)) {
    throw new BundleError(
      'signature_wrong',
      written.keyId === keyId
        ? 'The signature was changed after it was made.'
        : `The signature is by the key ${written.keyId}, and the key given is ${keyId}.`,
    )
  }
  if (written.manifest !== manifestDigest(input.manifest)) {
    throw new BundleError('signature_wrong', 'The signature is of another bundle.')
  }
  const { minimumVersion: minimum } = input
  if (minimum !== undefined) {
    if (written.version === undefined) {
      throw new BundleError(
        'version_missing',
        `The bundle was signed without a version; ${minimum} is asked.`,
      )
    }
    if (compareVersions(written.version, minimum) < 0) {
      throw new BundleError(
        'version_too_old',
        `The bundle is version ${written.version}, older than ${minimum}, which is the oldest to be accepted.`,
      )
    }
  }
  return { keyId, version: written.version }
}

type Statement = { manifest: string; version?: string | undefined }

/** One line each; neither can hold a line break. */
const signedBytes = ({ manifest, version }: Statement) =>
  Buffer.from(`quire bundle signature 1\n${manifest}\n${version ?? ''}\n`)

/** Over what the manifest says, not over how it is written. */
const manifestDigest = (manifest: Manifest) => digestBytes(serializeManifest(manifest))

const keyIdOf = (key: KeyObject) =>
  hash('sha256', key.export({ type: 'spki', format: 'der' }), 'hex').slice(0, 16)

function readKey(pem: string, create: (pem: string) => KeyObject, kind: 'private' | 'public'): KeyObject {
  let key: KeyObject | undefined
  try {
    key = create(pem)
  } catch {}
  if (key?.asymmetricKeyType === 'ed25519' && (kind === 'private' || !pem.includes('PRIVATE KEY'))) return key
  throw new BundleError(
    'key_invalid',
    `This is no ${kind} Ed25519 key in PEM form. quire keys signing makes a pair of them.`,
  )
}

type Signature = { format: 1; manifest: string; version?: string; keyId: string; signature: string }

function parseSignature(text: string): Signature {
  try {
    const found: Partial<Record<string, unknown>> = JSON.parse(text)
    const { format, manifest, version, keyId, signature, ...more } = found
    const matches = (value: unknown, pattern: RegExp) => typeof value === 'string' && pattern.test(value)
    if (
      format === 1 &&
      matches(manifest, /^[0-9a-f]{64}$/) &&
      (version === undefined || matches(version, versionPattern)) &&
      matches(keyId, /^[0-9a-f]{16}$/) &&
      matches(signature, /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/) &&
      Object.keys(more).length === 0
    )
      return found as Signature
  } catch {}
  throw new BundleError('signature_invalid', 'The signature file is not one that quire sign writes.')
}

function checkVersion(version: string): string {
  if (versionPattern.test(version)) return version
  throw new BundleError(
    'version_invalid',
    `"${version}" cannot be a version. Use letters, digits, dots, dashes, plus signs and underscores, such as 2026-11-01.`,
  )
}

const versionPattern = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$/
