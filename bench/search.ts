import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import MiniSearch, { type Options } from 'minisearch'
import { searchFolder } from '../src/bundle/bundle-api.ts'
import { compileSite } from '../src/compiler/index.ts'
import { openIndex } from '../src/search/index.ts'
import { indexedWords, readPassages, type StoredPassage, withoutStopWords } from '../src/search/testing.ts'

/**
 * Our search beside SQLite FTS5 and MiniSearch: the same sites, compiled as publishing does, cut into the same passages,
 * the same field weights where an engine has them, one result a page, the same questions, from which all but us get the
 * stop words taken out beforehand. Once each as people set them up, and once with the words as our own index has them.
 *
 *   node bench/search.ts [folder with questions.jsonl and a .tar.gz of each site] [--headings]
 *
 * With --headings the questions are those that the sites' own headings ask, taken out of the pages that answer them.
 */
type Question = { site: string; question: string; relevant: string[] }
type Engine = { name: string; ask(question: string): Promise<string[]> }
type Score = { count: number; first: number; five: number; reciprocal: number; times: number[] }

const rivals = [fullTextEngine, fullTextEngineOwnWords, miniSearchEngine, miniSearchEngineOwnWords]

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { headings: { type: 'boolean', default: false } },
})
const folder = positionals[0] ?? join(import.meta.dirname, '../../shared/retrieval')
if (!existsSync(join(folder, 'questions.jsonl'))) {
  console.log(`skipped: there are no questions in ${folder}`)
} else {
  await compareEngines()
}

