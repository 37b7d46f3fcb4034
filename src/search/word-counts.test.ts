import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteReader } from './core/bytes.ts'
import { tokenize } from './core/tokenize.ts'
import { Lexicon, WordCounts } from './word-counts.ts'

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

test('counts can be read again, whatever order the forms of an identifier come in', () => {
  const counts = new WordCounts(new Lexicon())
  counts.countShared(0, 'a.b.a')
  let end = 0
  for (let local = 0; local < 200; local++)
    end = counts.countPassage(1, local, 'a.b.a x::y::x->y app.router.app.useChat', end)
  const bytes = counts.write()
  const input = new ByteReader(bytes)
  for (const term of counts.terms) {
    const stop = input.varint() + input.offset
    const fields = input.varint()
    if (fields & 1) input.varint()
    for (let passages = input.varint(); passages > 0; passages--) {
      input.skip(4)
      let position = -1
      let before = 0
      for (let positions = input.varint(); positions > 0; positions--) {
        before += input.varint()
        assert.ok(before >= position && before < end, term)
        position = before
      }
    }
    assert.equal(input.offset, stop, term)
  }
  assert.equal(input.offset, bytes.length)
})
