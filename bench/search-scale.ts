import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openIndex, writeIndex } from '../src/search/index.ts'
import type { IndexedPage } from '../src/search/search-api.ts'

/**
 * A site of 10,000 pages and 50,000 passages in made-up words as frequent as words are: what its index weighs, how fast it
 * opens and answers, what it keeps in memory, and what a browser fetches for a first question.
 *
 *   node --expose-gc bench/search-scale.ts [pages]
 */
const pageCount = Number(process.argv[2] ?? 10_000)
const passagesEach = 5
const random = seededRandom(42)
const words = Array.from({ length: 60_000 }, (_, i) => makeWord(i))

const folder = await mkdtemp(join(tmpdir(), 'quire-bench-scale-'))
try {
  const sizes = { terms: 0, texts: 0, words: 0, other: 0 }
  const built = performance.now()
  await writeIndex({
    pages: makePages(),
    write: async ({ path, content }) => {
      const kind = /\/t\d/.test(path)
        ? 'terms'
        : /\/x/.test(path)
          ? 'texts'
          : /\/v/.test(path)
            ? 'words'
            : 'other'
      sizes[kind] += content.length
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    },
  })
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
  console.log(`built in ${((performance.now() - built) / 1000).toFixed(1)} s`)
  console.log(
    `index ${megabytes(sizes.terms + sizes.words + sizes.other)} (terms ${megabytes(sizes.terms)}, words ` +
      `${megabytes(sizes.words)}, other ${megabytes(sizes.other)}); texts, read on demand, ${megabytes(sizes.texts)}`,
  )

  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let fetched = 0
  const opened = performance.now()
  const index = await openIndex({
    read: async (path) => {
      const content = await readFile(join(folder, path))
      fetched += content.length
      return content
    },
  })
  await index.search({ query: makeQuestion(), limit: 8 })
  console.log(`opened and first answered in ${(performance.now() - opened).toFixed(0)} ms`)

  const fetches: number[] = []
  for (let i = 0; i < 50; i++) {
    const fresh = await openIndex({
      read: async (path) => {
        const content = await readFile(join(folder, path))
        fetched += content.length
        return content
      },
    })
    fetched = (await readFile(join(folder, 'root.js'))).length
    await fresh.search({ query: makeQuestion(), limit: 8, asYouType: true })
    fetches.push(fetched)
  }
  fetches.sort((a, b) => a - b)
  console.log(
    `first question of a browser fetches ${(fetches[25]! / 1000).toFixed(0)} KB (most ${(fetches.at(-1)! / 1000).toFixed(0)} KB)`,
  )

  for (let i = 0; i < 300; i++) await index.search({ query: makeQuestion(), limit: 10 })
  const times: number[] = []
  for (let i = 0; i < 1000; i++) {
    const query = makeQuestion()
    const started = performance.now()
    await index.search({ query, limit: 10 })
    times.push(performance.now() - started)
  }
  times.sort((a, b) => a - b)
  console.log(`answers p50 ${times[500]!.toFixed(1)} ms, p99 ${times[990]!.toFixed(1)} ms`)
  globalThis.gc?.()
  console.log(
    `memory: the index counts ${megabytes(index.sizeBytes)}; the process grew by ${megabytes(process.memoryUsage().rss - before)}`,
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}

function* makePages(): Generator<IndexedPage> {
  for (let i = 0; i < pageCount; i++) {
    yield {
      path: `${words[i % 40]}/${words[i % 900]}/${words[i]}`,
      title: `${makeText(3)}`,
      description: makeText(12),
      sections: Array.from({ length: passagesEach }, () => ({
        heading: makeText(3),
        anchor: 'a',
        text: Array.from({ length: 8 }, () => `${makeText(13)}.`).join(' '),
        code: random() < 0.5 ? [{ language: 'js', text: makeText(20) }] : [],
      })),
    }
  }
}

/** Zipf's law: the word of rank r comes 1/r as often as the first. */
function drawWord(): string {
  return words[Math.min(words.length - 1, Math.floor(words.length ** random()))]!
}

function makeText(count: number): string {
  return Array.from({ length: count }, drawWord).join(' ')
}

/** Content words of a question are rarer than those of a text. */
function makeQuestion(): string {
  const content = Array.from({ length: 4 }, () => words[Math.floor(30 * (words.length / 30) ** random())])
  return `how do I ${content.join(' the ')}`
}

function makeWord(i: number): string {
  const syllables = [
    'ba',
    'ren',
    'to',
    'ski',
    'lo',
    'mar',
    'ti',
    'du',
    'vel',
    'or',
    'pa',
    'gen',
    'ix',
    'chu',
    'fon',
    'ly',
  ]
  let word = ''
  for (let rest = i + 16; rest > 0; rest = Math.floor(rest / 16)) word = syllables[rest % 16] + word
  return word
}

function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 4294967296
  }
}
