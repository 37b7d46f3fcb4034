import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { diffBundles } from './diff-bundles.ts'
import { temporaryFolder, writeTestBundle } from './testing.ts'

const page = (path: string, text: string, frame = '') => ({
  [`${path}.html`]: `<p>${text}</p>${frame}`,
  [`${path}.md`]: text,
})

const bundle = async (context: TestContext, files: Record<string, string>) =>
  writeTestBundle(await temporaryFolder(context), files)

test('tells pages that came, went, moved and changed from those with a new frame', async (context) => {
  const before = await bundle(context, {
    ...page('index', 'Welcome'),
    ...page('guide/install', 'Install it'),
    ...page('guide/old', 'Gone soon'),
    ...page('guide/there', 'The same words'),
    'images/logo.svg': '<svg/>',
    'images/old.png': 'png',
    'demo.html': 'an asset',
    '404.html': 'no',
    '_quire/assets/quire-1.css': 'a',
    'llms.txt': 'list',
  })
  const after = await bundle(context, {
    ...page('index', 'Welcome', '<nav></nav>'),
    ...page('guide/install', 'Install it anew'),
    ...page('guide/here', 'The same words'),
    ...page('guide/new', 'Hello'),
    'images/logo.svg': '<svg></svg>',
    'images/new.png': 'png',
    'demo.html': 'another asset',
    '404.html': 'no!',
    '_quire/assets/quire-2.css': 'b',
    'llms.txt': 'lists',
  })
  assert.deepEqual(diffBundles(before, after), {
    same: false,
    pages: {
      added: ['guide/new'],
      removed: ['guide/old'],
      moved: [{ from: 'guide/there', to: 'guide/here' }],
      changed: ['guide/install'],
      reframed: ['index'],
    },
    assets: {
      added: ['images/new.png'],
      removed: ['images/old.png'],
      changed: ['demo.html', 'images/logo.svg'],
    },
    derived: {
      added: ['_quire/assets/quire-2.css'],
      removed: ['_quire/assets/quire-1.css'],
      changed: ['404.html', 'llms.txt'],
    },
  })
})

test('a bundle and its copy are the same', async (context) => {
  const files = page('index', 'Welcome')
  const difference = diffBundles(await bundle(context, files), await bundle(context, files))
  assert.equal(difference.same, true)
  assert.ok(Object.values(difference.pages).every((list) => list.length === 0))
})
