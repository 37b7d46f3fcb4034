import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddressBook, relativeHref } from './address-book.ts'
import { headingId, IdRegistry } from './heading-id.ts'
import { parseIgnorePatterns } from './ignore-patterns.ts'
import { createRedirects } from './redirects.ts'

const redirect = (from: string, to: string, path: string) =>
  createRedirects([{ from, to, permanent: true }])(path)

test('redirects follow names, stars and parts of a segment', () => {
  assert.equal(redirect('/old', '/new', '/old/'), '/new')
  assert.equal(redirect('/beta/:slug*', '/v2/:slug*', '/beta/a/b'), '/v2/a/b')
  assert.equal(redirect('/beta/:slug*', '/v2/:slug*', '/beta'), '/v2')
  assert.equal(redirect('/a/:id/b', '/c/:id', '/a/7/b'), '/c/7')
  assert.equal(redirect('/old/article-*', '/new/article-*', '/old/article-x'), '/new/article-x')
  assert.equal(redirect('/articles/concepts-*', '/overview', '/articles/concepts-y'), '/overview')
  assert.equal(redirect('/docs/*', 'https://example.com/*', '/docs/a/b'), 'https://example.com/a/b')
  assert.equal(redirect('/old', '/new', '/older'), undefined)
})

test('links resolve beside the page, from the root, through redirects and into folders', () => {
  const book = createAddressBook({
    pages: ['index', 'guide/install', 'guide/deep/one', 'api/index'],
    pagesElsewhere: [],
    files: ['images/a b.png'],
    redirects: [
      { from: '/old', to: '/guide/install#top', permanent: true },
      { from: '/loop', to: '/loop2', permanent: true },
      { from: '/loop2', to: '/loop', permanent: true },
    ],
  })
  const pageOf = (from: string, written: string) => {
    const target = book.resolve(from, written)
    return target.type === 'page' ? target.path + (target.hash === '' ? '' : `#${target.hash}`) : target.type
  }
  assert.equal(pageOf('guide/install', './deep/one.mdx'), 'guide/deep/one')
  assert.equal(pageOf('guide/install', 'guide/deep/one'), 'guide/deep/one')
  assert.equal(pageOf('guide/deep/one', '../install'), 'guide/install')
  assert.equal(pageOf('index', '/api/'), 'api/index')
  assert.equal(pageOf('index', '/guide'), 'guide/install')
  assert.equal(pageOf('index', '/docs/guide/install'), 'guide/install')
  assert.equal(pageOf('index', '/Guide/Install'), 'guide/install')
  assert.equal(pageOf('index', '/old'), 'guide/install#top')
  assert.equal(pageOf('index', '/loop'), 'missing')
  assert.equal(pageOf('index', '../../../../etc/passwd'), 'missing')
  assert.equal(pageOf('index', '/images/a%20b.png'), 'file')
  assert.equal(pageOf('index', 'cursor://open'), 'foreign')
  assert.equal(pageOf('index', 'java\tscript:x'), 'forbidden')
})

test('the way between two files is short and escaped', () => {
  assert.equal(relativeHref('a/b.html', 'a/c d.html'), 'c%20d.html')
  assert.equal(relativeHref('a/b/c.html', 'a/d.html'), '../d.html')
  assert.equal(relativeHref('index.html', 'a/ö.html'), 'a/%C3%B6.html')
})

test('heading ids are those of the format', () => {
  for (const [text, id] of [
    ['Getting started', 'getting-started'],
    ['Config.json options', 'config-json-options'],
    ["What's new", 'what’s-new'],
    ['Rate limits (per minute)', 'rate-limits-per-minute'],
    ['Read/write access', 'read/write-access'],
    ['Fees & billing', 'fees-&-billing'],
    ['OAuth', 'oauth'],
    ['菜单', '菜单'],
  ] as const) {
    assert.equal(headingId(text), id)
  }
  const ids = new IdRegistry()
  assert.deepEqual(
    ['overview', 'overview', 'overview'].map((id) => ids.unique(id)),
    ['overview', 'overview-2', 'overview-3'],
  )
})

test('ignore files follow the syntax of .gitignore', () => {
  const ignored = parseIgnorePatterns(
    '# notes\ndrafts/\n*.draft.mdx\n/private.md\n**/internal/**\n!keep.draft.mdx\n',
  )
  assert.deepEqual(
    [
      'drafts/a.md',
      'x/drafts/a.md',
      'a.draft.mdx',
      'private.md',
      'x/private.md',
      'a/internal/b.md',
      'keep.draft.mdx',
      'draft.md',
    ].map(ignored),
    [true, true, true, true, false, true, false, false],
  )
})
