import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import {
  ArchiveWriter,
  archiveBundle,
  BundleError,
  type BundleErrorCode,
  memberKey,
  packFolder,
  packMember,
  readManifest,
  unpackArchive,
  unpackBundle,
  verifyArchive,
  verifyBundle,
  writeManifest,
} from './index.ts'
import { collect, temporaryFolder, testArchive, writeTestBundle } from './testing.ts'

const longName = `${'a-rather-long-folder-name/'.repeat(6)}page.html`
const files = {
  'index.html': '<h1>Home</h1>',
  'index.md': '# Home\n',
  'empty.txt': '',
  'guide/install.html': '<h1>Install</h1>'.repeat(500),
  'bilder/übersicht 概要.png': randomBytes(5000),
  [longName]: 'deep',
  'video.mp4': randomBytes(5 * 1024 * 1024 + 17),
  'large.txt': 'lorem ipsum '.repeat(500_000),
  '_quire/site.json': '{}',
}

async function bundleFolder(context: TestContext): Promise<string> {
  const folder = join(await temporaryFolder(context), 'bundle')
  await writeTestBundle(folder, files)
  return folder
}

const refusal = (code: BundleErrorCode, path?: string) => (error: unknown) => {
  assert.ok(error instanceof BundleError, String(error))
  assert.equal(error.code, code)
  if (path !== undefined) assert.equal(error.path, path)
  return true
}

test('a manifest lists every file with its size and digest, in one order', async (context) => {
  const folder = await bundleFolder(context)
  const manifest = await readManifest(folder)
  assert.deepEqual(
    manifest.files.map((file) => file.path),
    Object.keys(files).sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))),
  )
  const install = manifest.files.find((file) => file.path === 'guide/install.html')
  assert.equal(install?.sizeBytes, 8000)
  assert.equal(install?.sha256, createHash('sha256').update(files['guide/install.html']).digest('hex'))
  assert.equal(manifest.pageCount, 3)
})

test('a bundle’s digest follows from its content alone', async (context) => {
  const folder = await bundleFolder(context)
  const first = await readManifest(folder)
  await utimes(join(folder, 'index.html'), 1, 1)
  const input = { folder, name: 'Test site', renderer: 'quire test', pageCount: 3 }
  assert.equal((await writeManifest(input)).digest, first.digest)
  await writeFile(join(folder, 'index.html'), '<h1>Other</h1>')
  assert.notEqual((await writeManifest(input)).digest, first.digest)
})

test('verifying a folder names the first wrong, missing or extra file', async (context) => {
  const folder = await bundleFolder(context)
  let seen = 0
  assert.equal((await verifyBundle(folder, () => seen++)).files.length, seen)
  await writeFile(join(folder, 'index.md'), '# Hame\n')
  await assert.rejects(verifyBundle(folder), refusal('file_changed', 'index.md'))
  await writeFile(join(folder, 'index.md'), files['index.md'])
  await writeFile(join(folder, 'more.html'), '')
  await assert.rejects(verifyBundle(folder), refusal('file_extra', 'more.html'))
  await rm(join(folder, 'more.html'))
  await rename(join(folder, 'guide/install.html'), join(folder, '..', 'kept.html'))
  await assert.rejects(verifyBundle(folder), refusal('file_missing', 'guide/install.html'))
  await symlink('../../kept.html', join(folder, 'guide/install.html'))
  await assert.rejects(verifyBundle(folder), refusal('link', 'guide/install.html'))
  await rm(join(folder, '_quire/manifest.json'))
  await assert.rejects(verifyBundle(folder), refusal('manifest_missing'))
})

test('a manifest whose paths collide or whose digest is not its own is refused', async (context) => {
  const folder = await temporaryFolder(context)
  await writeTestBundle(folder, { 'index.html': 'x' })
  const text = await readFile(join(folder, '_quire/manifest.json'), 'utf8')
  for (const [from, to] of [
    ['"index.html"', '"../index.html"'],
    ['"sizeBytes":1', '"sizeBytes":2'],
    ['"format": 1', '"format": 2'],
    ['{', ''],
  ] as const) {
    await writeFile(join(folder, '_quire/manifest.json'), text.replace(from, to))
    await assert.rejects(verifyBundle(folder), BundleError)
  }
  const twice = await temporaryFolder(context)
  await assert.rejects(writeTestBundle(twice, { 'A.html': 'x', 'a.html': 'y' }), refusal('collision'))
})

test('an archive unpacks to the same files, and the same content gives the same bytes', async (context) => {
  const folder = await bundleFolder(context)
  const archive = await testArchive(folder)
  const twin = join(await temporaryFolder(context), 'twin')
  await writeTestBundle(twin, Object.fromEntries(Object.entries(files).reverse()))
  assert.ok(archive.equals(await testArchive(twin)), 'two archives of one content differ')

  const into = join(await temporaryFolder(context), 'unpacked')
  const told: string[] = []
  const unpacked = await unpackBundle({
    archive: Readable.from([archive]),
    into,
    onFile: (file) => told.push(file.path),
  })
  assert.equal(unpacked.sha256, createHash('sha256').update(archive).digest('hex'))
  assert.equal(unpacked.sizeBytes, archive.length)
  assert.equal(told.length, Object.keys(files).length)
  assert.deepEqual(await verifyBundle(into), unpacked.manifest)
  for (const [path, content] of Object.entries(files)) {
    assert.ok((await readFile(join(into, path))).equals(Buffer.from(content)), path)
  }
  assert.deepEqual(await verifyArchive(Readable.from(pieces(archive, 977))), unpacked)
})

