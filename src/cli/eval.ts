import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { answerQuestion, defaultAssistantSettings } from '../assistant/index.ts'
import { type EmbeddingModel, openQuestionVectors, type QuestionVectors } from '../backends/index.ts'
import { type SiteIndex, searchFolder, siteIndexFile } from '../bundle/bundle-api.ts'
import { CompileError, compileSite } from '../compiler/index.ts'
import { openIndex, PassageVectors, type SearchIndex } from '../search/index.ts'
import { openSettingsEmbeddings, readSettings, SettingsError } from '../server/index.ts'

const help = `quire eval: measure how well search finds what people ask

  quire eval <folder> --questions questions.jsonl [--site name] [--json] [--answers] [--embeddings]

The folder is a docs project. Each line of the questions is JSON: the question and the pages that answer it.

  {"question": "How do I rotate a key?", "relevant": ["guides/keys"]}

Questions may name a "site"; --site keeps those of one. Paths are as in docs.json; a slash in front and an extension
are ignored. A page counts as found when it is among the first results, one result a page.

  --json        print questions, recallAt1, recallAt5, mrrAt10 (fractions), latencyMs and the misses as JSON
  --answers     also ask the assistant without a language model: how many answers quote a right page, and how many
                questions it would rather not answer (ask those of another site with "relevant": [])
  --embeddings  mix in what is near in meaning, with the model that the QUIRE_EMBEDDING_… variables name, as the server
                does; every passage is sent to it

Example:

  quire eval docs --questions docs/questions.jsonl
`

export const evalCommand = {
  name: 'eval',
  summary: 'measure how well search finds what people ask',
  help,
  run,
}

async function run(args: string[]): Promise<number> {
  try {
    return await runCommand(args)
  } catch (error) {
    const told = [CompileError, UsageError, SettingsError].some((kind) => error instanceof kind)
    if (!told || !(error instanceof Error)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}

/** Something the person at the keyboard can mend. */
class UsageError extends Error {}

async function runCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseEvalArguments(args)
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  const [folder] = positionals
  if (folder === undefined || values.questions === undefined) {
    throw new UsageError('Give a folder and --questions questions.jsonl. See quire eval --help.')
  }
  const questions = (await readQuestions(values.questions)).filter(
    ({ site }) => values.site === undefined || site === values.site,
  )
  if (questions.length === 0) throw new UsageError(`There are no questions to ask in ${values.questions}.`)
  const embeddings = values.embeddings ? openEmbeddings() : null
  const report = await evaluateFolder({ folder, questions, answers: values.answers ?? false, embeddings })
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : describeReport(report))
  return 0
}

function parseEvalArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        questions: { type: 'string' },
        site: { type: 'string' },
        json: { type: 'boolean' },
        answers: { type: 'boolean' },
        embeddings: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(`${(error as Error).message} See quire eval --help.`)
  }
}

function openEmbeddings(): EmbeddingModel {
  const model = openSettingsEmbeddings(readSettings({ flags: {}, environment: process.env }), process.env)
  if (model !== null) return model
  throw new UsageError(
    '--embeddings needs a model: set QUIRE_EMBEDDING_MODEL, and QUIRE_EMBEDDING_MODEL_URL.',
  )
}

export type EvalQuestion = { question: string; relevant: string[]; site?: string }

export type EvalReport = {
  questions: number
  recallAt1: number
  recallAt5: number
  mrrAt10: number
  latencyMs: { p50: number; p99: number }
  pages: number
  passages: number
  /** Questions without a right page among the first five, with what was found instead. */
  misses: { question: string; relevant: string[]; rank: number | null; found: string[] }[]
  answers?: { answered: number; fromRightPage: number; refused: number }
}

/** Compiles the folder into a bundle, as publishing does, and asks the bundle's own index. */
export async function evaluateFolder(input: {
  folder: string
  questions: EvalQuestion[]
  answers: boolean
  /** Makes vectors of passages and questions; null for words alone. */
  embeddings: EmbeddingModel | null
}): Promise<EvalReport> {
  const into = await mkdtemp(join(tmpdir(), 'quire-eval-'))
  const { embeddings } = input
  const now = () => performance.now()
  try {
    const vectors = embeddings && new PassageVectors({ model: embeddings, signal: neverAborted(), now })
    await compileSite({ source: input.folder, into, ...(vectors ? { vectors } : {}) })
    if (vectors?.counts.trouble) throw new UsageError(vectors.counts.trouble)
    const questions = embeddings && openPatientVectors(embeddings, now)
    const index = await openIndex({ read: (path) => readFile(join(into, searchFolder, path)), questions })
    const site = JSON.parse(await readFile(join(into, siteIndexFile), 'utf8')) as SiteIndex
    return await evaluateIndex({
      index,
      questions: input.questions,
      now,
      ...(input.answers ? { answer: (question) => answerFromPassages({ question, index, site }) } : {}),
    })
  } finally {
    await rm(into, { recursive: true, force: true })
  }
}

const neverAborted = () => new AbortController().signal

