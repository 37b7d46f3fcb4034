import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openEmbeddingModel } from '../backends/index.ts'
import { fakeEmbeddings } from '../backends/testing.ts'
import { indexOf, pageOf } from '../search/testing.ts'
import { evalCommand, evaluateFolder, evaluateIndex } from './eval.ts'

test('counts right pages first and among five, and tells what it missed', async () => {
  const index = await indexOf([
    pageOf('oven', 'Oven', 'Heat the oven before the bread goes in.'),
    pageOf('flour', 'Flour', 'Sift the flour twice.'),
  ])
  let clock = 0
  const report = await evaluateIndex({
    index,
    questions: [
      { question: 'When do I heat the oven?', relevant: ['/oven.md'] },
      { question: 'Do I sift flour?', relevant: ['oven'] },
    ],
    answer: async (question) => (question.includes('sift') ? null : ['oven']),
    now: () => clock++,
  })
  assert.equal(report.questions, 2)
  assert.equal(report.recallAt1, 0.5)
  assert.equal(report.recallAt5, 0.5)
  assert.equal(report.mrrAt10, 0.5)
  assert.deepEqual(report.latencyMs, { p50: 1, p99: 1 })
  assert.deepEqual(report.misses, [
    { question: 'Do I sift flour?', relevant: ['oven'], rank: null, found: ['flour'] },
  ])
  assert.deepEqual(report.answers, { answered: 1, fromRightPage: 1, refused: 1 })
})

test('asks for the questions it needs', async () => {
  assert.match(evalCommand.help, /quire eval docs --questions/)
  assert.equal(await evalCommand.run(['docs']), 1)
  assert.equal(await evalCommand.run(['docs', '--questions', 'no-such-file.jsonl']), 1)
})

test('measures search by meaning with a model, and ends where the model does not answer', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-eval-test-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  const settings = { name: 'Bakery', navigation: { pages: ['oven', 'flour'] } }
  await writeFile(join(folder, 'docs.json'), JSON.stringify(settings))
  await writeFile(join(folder, 'oven.md'), '# Oven\n\nHeat it before the bread goes in.\n')
  await writeFile(join(folder, 'flour.md'), '# Flour\n\nSift it twice.\n')
  const server = await fakeEmbeddings(context, [['stove', 'oven']])
  const embeddings = openEmbeddingModel({ model: 'm', url: server.url }, {})
  const input = { folder, questions: [{ question: 'Which stove?', relevant: ['oven'] }], answers: false }
  assert.equal((await evaluateFolder({ ...input, embeddings: null })).recallAt5, 0)
  assert.equal((await evaluateFolder({ ...input, embeddings })).recallAt1, 1)
  server.trouble = { status: 401 }
  await assert.rejects(evaluateFolder({ ...input, embeddings }), /answered 401/)
})
