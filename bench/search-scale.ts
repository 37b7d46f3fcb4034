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
  const sizes: Record<Kind, number> = { terms: 0, texts: 0, words: 0, other: 0 }
  let files = 0
  const built = performance.now()
  await writeIndex({
    pages: makePages(),
    write: async ({ path, content }) => {
      sizes[kindOf(path)] += content.length
      files++
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    },
  })
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
  console.log(`built in ${((performance.now() - built) / 1000).toFixed(1)} s`)
  console.log(
    `index ${megabytes(sizes.terms + sizes.words + sizes.other)} (terms ${megabytes(sizes.terms)}, words ` +
      `${megabytes(sizes.words)}, other ${megabytes(sizes.other)}); texts, read on demand, ${megabytes(sizes.texts)}; ${files} files`,
  )

  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const opened = performance.now()
  const index = await openIndex({
    read: (path) => readFile(join(folder, path)),
  })
  await index.search({ query: makeQuestion(), limit: 8 })
  console.log(`opened and first answered in ${(performance.now() - opened).toFixed(0)} ms`)

  const fetches: Record<Kind, number>[] = []
  for (let i = 0; i < 50; i++) {
    const mine = { terms: 0, texts: 0, words: 0, other: 0 }
    const fresh = await openIndex({
      read: async (path) => {
        const content = await readFile(join(folder, path))
        mine[kindOf(path)] += content.length
        return content
      },
    })
    await fresh.search({ query: makeQuestion(), limit: 8, asYouType: true })
    fetches.push(mine)
  }
  const sum = (sizes: Record<Kind, number>) => sizes.terms + sizes.texts + sizes.words + sizes.other
  fetches.sort((a, b) => sum(a) - sum(b))
  const kilobytes = (sizes: Record<Kind, number>) =>
    `${(sum(sizes) / 1000).toFixed(0)} KB (${Object.entries(sizes)
      .map(([kind, bytes]) => `${kind} ${(bytes / 1000).toFixed(0)}`)
      .join(', ')})`
  console.log(
    `first question of a browser fetches ${kilobytes(fetches[25]!)}, at most ${kilobytes(fetches.at(-1)!)}`,
  )

  for (let i = 0; i < 300; i++) await index.search({ query: makeQuestion(), limit: 10 })
  const times: number[] = []
  const spent = process.cpuUsage()
  for (let i = 0; i < 1000; i++) {
    const query = makeQuestion()
    const started = performance.now()
    await index.search({ query, limit: 10 })
    times.push(performance.now() - started)
  }
  const { user, system } = process.cpuUsage(spent)
  times.sort((a, b) => a - b)
  console.log(
    `answers p50 ${times[500]!.toFixed(1)} ms, p99 ${times[990]!.toFixed(1)} ms; processor time, which a busy machine leaves ` +
      `alone, ${((user + system) / 1e6).toFixed(1)} ms each`,
  )
  globalThis.gc?.()
  console.log(
    `memory: the index counts ${megabytes(index.sizeBytes)}; the process grew by ${megabytes(process.memoryUsage().rss - before)}`,
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}

type Kind = 'terms' | 'texts' | 'words' | 'other'

function kindOf(path: string): Kind {
  if (/\/t\d/.test(path)) return 'terms'
  if (/\/x/.test(path)) return 'texts'
  return /\/v/.test(path) ? 'words' : 'other'
}

function* makePages(): Generator<IndexedPage> {
  for (let i = 0; i < pageCount; i++) {
    yield {
      path: `${words[Math.floor(i / 250)]}/${words[Math.floor(i / 11)]}/${words[i]}`,
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
