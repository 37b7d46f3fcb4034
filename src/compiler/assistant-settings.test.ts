import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAssistantSettings } from './assistant-settings.ts'
import type { Json } from './loose-json.ts'
import { ProblemList } from './problems.ts'

function read(value: Json | undefined) {
  const problems = new ProblemList()
  const settings = readAssistantSettings(value, 'docs.json', JSON.stringify({ assistant: value }), problems)
  return { settings, problems: problems.sorted().map(({ code, message }) => `${code}: ${message}`) }
}

test('starter questions and the place for help are read from docs.json', () => {
  assert.deepEqual(read(undefined), { settings: undefined, problems: [] })
  assert.deepEqual(read({}), { settings: undefined, problems: [] })
  assert.deepEqual(read({ starterQuestions: [' How? '], supportUrl: 'https://example.com/help' }), {
    settings: { starterQuestions: ['How?'], supportUrl: 'https://example.com/help' },
    problems: [],
  })
  for (const supportUrl of ['/support', 'mailto:help@example.com']) {
    assert.deepEqual(read({ supportUrl }).settings, { starterQuestions: [], supportUrl })
  }
})

test('what cannot be used is a problem, and the rest holds', () => {
  for (const value of ['x', [], 3] as Json[]) assert.equal(read(value).problems.length, 1)
  const { settings, problems } = read({
    starterQuestions: ['How?', 3, ''],
    supportUrl: 'javascript:alert(1)',
  })
  assert.deepEqual(settings, { starterQuestions: ['How?'] })
  assert.equal(problems.length, 2)
  for (const supportUrl of ['//evil.example', 'data:text/html,x', 'https://a b', 'mailto:nobody', 7]) {
    assert.equal(read({ supportUrl }).settings, undefined, String(supportUrl))
  }
  assert.equal(read({ starterQuestions: Array(11).fill('Why?') }).settings?.starterQuestions.length, 10)
})
