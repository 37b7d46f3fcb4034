import { readFile, rename, writeFile } from 'node:fs/promises'
import { type Manifest, signBundle } from '../bundle/index.ts'
import { readArguments, requireWord, UsageError } from './command.ts'
import { openBundle, tellingFaults } from './open-bundle.ts'

const help = `quire sign: sign a bundle

  quire sign <bundle.tar.gz or folder> --key private.pem [--release 2026-11-01]

  --key       the private key; quire keys signing makes a pair
  --release   the version that quire verify --minimum-version compares, such as 2026-11-01 or 1.4.0

Tests the bundle and writes <bundle>.sig beside it; the bundle itself stays as it is. Example:

  quire sign bundle.tar.gz --key docs-signing.pem --release 2026-11-01
`

export const signCommand = { name: 'sign', summary: 'sign a bundle', help, run }

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    key: { type: 'string' },
    release: { type: 'string' },
  })
  const path = requireWord(positionals[0], 'which bundle: quire sign bundle.tar.gz --key private.pem')
  const key = requireWord(values.key, 'which private key with --key')
  const { manifest } = await openBundle(path)
  await writeSignature({ path, manifest, key, version: values.release })
  return 0
}

/** Writes `<bundle>.sig` in one step. */
export async function writeSignature(input: {
  path: string
  manifest: Manifest
  /** The file of the private key. */
  key: string
  version: string | undefined
}): Promise<void> {
  const privateKey = await readFile(input.key, 'utf8').catch(() => {
    throw new UsageError(`There is no key file ${input.key}. quire keys signing makes a pair.`)
  })
  const { manifest, version } = input
  const text = await tellingFaults(input.path, async () => signBundle({ manifest, version, privateKey }))
  const file = `${input.path.replace(/\/+$/, '')}.sig`
  const part = `${file}.${process.pid}.part`
  await writeFile(part, text)
  await rename(part, file)
  process.stdout.write(`Signed ${file}${version === undefined ? '' : ` as version ${version}`}\n`)
}
