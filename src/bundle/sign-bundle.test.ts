import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Manifest, manifestFile } from './bundle-api.ts'
import { BundleError } from './bundle-error.ts'
import { compareVersions } from './compare-versions.ts'
import { makeSigningKeys, signBundle, verifySignature } from './sign-bundle.ts'
import { temporaryFolder, writeTestBundle } from './testing.ts'

const bundle = async (context: TestContext, text: string): Promise<Manifest> =>
  writeTestBundle(await temporaryFolder(context), { 'index.html': text })

function refuses(work: () => unknown, code: string): void {
  assert.throws(work, (error) => {
    assert.ok(error instanceof BundleError, String(error))
    assert.equal(error.code, code, error.message)
    return true
  })
}

test('a signature holds for its bundle, its key and its version', async (context) => {
  const manifest = await bundle(context, 'one')
  const { privateKey, publicKey, keyId } = makeSigningKeys()
  const signature = signBundle({ manifest, privateKey, version: '1.9.0' })
  assert.deepEqual(verifySignature({ manifest, signature, publicKey }), { keyId, version: '1.9.0' })
  assert.equal(signature, signBundle({ manifest, privateKey, version: '1.9.0' }), 'the same every time')
  verifySignature({ manifest, signature, publicKey, minimumVersion: '1.9' })
  refuses(
    () => verifySignature({ manifest, signature, publicKey, minimumVersion: '1.10.0' }),
    'version_too_old',
  )
})

test('anything else than the signed bundle is refused', async (context) => {
  const manifest = await bundle(context, 'one')
  const { privateKey, publicKey } = makeSigningKeys()
  const signature = signBundle({ manifest, privateKey, version: '2026-11-01' })
  const check = (more: Partial<Parameters<typeof verifySignature>[0]>, code: string) =>
    refuses(() => verifySignature({ manifest, signature, publicKey, ...more }), code)
  check({ manifest: await bundle(context, 'two') }, 'signature_wrong')
  check({ manifest: { ...manifest, name: 'Another site' } }, 'signature_wrong')
  check({ publicKey: makeSigningKeys().publicKey }, 'signature_wrong')
  check({ signature: signature.replace('2026-11-01', '2027-11-01') }, 'signature_wrong')
  const written = JSON.parse(signature)
  for (let place = 0; place < 64; place++) {
    const bytes = Buffer.from(written.signature, 'base64')
    bytes[place]! ^= 1
    check(
      { signature: JSON.stringify({ ...written, signature: bytes.toString('base64') }) },
      'signature_wrong',
    )
  }
  for (const text of ['', '{}', 'null', JSON.stringify({ ...written, more: 1 }), signature.slice(0, -9)]) {
    check({ signature: text }, 'signature_invalid')
  }
  for (const key of ['', manifestFile, privateKey]) check({ publicKey: key }, 'key_invalid')
  check({ signature: signBundle({ manifest, privateKey }), minimumVersion: '1' }, 'version_missing')
  refuses(() => signBundle({ manifest, privateKey: publicKey }), 'key_invalid')
  refuses(() => signBundle({ manifest, privateKey, version: 'two\nlines' }), 'version_invalid')
})

test('versions are compared as people count', () => {
  const rising = [
    ['1.9', '1.10', '1.10.1', '2.0-alpha', '2.0-beta.2', '2.0-beta.10', '2.0', '2.0.0.1', 'v3', '10'],
    ['2026-09-30', '2026-10-01', '2026-10-01.2', '2026-11-01'],
    ['20260101', '20261101'],
  ]
  for (const versions of rising) {
    for (const [index, version] of versions.entries()) {
      assert.equal(compareVersions(version, version), 0)
      for (const later of versions.slice(index + 1)) {
        assert.ok(compareVersions(version, later) < 0, `${version} before ${later}`)
        assert.ok(compareVersions(later, version) > 0, `${later} after ${version}`)
      }
    }
  }
  assert.equal(compareVersions('v1.2', '1.2'), 0)
})
