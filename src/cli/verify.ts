import { readFile } from 'node:fs/promises'
import { type VerifiedSignature, verifySignature } from '../bundle/index.ts'
import { readArguments, requireWord, UsageError } from './command.ts'
import { openBundle, tellingFaults, type WholeBundle } from './open-bundle.ts'

const help = `quire verify: test a bundle, offline

  quire verify <bundle.tar.gz or folder> [--sha256 …] [--key public.pem] [--minimum-version 2026-11-01]

  --sha256            the archive must have this digest
  --key               the public key; the bundle must be signed by its private one
  --signature         the signature file; <bundle>.sig by default
  --minimum-version   refuse what was signed as an older version; needs --key
  --json              print the result as JSON

Reads every file and compares its digest with the manifest. Nothing is fetched and nothing is written.
Exit code 0 where the bundle is whole, 1 where it is refused, with a sentence that says why. Example:

  quire verify bundle.tar.gz --key docs-signing.pub.pem --minimum-version 2026-11-01
`

export const verifyCommand = { name: 'verify', summary: 'test a bundle, offline', help, run }

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    sha256: { type: 'string' },
    key: { type: 'string' },
    signature: { type: 'string' },
    'minimum-version': { type: 'string' },
    json: { type: 'boolean' },
  })
  const path = requireWord(positionals[0], 'which bundle: quire verify bundle.tar.gz')
  if (values.key === undefined && (values['minimum-version'] ?? values.signature) !== undefined) {
    throw new UsageError('A version is worth as much as its signature: give the public key with --key.')
  }
  const bundle = await openBundle(path)
  checkDigest(path, bundle, values.sha256)
  const signature =
    values.key === undefined
      ? undefined
      : await checkSignature(path, bundle, {
          key: values.key,
          signature: values.signature ?? `${path.replace(/\/+$/, '')}.sig`,
          minimumVersion: values['minimum-version'],
        })
  process.stdout.write(
    values.json ? `${JSON.stringify(asJson(bundle, signature), null, 2)}\n` : asText(path, bundle, signature),
  )
  return 0
}

function checkDigest(path: string, { archive }: WholeBundle, wanted: string | undefined): void {
  if (wanted === undefined) return
  if (archive === undefined)
    throw new UsageError('--sha256 is the digest of an archive, and this is a folder. Leave it out.')
  if (archive.sha256 === wanted.toLowerCase()) return
  throw new UsageError(
    `${path} is refused (file_changed): the archive has the sha256 ${archive.sha256} instead of ${wanted}.`,
  )
}

async function checkSignature(
  path: string,
  { manifest }: WholeBundle,
  given: { key: string; signature: string; minimumVersion: string | undefined },
): Promise<VerifiedSignature> {
  const publicKey = await readFile(given.key, 'utf8').catch(() => {
    throw new UsageError(`There is no key file ${given.key}.`)
  })
  const signature = await readFile(given.signature, 'utf8').catch(() => {
    throw new UsageError(
      `${path} is refused (signature_missing): there is no signature ${given.signature}. Name it with --signature.`,
    )
  })
  const { minimumVersion } = given
  return tellingFaults(path, async () => verifySignature({ manifest, signature, publicKey, minimumVersion }))
}

function asJson({ manifest, archive }: WholeBundle, signature: VerifiedSignature | undefined) {
  const { name, renderer, digest, pageCount, files } = manifest
  return {
    name,
    renderer,
    digest,
    pageCount,
    fileCount: files.length,
    ...(archive === undefined ? {} : archive),
    ...(signature === undefined ? {} : { signature }),
  }
}

function asText(path: string, { manifest, archive }: WholeBundle, signature?: VerifiedSignature): string {
  const bytes = manifest.files.reduce((sum, file) => sum + file.sizeBytes, 0)
  const size = `${(bytes / 1e6).toFixed(1)} MB`
  const lines = [
    `${path} is whole: ${manifest.name}, ${manifest.pageCount} pages, ${manifest.files.length} files, ${size}.`,
    `  digest   ${manifest.digest}`,
    ...(archive === undefined ? [] : [`  sha256   ${archive.sha256}`]),
    `  made by  ${manifest.renderer}`,
  ]
  if (signature !== undefined) {
    const version = signature.version === undefined ? '' : ` as version ${signature.version}`
    lines.push(`  signed   by the key ${signature.keyId}${version}`)
  }
  return `${lines.join('\n')}\n`
}
