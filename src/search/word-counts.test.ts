import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenize } from './core/tokenize.ts'
import { Lexicon } from './word-counts.ts'

const signs = [
  ' ',
  '-',
  '--',
  '.',
  ':',
  '::',
  '->',
  '>',
  "'",
  '$',
  '@',
  '#',
  '+',
  '++',
  '_',
  '\n',
  '(',
  '"',
  '/',
  '`',
]
const words = [
  'a',
  'useChat',
  'HTTPServer',
  'x2',
  '9',
  'don',
  's',
  'C',
  '_x',
  'réseau',
  'server',
  'PORT',
  '設定',
]

test('cuts and counts words exactly as the tokenizer of queries does', () => {
  const lexicon = new Lexicon()
  let seed = 7
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
  for (let round = 0; round < 20_000; round++) {
    let text = ''
    for (let i = next(9); i >= 0; i--)
      text += next(2) === 0 ? signs[next(signs.length)] : words[next(words.length)]
    const expected: [string, number][] = []
    const end = tokenize(text, (term, position) => expected.push([term, position]), 3)
    const found: [string, number][] = []
    assert.equal(
      lexicon.read(text, 3, ({ text: term }, position) => found.push([term, position])),
      end,
      text,
    )
    assert.deepEqual(found, expected, JSON.stringify(text))
  }
})
