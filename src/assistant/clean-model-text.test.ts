import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MdastNode, markdownToMdast } from 'satteri'
import { cleanModelText } from './clean-model-text.ts'
import { type AnswerSite, Passages } from './passages.ts'
import { kilnAnswerSite } from './testing.ts'

const site = await kilnAnswerSite()

const passages = new Passages(site.siteUrl)
for (const hit of await site.index.search({ query: 'ERR_4012 thermocouple', limit: 1 })) passages.add(hit)
for (const hit of await site.index.search({ query: 'bisque firing', limit: 1 })) passages.add(hit)

function clean(text: string, pieces: string[] = [text], ownSite: AnswerSite = site): string {
  const cleaner = cleanModelText({ site: ownSite, passages })
  return pieces.map((piece) => cleaner.push(piece)).join('') + cleaner.end()
}

const cases: [what: string, given: string, expected: string][] = [
  ['plain text', 'Fire slowly, then wait.', 'Fire slowly, then wait.'],
  ['a citation', 'Check it [1].', 'Check it [1](https://kiln.example/reference/errors#err-4012).'],
  [
    'citations in one bracket',
    'A [1, 2] b',
    'A [1](https://kiln.example/reference/errors#err-4012) [2](https://kiln.example/guide/schedules#bisque) b',
  ],
  [
    'a citation in corner brackets',
    'A【1†source】.',
    'A[1](https://kiln.example/reference/errors#err-4012).',
  ],
  ['a footnote for a citation', 'A[^1].', 'A[1](https://kiln.example/reference/errors#err-4012).'],
  [
    'a citation with an address of its own',
    'A [1](https://evil.example).',
    'A [1](https://kiln.example/reference/errors#err-4012).',
  ],
  ['a citation of nothing', 'A claim [7]. More [99] of it.', 'A claim. More of it.'],
  ['an index in code', 'Use `list[0]` or `a[1]`.', 'Use `list[0]` or `a[1]`.'],
  ['an image', 'See ![a kiln](https://evil.example/x.png)!', 'See a kiln!'],
  [
    'an image by reference',
    'See ![a kiln][k].\n\n[k]: https://evil.example',
    'See a kiln[k].\n\n\\[k\\]: `https://evil.example`',
  ],
  ['a link out of the site', 'See [this](https://evil.example/?q=secret).', 'See this.'],
  ['a link with a title', 'See [this](https://evil.example "t(i)tle").', 'See this.'],
  ['a script link', '[x](javascript:alert(1))', 'x'],
  [
    'a link to a page',
    'See [install](/guide/install#with-npm).',
    'See [install](https://kiln.example/guide/install#with-npm).',
  ],
  ['a link to no page', 'See [that](/guide/nothing).', 'See that.'],
  [
    'a link that a passage has',
    'Buy [spares](https://parts.example.com/plug).',
    'Buy [spares](https://parts.example.com/plug).',
  ],
  ['a link that begins like that of a passage', '[x](https://parts.example.com/plug2)', 'x'],
  ['a bare address', 'Go to https://evil.example/a?b=c.', 'Go to `https://evil.example/a?b=c`.'],
  [
    'a bare address of the site',
    'Go to https://kiln.example/guide/install.',
    'Go to <https://kiln.example/guide/install>.',
  ],
  ['an address in angle brackets', '<https://evil.example>', '`https://evil.example`'],
  ['HTML', 'A <b>bold</b> <img src=x onerror=alert(1)> word', 'A bold word'],
  ['a script', 'A <script>alert("<b>")</script> word', 'A word'],
  ['a comment', 'A <!-- hidden\n\n text --> word', 'A word'],
  [
    'a component',
    'Use the <Card> component and Map<string>.',
    'Use the &lt;Card> component and Map&lt;string>.',
  ],
  ['less than', 'a < b and 1 <2', 'a < b and 1 <2'],
  [
    'HTML in code',
    'Write `<b>` or\n\n```html\n<img src="x">\n[1] ![a](b)\n```\n',
    'Write `<b>` or\n\n```html\n<img src="x">\n[1] ![a](b)\n```\n',
  ],
  ['code that never closes', '```js\nlet a = "<b>"', '```js\nlet a = "<b>"\n```\n'],
  ['a backtick that never closes', 'A `lonely ![x](https://evil.example) tick', 'A \\`lonely x tick'],
  ['code in a list', '- a\n  ```sh\n  kiln <x>\n  ```\n- b', '- a\n\n  ```sh\n  kiln <x>\n  ```\n- b'],
  [
    'code whose list ends',
    '- a\n  ```\n  code\n![x](https://evil.example)',
    '- a\n\n  ```\n  code\n  ```\n\nx',
  ],
  [
    'terminal sequences',
    'a\u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
    'ared link',
  ],
  ['hidden characters', 'a\u202eb\u200bc\u{e0041}d\u2066e', 'abcde'],
  ['joined emoji and letters', '👩‍🔬 نمی‌دانم a‍b', '👩‍🔬 نمی‌دانم ab'],
  ['an address with hidden characters', 'ht\u200btps://evil.example', '`https://evil.example`'],
  ['an address in pieces', 'ht[tp](x)://evil.example', 'http:`//evil.example`'],
  ['an escaped address', 'https\\://evil.example', '`https://evil.example`'],
  ['an address in entities', 'https&colon;//evil.example', 'https&amp;colon;`//evil.example`'],
  ['brackets', 'An array[index] and [x] and [ ] and \\[y\\]', 'An array[index] and [x] and [ ] and \\[y\\]'],
  ['a mail address', 'Write to me@evil.example now', 'Write to `me@evil.example` now'],
  ['packages and versions', 'Install @kiln/core and kiln@1.2.', 'Install @kiln/core and `kiln@1.2`.'],
  ['tables', '| a | b |\n|---|---|\n| 1 | `x|y` |', '| a | b |\n|---|---|\n| 1 | `x\\|y` |'],
]