async function compareEngines(): Promise<void> {
  const questions = (await readFile(join(folder, 'questions.jsonl'), 'utf8'))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Question)
  const scores = new Map<string, Score>()
  const work = await mkdtemp(join(tmpdir(), 'quire-bench-search-'))
  try {
    for (const archive of globSync(join(folder, '*.tar.gz')).sort()) {
      const site = basename(archive, '.tar.gz')
      execFileSync('tar', ['xzf', archive, '-C', work])
      const asked = flags.headings
        ? await takeQuestionHeadings(site, join(work, site))
        : questions.filter((question) => question.site === site)
      const bundle = join(work, `${site}-bundle`)
      await compileSite({ source: join(work, site), into: bundle })
      const read = (path: string) => readFile(join(bundle, searchFolder, path))
      const passages = await readPassages(read)
      await measure(await ownEngine(read), asked, scores, site)
      for (const open of rivals) await measure(open(passages), asked, scores, site)
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  for (const [name, score] of scores) printScore(name, score)
}

/** Headings of four words or more that end in a question mark and have an answer under them; the page keeps the answer. */
async function takeQuestionHeadings(site: string, source: string): Promise<Question[]> {
  const taken: Question[] = []
  for (const file of globSync('**/*.{md,mdx}', { cwd: source }).sort()) {
    const text = await readFile(join(source, file), 'utf8')
    if (/^(?:title:|#) .*\?["']?\s*$/m.test(text)) continue // The whole page is the question.
    const path = file.replace(/\.mdx?$/, '').replaceAll('\\', '/')
    const changed = text.replace(
      /^(#{2,6}) +([^\n]*\?)[^\S\n]*(?:\{[^}\n]*\})?[^\S\n]*\n((?:(?!#{1,6} )[^\n]*\n?)*)/gm,
      (section: string, level: string, question: string, answer: string) => {
        if (question.split(/\s+/).length < 4 || answer.length < 120) return section
        taken.push({ site, question: question.replace(/[`*]/g, ''), relevant: [path] })
        return `${level} Question\n${answer}`
      },
    )
    if (changed !== text) await writeFile(join(source, file), changed)
  }
  return taken
}

async function measure(
  engine: Engine,
  questions: Question[],
  scores: Map<string, Score>,
  site: string,
): Promise<void> {
  const mine = emptyScore()
  const sum = scores.get(engine.name) ?? emptyScore()
  scores.set(engine.name, sum)
  for (const { question, relevant } of questions) {
    const started = performance.now()
    const found = (await engine.ask(question)).slice(0, 10)
    const time = performance.now() - started
    const rank = found.findIndex((path) => relevant.includes(path)) + 1
    for (const score of [mine, sum]) {
      score.count++
      score.times.push(time)
      if (rank === 1) score.first++
      if (rank >= 1 && rank <= 5) score.five++
      if (rank >= 1) score.reciprocal += 1 / rank
    }
  }
  printScore(`${site}: ${engine.name}`, mine)
}

function emptyScore(): Score {
  return { count: 0, first: 0, five: 0, reciprocal: 0, times: [] }
}

function printScore(name: string, { count, first, five, reciprocal, times }: Score): void {
  if (count === 0) return
  const percent = (value: number) => ((100 * value) / count).toFixed(1).padStart(5)
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1)
  console.log(
    `${name.padEnd(32)} ${String(count).padStart(4)} questions  R@1 ${percent(first)}  R@5 ${percent(five)}  ` +
      `MRR@10 ${percent(reciprocal)}  p50 ${at(0.5)} ms  p99 ${at(0.99)} ms`,
  )
}

async function ownEngine(read: (path: string) => Promise<Uint8Array>): Promise<Engine> {
  const index = await openIndex({ read })
  return {
    name: 'quire',
    ask: async (question) => (await index.search({ query: question, limit: 10 })).map((hit) => hit.path),
  }
}

/** The usual setup: porter stemming, weights for the columns, any of the words, those that only ask left out. */
function fullTextEngine(passages: StoredPassage[]): Engine {
  return openFullText(passages, {
    name: 'SQLite FTS5 (porter)',
    tokenizer: 'porter unicode61',
    terms: (text) => text.match(/[\p{L}\p{N}_]+/gu) ?? [],
    prepare: (text) => text,
  })
}

/** The same with the words as our index has them: identifiers known, stemmed. */
function fullTextEngineOwnWords(passages: StoredPassage[]): Engine {
  return openFullText(passages, {
    name: 'SQLite FTS5 (our tokenizer)',
    tokenizer: 'unicode61',
    terms: indexedWords,
    prepare: (text) => indexedWords(text).join(' '),
  })
}

function openFullText(
  passages: StoredPassage[],
  setup: {
    name: string
    tokenizer: string
    terms(text: string): string[]
    prepare(text: string): string
  },
): Engine {
  const database = new DatabaseSync(':memory:')
  database.exec(
    `create virtual table passages using fts5(page unindexed, title, heading, path, text, code, tokenize = '${setup.tokenizer}')`,
  )
  const insert = database.prepare('insert into passages values (?, ?, ?, ?, ?, ?)')
  database.exec('begin')
  for (const passage of passages) {
    const { title, heading, path, text, code } = passage
    insert.run(path, ...[title, heading, path, text, code].map(setup.prepare))
  }
  database.exec('commit')
  const select = database.prepare(
    'select page from passages where passages match ? order by bm25(passages, 0, 3, 2, 1.5, 1, 0.5) limit 200',
  )
  return {
    name: setup.name,
    ask: async (question) => {
      const words = setup.terms(withoutStopWords(question))
      if (words.length === 0) return []
      const rows = select.all(words.map((word) => `"${word}"`).join(' OR '))
      return [...new Set(rows.map((row) => String(row['page'])))]
    },
  }
}

/** As its documentation sets it up, with weights for the fields and without stop words. */
function miniSearchEngine(passages: StoredPassage[]): Engine {
  return openMiniSearch(passages, { name: 'MiniSearch' })
}

function miniSearchEngineOwnWords(passages: StoredPassage[]): Engine {
  return openMiniSearch(passages, {
    name: 'MiniSearch (our tokenizer)',
    options: { tokenize: indexedWords, processTerm: (term) => term },
  })
}

function openMiniSearch(
  passages: StoredPassage[],
  setup: { name: string; options?: Partial<Options<StoredPassage & { id: number }>> },
): Engine {
  const index = new MiniSearch<StoredPassage & { id: number }>({
    fields: ['title', 'heading', 'path', 'text', 'code'],
    storeFields: ['path'],
    searchOptions: { boost: { title: 3, heading: 2, path: 1.5, text: 1, code: 0.5 } },
    ...setup.options,
  })
  index.addAll(passages.map((passage, id) => ({ ...passage, id })))
  return {
    name: setup.name,
    ask: async (question) => [
      ...new Set(index.search(withoutStopWords(question)).map((hit) => String(hit['path']))),
    ],
  }
}
