import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { buildIndex, type IndexFile } from './build-index.ts'
import { searchEngineScript } from './engine-script.ts'
import type { IndexedPage, QuireSearch } from './search-api.ts'
import { indexOf, pageOf } from './testing.ts'

const words = 'anchor breeze canvas drift ensign fathom galley halyard inlet jetty keel lagoon mast'.split(
  ' ',
)
const pages: IndexedPage[] = Array.from({ length: 60 }, (_, i) => {
  const text = Array.from(
    { length: 80 },
    (_, j) => words[(i * 7 + j * j + ((i * j) % 5)) % words.length],
  ).join(' ')
  return pageOf(`boats/${i}`, `${words[i % 13]} ${words[(i * 3) % 11]}`, `${text}. The setMast${i} call.`, {
    language: i % 2 === 0 ? 'en' : 'fr',
  })
})
const queries = ['anchor breeze', 'how to drift a canvas', 'setMast7', 'halyrad', 'fath', 'lagoon keel mast']

test('ranks in the browser exactly as on the server', async () => {
  const index = await indexOf(pages)
  const browser = openInContext(await buildIndex(pages)).open({ folder: '_quire/search/' })
  for (const query of queries) {
    for (const filter of [{}, { language: 'fr' }]) {
      const request = { query, limit: 8, filter, asYouType: true }
      const found = await browser.search(request)
      assert.deepEqual(JSON.parse(JSON.stringify(found)), await index.search(request), query)
    }
  }
})

test('marks the words of the question and cuts a snippet around them', () => {
  const { mark, snippet } = openInContext([])
  const pieces = mark('Deploying is easy: deploy, or use `quire deploy`.', 'deploy')
  const marked = pieces.filter((piece) => piece.matched).map((piece) => piece.text)
  assert.equal(marked.join(), 'Deploying,deploy,deploy')
  assert.equal(
    pieces.map((piece) => piece.text).join(''),
    'Deploying is easy: deploy, or use `quire deploy`.',
  )
  const long = `${'Nothing to see here. '.repeat(40)}The anchor holds. ${'More of nothing. '.repeat(40)}`
  const cut = snippet(long, 'anchor', 120)
  assert.match(cut, /^….*anchor.*…$/)
  assert.ok(cut.length <= 122)
})

test('rejects when a file cannot be loaded, and tries again the next time', async () => {
  const files = await buildIndex(pages)
  const present: IndexFile[] = []
  const browser = openInContext(present).open({ folder: '_quire/search' })
  await assert.rejects(browser.warm(), /could not be loaded/)
  present.push(...files)
  await browser.warm()
})

test('searches a bundle opened from disk in a real browser', {
  skip: process.env.QUIRE_TEST_BROWSER ? false : 'QUIRE_TEST_BROWSER names no browser',
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-search-'))
  try {
    for (const file of await buildIndex(pages)) {
      const path = join(folder, '_quire/search', file.path)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, file.content)
    }
    await writeFile(join(folder, 'engine.js'), searchEngineScript())
    await writeFile(
      join(folder, 'ask.js'),
      `window.quireSearch.open({ folder: '_quire/search/' })
          .search({ query: 'setMast7', limit: 3 })
          .then((hits) => { document.body.textContent = 'FOUND ' + hits[0].path }, (error) => { document.body.textContent = error.message })`,
    )
    await writeFile(
      join(folder, 'index.html'),
      `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' file:"><body></body><script src="engine.js"></script><script src="ask.js"></script>`,
    )
    const { stdout } = await promisify(execFile)(process.env.QUIRE_TEST_BROWSER!, [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--virtual-time-budget=5000',
      '--dump-dom',
      pathToFileURL(join(folder, 'index.html')).href,
    ])
    assert.match(stdout, /FOUND boats\/7/)
  } finally {
    await rm(folder, { recursive: true })
  }
})

/** The engine's script in a world that has script elements and nothing else of a browser. */
function openInContext(files: IndexFile[]): QuireSearch {
  const window: { quireSearch?: QuireSearch } = {}
  const document = {
    createElement: () => ({ src: '', onload: () => {}, onerror: () => {}, remove: () => {} }),
    head: {
      append(script: { src: string; onload(): void; onerror(): void }) {
        queueMicrotask(() => {
          const path = script.src.replace(/^_quire\/search\//, '').replace(/\?v=\w+$/, '')
          const file = files.find((candidate) => candidate.path === path)
          if (file === undefined) return script.onerror()
          runInContext(Buffer.from(file.content).toString('utf8'), context)
          script.onload()
        })
      },
    },
  }
  const context = createContext({ window, document })
  runInContext(`${searchEngineScript()}; var quireSearch = window.quireSearch`, context)
  return window.quireSearch!
}
