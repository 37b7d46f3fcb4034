import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCovered } from './judge-coverage.ts'
import { Passages } from './passages.ts'

function judge(content: string, { score, coverage }: { score: number; coverage: number }): boolean {
  const passages = new Passages('https://kiln.example')
  passages.add({
    path: 'drying',
    title: 'Drying',
    description: '',
    heading: 'Drying',
    content,
    score,
    coverage,
  })
  return isCovered({
    question: 'Which humidity should cupboard shelves hold before glazed porcelain tiles crack?',
    passages: passages.all,
    siteName: 'Kiln',
    pageCount: 500,
    language: undefined,
  })
}

test('answers a long question when one sentence has a good part of it', () => {
  assert.equal(
    judge('Keep the humidity of porcelain tiles low on the shelves.', { score: 0.55, coverage: 0.5 }),
    true,
  )
})

test('refuses a long question of which a page has scattered words', () => {
  assert.equal(judge('Shelves are oak. Tiles are heavy.', { score: 0.35, coverage: 0.25 }), false)
})
