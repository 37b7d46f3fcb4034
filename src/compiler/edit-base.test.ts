import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readEditBase } from './edit-base.ts'

function folderWith(context: TestContext, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'quire-edit-'))
  context.after(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const feedback = { suggestEdit: true }

test('leads to the branch that docs.json names', (context) => {
  const root = folderWith(context, { 'docs.json': '{}' })
  const repo = { url: 'https://github.com/acme/docs.git', branch: 'next', directory: 'site' }
  assert.equal(readEditBase({ feedback, repo }, root), 'https://github.com/acme/docs/edit/next/site')
  assert.equal(readEditBase({ repo }, root), undefined)
})

test('takes branch, folder and repository from the checkout', (context) => {
  const root = folderWith(context, {
    '.git/HEAD': 'ref: refs/heads/my-change\n',
    '.git/refs/remotes/origin/HEAD': 'ref: refs/remotes/origin/trunk\n',
    '.git/config':
      '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@gitlab.example.com:acme/docs.git\n',
    'docs/docs.json': '{}',
  })
  assert.equal(
    readEditBase({ feedback }, join(root, 'docs')),
    'https://gitlab.example.com/acme/docs/-/edit/trunk/docs',
  )
  const repo = { url: 'https://github.com/acme/docs' }
  assert.equal(
    readEditBase({ feedback, repo }, join(root, 'docs')),
    'https://github.com/acme/docs/edit/trunk/docs',
  )
})

test('a checkout without a remote goes by its own branch', (context) => {
  const root = folderWith(context, { '.git/HEAD': 'ref: refs/heads/develop\n' })
  const address = readEditBase({ feedback, repository: 'acme/docs' }, root)
  assert.equal(address, 'https://github.com/acme/docs/edit/develop')
})

test('outside of a checkout it is main, and nothing without a repository', (context) => {
  const root = folderWith(context, { 'docs.json': '{}' })
  assert.equal(
    readEditBase({ feedback, repository: 'https://github.com/acme/docs/' }, root),
    'https://github.com/acme/docs/edit/main',
  )
  assert.equal(readEditBase({ feedback }, root), undefined)
  assert.equal(readEditBase({ feedback, repository: 'javascript:alert(1)' }, root), undefined)
})