for (const [what, given, expected] of cases) {
  test(`passes on ${what} as a reader may see it`, () => {
    assert.equal(clean(given), expected)
    assert.equal(clean(given, [...given]), expected)
  })
}

test('gives the same for every way a text is cut', () => {
  const random = randomFrom(7)
  for (let round = 0; round < 400; round += 1) {
    const text = randomText(random)
    const pieces: string[] = []
    for (let at = 0; at < text.length; ) {
      const length = 1 + Math.floor(random() * 12)
      pieces.push(text.slice(at, at + length))
      at += length
    }
    assert.equal(clean(text, pieces), clean(text), JSON.stringify(pieces))
  }
})

test('leaves no image, no HTML and no foreign link in 20,000 texts that try', () => {
  const random = randomFrom(11)
  for (let round = 0; round < 20_000; round += 1) {
    const text = randomText(random)
    const cleaned = clean(text)
    const bad = forbidden(markdownToMdast(cleaned))
    assert.equal(bad, undefined, `${bad}\n${JSON.stringify(text)}\n${JSON.stringify(cleaned)}`)
  }
})

function forbidden(node: MdastNode): string | undefined {
  if (
    ['image', 'imageReference', 'html', 'definition', 'linkReference', 'footnoteReference'].includes(
      node.type,
    )
  ) {
    return node.type
  }
  if (node.type === 'link' && !/^https:\/\/(kiln\.example(\/|$)|parts\.example\.com\/plug$)/.test(node.url)) {
    return `link to ${node.url}`
  }
  for (const child of 'children' in node ? node.children : []) {
    const bad = forbidden(child)
    if (bad) return bad
  }
  return undefined
}

const fragments = [
  ...'![]()<>`~\\&:/.@#*_-+|"\' \n\t'.split(''),
  '\n\n',
  '\n',
  '    ',
  '  ',
  '- ',
  '1. ',
  '> ',
  '```',
  '~~~',
  '``',
  '![',
  '](',
  '](<',
  '[x]',
  '[1]',
  '[^1]',
  '[9]',
  '[k]:',
  '<b>',
  '</b>',
  '<img src=https://evil.example>',
  '<!--',
  '-->',
  '<script>',
  '</script>',
  '<a href="',
  '<https://evil.example>',
  'https://evil.example',
  'http',
  '://',
  'www.',
  'evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '(https://evil.example)',
  '(/guide/install)',
  'https://kiln.example/',
  '&#58;',
  '&colon;',
  '&lt;',
  '&',
  'word',
  'kiln',
  'ü',
  '焼',
  '🏺',
  '\u200b',
  '\u202e',
  '\u001b[31m',
  '"title"',
  'me@evil.example',
  '# ',
  '===',
  '---',
  '| a | b |\n|---|---|\n',
  '【1】',
  '$',
  '{',
  '}',
]

function randomText(random: () => number): string {
  const length = 2 + Math.floor(random() * 24)
  return Array.from({ length }, () => fragments[Math.floor(random() * fragments.length)]).join('')
}

function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
