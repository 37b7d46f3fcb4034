import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { diskStoreWithServer } from '../backends/testing.ts'
import { openReleaseFolders } from './release-folders.ts'

test('leaves the work of living processes alone and removes that of dead ones', async (context) => {
  const { store } = await diskStoreWithServer(context)
  await store.put('unused', Readable.from([Buffer.from('x')]), { contentType: 'text/plain' })
  const folder = await mkdtemp(join(tmpdir(), 'quire-folders-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  const dead = spawnSync(process.execPath, ['--version']).pid
  const names = [`${hostname()}-${process.ppid}`, `${hostname()}-${dead}`, 'elsewhere-12']
  for (const name of names) {
    await mkdir(join(folder, 'work', name), { recursive: true })
    await writeFile(join(folder, 'work', name, 'half'), '')
  }
  const { work } = await openReleaseFolders({ folder, objects: store })
  assert.equal(work, join(folder, 'work', `${hostname()}-${process.pid}`))
  assert.deepEqual(
    (await readdir(join(folder, 'work'))).sort(),
    [names[0], `${hostname()}-${process.pid}`, names[2]].sort(),
  )
})
