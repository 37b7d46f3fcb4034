import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mendHtml } from './mend-html.ts'

const mended = (text: string) => mendHtml(text).text

test('comments, open tags and addresses of HTML become MDX, each told with its place', () => {
  const { text, repairs } = mendHtml(
    'One<br>two\n<!-- a\n*/ b -->\n<https://example.com/a> and <me@example.com>',
  )
  assert.equal(
    text,
    'One<br/>two\n{/* a\n* / b */}\n[https://example.com/a](https://example.com/a) and [me@example.com](mailto:me@example.com)',
  )
  assert.deepEqual(
    repairs.map(({ severity, line, column }) => [severity, line, column]),
    [
      ['warning', 1, 4],
      ['warning', 2, 1],
      ['warning', 4, 1],
      ['warning', 4, 29],
    ],
  )
})

test('attributes without quotes get them, and what is right stays', () => {
  assert.equal(mended('<img src=/a.png width=20 alt="b c">'), '<img src="/a.png" width="20" alt="b c"/>')
  for (const text of ['<img src="/a.png" />', '<br/>', '<hr />', '<Image src={a} />', 'a < b', '<imgx>'])
    assert.deepEqual(mendHtml(text), { text, repairs: [] })
})

test('braces of styles are only braces, and lines stay where they are', () => {
  const styles = '<style>\n  .a { color: red }\n\n  .b::after { content: "`" }\n</style>\n'
  const { text, repairs } = mendHtml(styles)
  assert.equal(text, '<style>\n{`  .a { color: red }\n\n  .b::after { content: "\\`" }`}\n</style>\n')
  assert.deepEqual(repairs, [])
  assert.equal(mended('<style>{`.a {}`}</style>'), '<style>{`.a {}`}</style>')
})

test('code keeps what it shows', () => {
  const code = '```html\n<br>\n<!-- kept -->\n```\n\n`<br>` and ``a ` <hr>``\n\n~~~\n<img>\n~~~\n'
  assert.deepEqual(mendHtml(code), { text: code, repairs: [] })
  assert.match(mended(`${code}<br>`), /<br\/>$/)
})