/** Here a slow model is waited for, and one that fails is worth an end: half a measurement would mislead. */
function openPatientVectors(model: EmbeddingModel, now: () => number): QuestionVectors {
  const patient = openQuestionVectors(model, { timeoutMs: 60_000, failures: 1, now, onChange: () => {} })
  return {
    ...patient,
    ask: async (question) => {
      const vector = await patient.ask(question)
      if (vector === null) throw new UsageError('The embedding model gave no vector for a question.')
      return vector
    },
  }
}

/** What the assistant says without a language model: the pages it quotes, or null where it would rather not answer. */
async function answerFromPassages(input: {
  question: string
  index: SearchIndex
  site: SiteIndex
}): Promise<string[] | null> {
  const paths: string[] = []
  let ids = 0
  for await (const event of answerQuestion({
    question: input.question,
    history: [],
    notes: [],
    context: [],
    currentPath: null,
    filter: {},
    pageSize: 5,
    site: {
      index: input.index,
      site: input.site,
      siteUrl: 'https://docs.invalid',
      readPage: async () => null,
      instructions: null,
    },
    model: null,
    limits: defaultAssistantSettings,
    newId: (prefix) => `${prefix}_${ids++}`,
    signal: new AbortController().signal,
  })) {
    if (event.type === 'source-found') paths.push(event.source.path)
    if (event.type === 'answer-end' && event.outcome !== 'answered') return null
  }
  return paths
}

export async function evaluateIndex(input: {
  index: SearchIndex
  questions: EvalQuestion[]
  /** The pages an answer quotes, null where none is given; absent when answers are not measured. */
  answer?: (question: string) => Promise<string[] | null>
  now: () => number
}): Promise<EvalReport> {
  const { index, questions, now } = input
  const times: number[] = []
  const misses: EvalReport['misses'] = []
  const answers = { answered: 0, fromRightPage: 0, refused: 0 }
  let first = 0
  let amongFive = 0
  let reciprocal = 0
  for (const { question, relevant } of questions) {
    const started = now()
    const hits = await index.search({ query: question, limit: 10 })
    times.push(now() - started)
    const right = new Set(relevant.map(plainPath))
    const rank = hits.findIndex((hit) => right.has(plainPath(hit.path))) + 1
    if (rank === 1) first++
    if (rank >= 1 && rank <= 5) amongFive++
    else
      misses.push({ question, relevant, rank: rank || null, found: hits.slice(0, 5).map((hit) => hit.path) })
    if (rank >= 1) reciprocal += 1 / rank
    const quoted = input.answer === undefined ? undefined : await input.answer(question)
    if (quoted === null) answers.refused++
    else if (quoted !== undefined) {
      answers.answered++
      if (quoted.some((path) => right.has(plainPath(path)))) answers.fromRightPage++
    }
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  const count = Math.max(1, questions.length)
  return {
    questions: questions.length,
    recallAt1: first / count,
    recallAt5: amongFive / count,
    mrrAt10: reciprocal / count,
    latencyMs: { p50: at(0.5), p99: at(0.99) },
    pages: index.pageCount,
    passages: index.passageCount,
    misses,
    ...(input.answer === undefined ? {} : { answers }),
  }
}

async function readQuestions(file: string): Promise<EvalQuestion[]> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new UsageError(`There is no file ${file}.`)
  })
  return text
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [readQuestion(line, `${file}:${i + 1}`)]))
}

function readQuestion(line: string, place: string): EvalQuestion {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new UsageError(`${place} is not JSON.`)
  }
  if (!isQuestion(value)) {
    throw new UsageError(`${place} needs "question", a text, and "relevant", a list of page paths.`)
  }
  return value
}

function isQuestion(value: unknown): value is EvalQuestion {
  if (typeof value !== 'object' || value === null) return false
  const { question, relevant } = value as { question?: unknown; relevant?: unknown }
  return (
    typeof question === 'string' &&
    Array.isArray(relevant) &&
    relevant.every((path) => typeof path === 'string')
  )
}

function plainPath(path: string): string {
  return path.replace(/^\/+/, '').replace(/\.(mdx?|html)$/, '')
}

function describeReport(report: EvalReport): string {
  const percent = (share: number) => `${(share * 100).toFixed(1)}%`
  const lines = [
    `${report.questions} questions over ${report.pages} pages (${report.passages} passages)`,
    `right page first       R@1     ${percent(report.recallAt1)}`,
    `among the first five   R@5     ${percent(report.recallAt5)}`,
    `mean reciprocal rank   MRR@10  ${percent(report.mrrAt10)}`,
    `latency                p50 ${report.latencyMs.p50.toFixed(1)} ms, p99 ${report.latencyMs.p99.toFixed(1)} ms`,
  ]
  if (report.answers) {
    const { answered, fromRightPage, refused } = report.answers
    lines.push(
      `answers                ${answered} given, ${fromRightPage} from a right page, ${refused} refused`,
    )
  }
  if (report.misses.length > 0) lines.push('', 'Missed:')
  for (const miss of report.misses) {
    lines.push(
      `  ${miss.question}`,
      `    wanted ${miss.relevant.join(', ')}${miss.rank === null ? '' : ` (found at ${miss.rank})`}`,
      `    found  ${miss.found.join(', ') || 'nothing'}`,
    )
  }
  return `${lines.join('\n')}\n`
}