test('the system’s tar unpacks the archive', async (context) => {
  const folder = await bundleFolder(context)
  const home = await temporaryFolder(context)
  await writeFile(join(home, 'bundle.tar.gz'), await testArchive(folder))
  await mkdir(join(home, 'out'))
  execFileSync('tar', ['-xzf', join(home, 'bundle.tar.gz'), '-C', join(home, 'out')])
  await verifyBundle(join(home, 'out'))
})

test('an archive that the system’s tar made of a bundle is judged by its manifest', async (context) => {
  const folder = await bundleFolder(context)
  const home = await temporaryFolder(context)
  for (const format of ['gnu', 'pax', 'ustar']) {
    if (format === 'ustar') await rm(join(folder, longName))
    if (format === 'ustar') await writeTestBundle(folder, {})
    execFileSync('tar', ['-czf', join(home, 'own.tar.gz'), `--format=${format}`, '-C', folder, '.'])
    const archive = await readFile(join(home, 'own.tar.gz'))
    await verifyArchive(Readable.from([archive]))
    await unpackBundle({ archive: Readable.from([archive]), into: join(home, format) })
    await verifyBundle(join(home, format))
  }
})

test('members that were kept give the same archive without reading the files again', async (context) => {
  const folder = await bundleFolder(context)
  const members = join(await temporaryFolder(context), 'members')
  const plain = await testArchive(folder)
  assert.ok(plain.equals(await collect(archiveBundle({ folder, members }))))
  await writeFile(join(folder, 'index.html'), 'changed behind our back')
  assert.ok(plain.equals(await collect(archiveBundle({ folder, members }))))
  await assert.rejects(testArchive(folder), refusal('file_changed', 'index.html'))

  await writeFile(join(folder, 'index.html'), files['index.html'])
  for (const name of await readdir(members)) {
    const pack = await readFile(join(members, name))
    await writeFile(join(members, name), pack.fill('damaged', 0, Math.floor(pack.length / 4)))
  }
  assert.ok(plain.equals(await collect(archiveBundle({ folder, members }))))
  for (const name of await readdir(members)) await writeFile(join(members, name), 'damaged')
  assert.ok(plain.equals(await collect(archiveBundle({ folder, members }))))
})

test('an archive made file by file is the one that a folder of the same files gives', async (context) => {
  const folder = await bundleFolder(context)
  const home = await temporaryFolder(context)
  const about = await readManifest(folder)
  const write = async () => {
    const bundle = new ArchiveWriter({ members: join(home, 'members'), scratch: join(home, 'scratch') })
    for (const [path, content] of Object.entries(files).reverse()) {
      if (path === 'video.mp4') await bundle.copy(path, join(folder, path))
      else if (path === 'large.txt') await bundle.compose(path, Readable.from([content]))
      else if (path !== 'index.md') await bundle.write(path, content)
    }
    const page = about.files.find((file) => file.path === 'index.md')!
    if (!bundle.keep(page)) {
      bundle.members.add(memberKey(page), packMember(page, Buffer.from(files['index.md'])))
      bundle.note(page)
    }
    assert.equal((await bundle.read('index.md')).toString(), files['index.md'])
    assert.equal((await bundle.read('guide/install.html')).toString(), files['guide/install.html'])
    await bundle.finish(about)
    const archive = await collect(bundle.archive())
    bundle.close()
    return archive
  }
  const plain = await testArchive(folder)
  assert.ok(plain.equals(await write()))
  assert.ok(plain.equals(await write()), 'from what was kept')
  for (const name of await readdir(join(home, 'members'))) {
    const pack = await readFile(join(home, 'members', name))
    await writeFile(join(home, 'members', name), pack.fill('damaged', 0, Math.floor(pack.length / 4)))
  }
  assert.ok(plain.equals(await write()), 'from what was damaged')
})

test('a large file is the same in the archive, whether its parts were kept or not', async (context) => {
  const members = join(await temporaryFolder(context), 'members')
  const lines = Array.from(
    { length: 60_000 },
    (_, line) => `Line ${line} of many, ${(line * 7919) % 104_729}.`,
  )
  const archiveOf = async (text: string, kept: { members?: string }) => {
    const folder = await temporaryFolder(context)
    await writeTestBundle(folder, { 'index.html': '<p>', 'all.txt': text })
    return collect(archiveBundle({ folder, ...kept }))
  }
  await archiveOf(lines.join('\n'), { members })
  const changed = lines.with(30_000, 'Another line.').join('\n')
  const fromKept = await archiveOf(changed, { members })
  assert.ok(fromKept.equals(await archiveOf(changed, {})))
  await verifyArchive(Readable.from([fromKept]))
  assert.ok(gunzipSync(fromKept).includes(Buffer.from(changed)))
})

