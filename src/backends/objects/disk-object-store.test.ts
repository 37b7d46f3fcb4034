import assert from 'node:assert/strict'
import { mkdir, readdir, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { openDiskObjectStore, signingKeysFile } from './disk-object-store.ts'
import { diskStoreWithServer } from './testing.ts'

test('a failed put leaves no partial file behind', async (context) => {
  const { store, folder } = await diskStoreWithServer(context)
  async function* failing() {
    yield Buffer.from('half')
    throw new Error('the source broke')
  }
  await assert.rejects(store.put('a', failing(), { contentType: 'text/plain' }))
  assert.deepEqual(await readdir(join(folder, '.partial')), [])
})

test('partial files of a process that died are removed a day later', async (context) => {
  const { folder } = await diskStoreWithServer(context)
  const [old, young] = [join(folder, '.partial', 'old'), join(folder, '.partial', 'young')]
  for (const file of [old, young]) await writeFile(file, 'x')
  const nowMs = Date.now()
  await utimes(old, 0, (nowMs - 25 * 3_600_000) / 1000)
  await openDiskObjectStore({ folder, publicUrl: () => '', nowMs })
  assert.deepEqual(await readdir(join(folder, '.partial')), ['young'])
})

test('a damaged file is named, and not served', async (context) => {
  const { store, folder } = await diskStoreWithServer(context)
  await store.put('dir/a', Readable.from([Buffer.alloc(1000)]), { contentType: 'text/plain' })
  await truncate(join(folder, 'dir', 'a,object'), 1100)
  await assert.rejects(store.get('dir/a'), /The file of object dir\/a is damaged/)
})

test('files that are no objects are neither listed nor opened', async (context) => {
  const { store, folder } = await diskStoreWithServer(context)
  await mkdir(join(folder, 'dir'))
  await writeFile(join(folder, 'dir', 'note.txt'), 'by hand')
  for await (const object of store.list('')) assert.fail(object.key)
  assert.equal(await store.get('dir/note.txt'), null)
  assert.equal(await store.get('dir'), null)
})

test('the signing keys are readable by the server alone and stay the same after a restart', async (context) => {
  const { store, folder } = await diskStoreWithServer(context)
  assert.equal((await stat(signingKeysFile(folder))).mode & 0o077, 0)
  const again = await openDiskObjectStore({ folder, publicUrl: () => '', nowMs: Date.now() })
  assert.deepEqual(await again.linkKeys?.newest(), await store.linkKeys?.newest())
})

test('two nodes that open a new folder at once sign with the same key', async (context) => {
  const { folder } = await diskStoreWithServer(context)
  const shared = join(folder, 'shared')
  const nodes = await Promise.all(
    Array.from({ length: 8 }, () =>
      openDiskObjectStore({ folder: shared, publicUrl: () => '', nowMs: Date.now() }),
    ),
  )
  const keys = await Promise.all(nodes.map((node) => node.linkKeys?.newest()))
  assert.equal(new Set(keys.map((key) => key?.id)).size, 1)
})
