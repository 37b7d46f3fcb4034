import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findProject } from './find-project.ts'

test('finds a project that was packed together with its folder', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-find-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'my-docs'))
  await writeFile(join(folder, 'my-docs', 'docs.json'), '{}')
  assert.equal(await findProject(folder), join(folder, 'my-docs'))
  await writeFile(join(folder, 'docs.json'), '{}')
  assert.equal(await findProject(folder), folder)
})
