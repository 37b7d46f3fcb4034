import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepareMath } from './prepare-math.ts'

const sure = '\n\n$x^2$\n'

function escaped(text: string): string {
  const prepared = prepareMath(text + sure, 'mdx')
  assert.equal(prepared.singleDollars, true)
  return prepared.text.slice(0, -sure.length)
}

test('a page of prices and variables is left as it is', () => {
  const text = 'It costs $5 and $10, or $1,000 to $2,000. Set $HOME and $PATH, or $MY_VAR and $OTHER_VAR.'
  assert.deepEqual(prepareMath(text, 'mdx'), { text, singleDollars: false })
})

test('on a page with formulas prices and variables keep their dollars', () => {
  assert.equal(
    escaped('From $5-$10, US$20 and $HOME/bin:$PATH.'),
    'From \\$5-\\$10, US\\$20 and \\$HOME/bin:\\$PATH.',
  )
  assert.equal(escaped('It costs $5 and then $10 a month.'), 'It costs \\$5 and then \\$10 a month.')
  assert.equal(escaped('**$0.50** per call, **$1.00** each'), '**\\$0.50** per call, **\\$1.00** each')
})

test('formulas stay formulas, also short ones', () => {
  for (const text of [
    '$E = mc^2$',
    'a variable $n$ and $f(x)$',
    '$O(n \\log n)$',
    '$$\\int_0^1 x dx$$',
    '$a + b$',
  ])
    assert.equal(escaped(text), text)
})

test('code, tags and expressions are not touched', () => {
  const text =
    '```bash\necho $5 $HOME\n```\n\n`$5` {`$price $5`} <Card title="$5 a month" />\n\nexport const cost = "$5"\n'
  assert.equal(escaped(text), text)
})

test('a dollar that is escaped already is not escaped again', () => {
  assert.equal(escaped('Price \\$5 and \\$6'), 'Price \\$5 and \\$6')
})