test('archiving tells each file and stops when asked to', async (context) => {
  const folder = await bundleFolder(context)
  const controller = new AbortController()
  const stream = archiveBundle({
    folder,
    signal: controller.signal,
    onFile: (file) => {
      if (file.path === 'empty.txt') controller.abort(new Error('enough'))
    },
  })
  await assert.rejects(collect(stream), /enough/)
})

test('an altered bit anywhere in an archive is refused', async (context) => {
  const folder = await temporaryFolder(context)
  await writeTestBundle(folder, {
    'index.html': '<h1>Hello</h1>'.repeat(20),
    'a/b.html': 'text',
    'logo.png': randomBytes(900),
  })
  const archive = await testArchive(folder)
  for (let bit = 0; bit < archive.length * 8; bit += 5) {
    const altered = Buffer.from(archive)
    altered[bit >> 3] = (altered[bit >> 3] as number) ^ (1 << (bit & 7))
    await assert.rejects(
      verifyArchive(Readable.from([altered])),
      BundleError,
      `bit ${bit} of ${archive.length * 8}`,
    )
  }
})

test('an archive cut off anywhere, or with bytes after its end, is refused', async (context) => {
  const folder = await temporaryFolder(context)
  await writeTestBundle(folder, { 'index.html': '<h1>Hello</h1>'.repeat(20) })
  const archive = await testArchive(folder)
  for (let length = 0; length < archive.length; length += 7) {
    await assert.rejects(
      verifyArchive(Readable.from([archive.subarray(0, length)])),
      BundleError,
      `${length} bytes`,
    )
  }
  for (const tail of [Buffer.alloc(1), Buffer.alloc(600), Buffer.from('more'), archive]) {
    await assert.rejects(verifyArchive(Readable.from([archive, tail])), BundleError)
  }
})

test('an archive without a file, with another one, or with another’s content is refused', async (context) => {
  const home = await temporaryFolder(context)
  const folder = join(home, 'bundle')
  await writeTestBundle(folder, { 'index.html': 'one', 'b.html': 'two' })
  const repack = async (change: () => Promise<unknown>) => {
    await change()
    execFileSync('tar', ['-czf', join(home, 'own.tar.gz'), '-C', folder, '.'])
    return verifyArchive(Readable.from([await readFile(join(home, 'own.tar.gz'))]))
  }
  await repack(async () => {})
  await assert.rejects(
    repack(() => writeFile(join(folder, 'b.html'), 'owt')),
    refusal('file_changed', 'b.html'),
  )
  await assert.rejects(
    repack(() => rm(join(folder, 'b.html'))),
    refusal('file_missing', 'b.html'),
  )
  await writeFile(join(folder, 'b.html'), 'two')
  await assert.rejects(
    repack(() => writeFile(join(folder, 'c.html'), '')),
    refusal('file_extra', 'c.html'),
  )
  await rm(join(folder, 'c.html'))
  await assert.rejects(
    repack(() => rm(join(folder, '_quire'), { recursive: true })),
    refusal('manifest_missing'),
  )
})

test('a docs folder travels without what does not belong, and links inside it travel as files', async (context) => {
  const home = await temporaryFolder(context)
  const folder = join(home, 'docs')
  await writeFile(join(home, 'secret.txt'), 'secret')
  for (const inside of ['guide', 'node_modules/x', '.git', '.quire/objects', 'drafts']) {
    await mkdir(join(folder, inside), { recursive: true })
    await writeFile(join(folder, inside, 'page.mdx'), inside)
  }
  await writeFile(join(folder, 'docs.json'), '{}')
  await writeFile(join(folder, '.quire/assistant.md'), 'Answer in rhymes.')
  await writeFile(join(folder, '.quire/quire.sqlite'), 'data of a server')
  await symlink('../secret.txt', join(folder, 'leak.txt'))
  await symlink('..', join(folder, 'guide/loop'))
  await symlink('docs.json', join(folder, 'again.json'))
  await symlink('nowhere', join(folder, 'dangling'))
  const packed = await collect(packFolder({ folder, ignore: (path) => path.startsWith('drafts') }))
  const into = join(home, 'out')
  const result = await unpackArchive({ archive: Readable.from([packed]), into })
  const found = (await readdir(into, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
  assert.deepEqual(found.sort(), ['again.json', 'assistant.md', 'docs.json', 'page.mdx'])
  assert.equal(result.fileCount, 4)
  assert.equal(gunzipSync(packed).includes('secret'), false)
})

test('unpacking refuses a folder that is not empty, and leaves it as it is', async (context) => {
  const home = await temporaryFolder(context)
  await writeFile(join(home, 'mine.txt'), 'mine')
  const archive = packFolder({ folder: home })
  await assert.rejects(unpackArchive({ archive, into: home }), refusal('target_not_empty'))
  assert.equal(await readFile(join(home, 'mine.txt'), 'utf8'), 'mine')
})

function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}
