import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexOf, pageOf } from '../search/testing.ts'
import { evalCommand, evaluateIndex } from './eval.ts'

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
