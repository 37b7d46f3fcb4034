import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { PackStore, packKey } from './pack-store.ts'

test('finds in the next store what was added to the last, however many packs there are', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-pack-'))
  try {
    for (let round = 0; round < 40; round += 1) {
      const store = new PackStore(folder)
      assert.equal(store.has(packKey(`${round}`)), false)
      for (let earlier = 0; earlier < round; earlier += 1)
        assert.equal(store.read(packKey(`${earlier}`))?.toString(), `piece ${earlier} of two parts`)
      store.add(packKey(`${round}`), Buffer.from(`piece ${round} `), Buffer.from('of two parts'))
      store.close()
    }
    assert.ok((await readdir(folder)).length <= 13)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('stores that are open at the same time do not disturb each other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-pack-'))
  try {
    const stores = Array.from({ length: 30 }, () => new PackStore(folder))
    for (const [number, store] of stores.entries()) store.add(packKey(`${number}`), Buffer.from([number]))
    for (const store of stores) store.close()
    const reader = new PackStore(folder)
    for (const number of stores.keys())
      assert.deepEqual(reader.read(packKey(`${number}`)), Buffer.from([number]))
    reader.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('has at once what was added, and gives it back before it is sealed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-pack-'))
  try {
    const store = new PackStore(folder)
    for (let number = 0; number < 50; number += 1)
      store.add(packKey(`${number}`), Buffer.alloc(100_000, number))
    for (let number = 49; number >= 0; number -= 1)
      assert.deepEqual(store.read(packKey(`${number}`)), Buffer.alloc(100_000, number))
    assert.equal(store.has(packKey('0')), true)
    assert.equal(store.read(packKey('50')), undefined)
    store.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('keeps nothing that comes after it was closed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-pack-'))
  try {
    const store = new PackStore(folder)
    store.add(packKey('one'), Buffer.from('1'))
    store.close()
    store.add(packKey('two'), Buffer.from('2'))
    assert.equal((await readdir(folder)).length, 1)
  } finally {
    await rm(folder, { recursive: true })
  }
})
