import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { cp, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder, testArchive, writeTestBundle } from '../bundle/testing.ts'

const main = join(import.meta.dirname, 'main.ts')
const run = promisify(execFile)

async function quire(folder: string, ...words: string[]): Promise<{ code: number; out: string }> {
  try {
    const { stdout } = await run(process.execPath, [main, ...words], { cwd: folder })
    return { code: 0, out: stdout }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, out: stdout + stderr }
  }
}

/** A folder with a bundle unpacked (`site`) and archived (`bundle.tar.gz`), and a pair of keys. */
async function prepare(context: TestContext): Promise<string> {
  const folder = await temporaryFolder(context)
  const files = { 'index.html': '<p>Hello</p>', 'index.md': 'Hello', 'logo.svg': '<svg/>' }
  await writeTestBundle(join(folder, 'site'), files, 'Test docs')
  await writeFile(join(folder, 'bundle.tar.gz'), await testArchive(join(folder, 'site')))
  assert.equal((await quire(folder, 'keys', 'signing', '--name', 'key')).code, 0)
  return folder
}

test('verify accepts a whole bundle, as archive and as folder, and names a changed file', async (context) => {
  const folder = await prepare(context)
  const whole = await quire(folder, 'verify', 'bundle.tar.gz', '--json')
  assert.equal(whole.code, 0, whole.out)
  const { sha256, pageCount, fileCount } = JSON.parse(whole.out)
  assert.deepEqual([pageCount, fileCount], [1, 3])
  const pinned = await quire(folder, 'verify', 'bundle.tar.gz', '--sha256', sha256)
  assert.match(pinned.out, /is whole: Test docs, 1 pages, 3 files/)
  assert.match((await quire(folder, 'verify', 'site')).out, /is whole/)

  const wrongSum = await quire(folder, 'verify', 'bundle.tar.gz', '--sha256', sha256.replace(/^./, '_'))
  assert.equal(wrongSum.code, 1)
  assert.match(wrongSum.out, /instead of/)
  await cp(join(folder, 'site'), join(folder, 'copy'), { recursive: true })
  await writeFile(join(folder, 'copy/index.md'), 'Hallo')
  const changed = await quire(folder, 'verify', 'copy')
  assert.equal(changed.code, 1)
  assert.match(changed.out, /copy is refused \(file_changed\): "index.md"/)
  const bytes = await readFile(join(folder, 'bundle.tar.gz'))
  await writeFile(join(folder, 'short.tar.gz'), bytes.subarray(0, -7))
  assert.equal((await quire(folder, 'verify', 'short.tar.gz')).code, 1)
  assert.match((await quire(folder, 'verify', 'none.tar.gz')).out, /no file or folder none/)
})

test('a signed bundle is held to its key and to a minimum version', async (context) => {
  const folder = await prepare(context)
  assert.equal((await stat(join(folder, 'key.pem'))).mode & 0o777, 0o600)
  assert.match((await quire(folder, 'keys', 'signing', '--name', 'key')).out, /there already/)
  const verify = (...words: string[]) => quire(folder, 'verify', 'bundle.tar.gz', '--key', ...words)

  const unsigned = await verify('key.pub.pem')
  assert.equal(unsigned.code, 1)
  assert.match(unsigned.out, /signature_missing/)
  await quire(folder, 'sign', 'bundle.tar.gz', '--key', 'key.pem', '--release', '2026-11-01')
  assert.match((await verify('key.pub.pem')).out, /signed {3}by the key [0-9a-f]{16} as version 2026-11-01/)
  assert.equal((await verify('key.pub.pem', '--minimum-version', '2026-11-01')).code, 0)
  const old = await verify('key.pub.pem', '--minimum-version', '2026-11-02')
  assert.equal(old.code, 1)
  assert.match(old.out, /version_too_old/)
  await quire(folder, 'keys', 'signing', '--name', 'other')
  assert.match((await verify('other.pub.pem')).out, /signature_wrong/)
  assert.match((await verify('none.pem')).out, /no key file/)
  const folderToo = ['verify', 'site', '--key', 'key.pub.pem', '--signature', 'bundle.tar.gz.sig']
  assert.equal((await quire(folder, ...folderToo)).code, 0)
  const keyless = await quire(folder, 'verify', 'bundle.tar.gz', '--minimum-version', '1')
  assert.equal(keyless.code, 1)
  assert.match(keyless.out, /--key/)
})

const hasStrace = spawnSync('strace', ['-V']).status === 0

test('verify opens no connection', {
  skip: hasStrace ? false : 'strace is not installed',
}, async (context) => {
  const folder = await prepare(context)
  await quire(folder, 'sign', 'bundle.tar.gz', '--key', 'key.pem')
  const calls = join(folder, 'calls')
  const words = [main, 'verify', 'bundle.tar.gz', '--key', 'key.pub.pem']
  const traced = [
    '-f',
    '-qq',
    '-e',
    'trace=socket,connect,sendto,bind',
    '-o',
    calls,
    process.execPath,
    ...words,
  ]
  await run('strace', traced, { cwd: folder })
  const seen = (await readFile(calls, 'utf8')).split('\n').filter((line) => /AF_INET|connect\(/.test(line))
  assert.deepEqual(seen, [])
})

test('diff tells people and programs what changed', async (context) => {
  const folder = await prepare(context)
  await writeTestBundle(join(folder, 'next'), {
    'index.html': '<p>Hello again</p>',
    'index.md': 'Hello again',
    'more.html': 'More',
    'more.md': 'More',
  })
  const people = await quire(folder, 'diff', 'bundle.tar.gz', 'next')
  assert.equal(people.code, 0, people.out)
  assert.match(people.out, /Pages added \(1\)\n {2}more\n/)
  assert.match(people.out, /Pages changed \(1\)\n {2}index\n/)
  assert.match(people.out, /Assets removed \(1\)\n {2}logo\.svg\n/)
  const difference = JSON.parse((await quire(folder, 'diff', 'site', 'next', '--json')).out)
  assert.deepEqual(difference.pages.added, ['more'])
  assert.equal(difference.new.pageCount, 2)
  assert.match((await quire(folder, 'diff', 'bundle.tar.gz', 'site')).out, /^The same/)
})
