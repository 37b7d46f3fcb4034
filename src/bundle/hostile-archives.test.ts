import assert from 'node:assert/strict'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { createGzip } from 'node:zlib'
import { entry, hostileArchives, pack } from './hostile-archives.ts'
import { BundleError, unpackArchive, unpackBundle, verifyArchive } from './index.ts'
import { temporaryFolder } from './testing.ts'

test('hundreds of hostile archives are refused with a code and write nothing anywhere', async (context) => {
  const home = await temporaryFolder(context)
  const cage = join(home, 'a/b/c/d')
  await mkdir(cage, { recursive: true })
  await writeFile(join(home, 'outside'), 'untouched')
  await writeFile(join(cage, 'live.html'), 'untouched')
  const before = await snapshot(home)
  const kinds = new Set<string>()
  const tmpBefore = (await readdir('/tmp').catch((): string[] => [])).includes('evil')
  for (const { kind, bytes } of hostileArchives()) {
    assert.ok(!kinds.has(kind), `two archives are called ${kind}`)
    kinds.add(kind)
    for (const unpack of [unpackArchive, unpackBundle]) {
      const refused = unpack({ archive: Readable.from([bytes]), into: join(cage, 'target') })
      await assert.rejects(
        refused,
        (error) => {
          assert.ok(error instanceof BundleError, `${kind}: ${error}`)
          assert.match(error.code, /^[a-z_]+$/)
          return true
        },
        kind,
      )
    }
    await assert.rejects(verifyArchive(Readable.from([bytes])), BundleError, kind)
  }
  assert.deepEqual(await snapshot(home), before)
  assert.equal((await readdir('/tmp').catch((): string[] => [])).includes('evil'), tmpBefore)
  assert.ok(kinds.size >= 600, `only ${kinds.size} archives`)
  context.diagnostic(`${kinds.size} hostile archives`)
})

test('archives that only look odd are unpacked', async (context) => {
  const home = await temporaryFolder(context)
  const odd: Record<string, Buffer[]> = {
    'names of dots': [
      entry({ name: '..a', data: 'x' }),
      entry({ name: 'b..c', data: 'x' }),
      entry({ name: '.hidden', data: 'x' }),
    ],
    'a folder twice': [
      entry({ name: 'a/', type: '5' }),
      entry({ name: 'a/', type: '5' }),
      entry({ name: 'a/b', data: 'x' }),
    ],
    'the root as an entry': [entry({ name: './', type: '5' }), entry({ name: './a', data: 'x' })],
    'a folder that shares its group': [
      entry({ name: 'a/', type: '5', mode: 0o2755 }),
      entry({ name: 'a/b', data: 'x' }),
    ],
    'an old header': [entry({ name: 'a', magic: 'v7', type: '\0', data: 'x' })],
    'other scripts': [entry({ name: '概要/übersicht.md', data: 'x' })],
  }
  for (const [kind, entries] of Object.entries(odd)) {
    const into = join(home, kind)
    const result = await unpackArchive({ archive: Readable.from([pack(entries)]), into })
    assert.ok(result.fileCount >= 1, kind)
  }
})

test('a bomb is stopped early, whatever it is made of', async (context) => {
  const home = await temporaryFolder(context)
  const target = join(home, 'target')
  const bombs: Record<string, () => AsyncGenerator<Buffer>> = {
    'one file of zeros': async function* () {
      yield sized(entry({ name: 'zeros' }), 8 * 1024 ** 3 - 512)
      for (;;) yield Buffer.alloc(1024 * 1024)
    },
    'many files of zeros': async function* () {
      for (let index = 0; ; index++) yield entry({ name: `${index}`, data: Buffer.alloc(1024 * 1024) })
    },
    'a million empty files': async function* () {
      for (let index = 0; ; index++) yield entry({ name: `${index}-${(index * 2654435761) % 2 ** 32}` })
    },
    'folders without end': async function* () {
      for (let index = 0; ; index++) yield entry({ name: `${index}/`, type: '5' })
    },
  }
  const limits = { maxFiles: 3000, maxFileBytes: 16 * 1024 ** 3, maxTotalBytes: 16 * 1024 ** 3 }
  for (const [kind, make] of Object.entries(bombs)) {
    const archive = Readable.from(make()).pipe(createGzip({ level: 1 }))
    const before = process.memoryUsage().rss
    await assert.rejects(unpackArchive({ archive, into: target, limits }), (error) => {
      assert.ok(error instanceof BundleError, `${kind}: ${error}`)
      assert.ok(
        ['ratio_too_high', 'too_many_files', 'file_too_large', 'total_too_large'].includes(error.code),
        error.code,
      )
      return true
    })
    assert.ok(process.memoryUsage().rss - before < 200 * 1024 ** 2, kind)
    await assert.rejects(stat(target), /ENOENT/)
  }
})

test('each limit is kept to the byte', async (context) => {
  const home = await temporaryFolder(context)
  const archive = pack([
    entry({ name: 'a', data: 'x'.repeat(1000) }),
    entry({ name: 'b', data: 'y'.repeat(500) }),
  ])
  const tryWith = (limits: Parameters<typeof unpackArchive>[0]['limits'], name: string) =>
    unpackArchive({
      archive: Readable.from([archive]),
      into: join(home, name),
      ...(limits === undefined ? {} : { limits }),
    })
  await tryWith({ maxFiles: 2, maxFileBytes: 1000, maxArchiveBytes: archive.length }, 'exactly')
  await assert.rejects(tryWith({ maxFiles: 1 }, 'files'), { code: 'too_many_files' })
  await assert.rejects(tryWith({ maxFileBytes: 999 }, 'file'), { code: 'file_too_large' })
  await assert.rejects(tryWith({ maxTotalBytes: 1499 }, 'total'), { code: 'total_too_large' })
  await assert.rejects(tryWith({ maxArchiveBytes: archive.length - 1 }, 'archive'), {
    code: 'archive_too_large',
  })
})

function sized(block: Buffer, size: number): Buffer {
  const changed = Buffer.from(block)
  changed.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  changed.fill(' ', 148, 156)
  let sum = 0
  for (const byte of changed.subarray(0, 512)) sum += byte
  changed.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return changed
}

async function snapshot(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return Promise.all(
    found.map(async (item) => {
      const path = join(item.parentPath, item.name)
      const { size, mtimeMs } = await stat(path)
      return item.isFile() ? `${path} ${size} ${mtimeMs}` : path
    }),
  ).then((lines) => lines.sort())
}
