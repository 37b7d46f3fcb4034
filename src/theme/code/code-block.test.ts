import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainText } from '../content/element.ts'
import { renderHtml } from '../content/render-html.ts'
import { testContext } from '../testing.ts'
import { renderCodeBlock } from './code-block.ts'
import { readCodeMeta } from './code-meta.ts'
import { highlightLines } from './highlight.ts'

const render = (code: string, language: string, meta = '') =>
  renderHtml(renderCodeBlock({ code, language, meta, page: testContext() }), { decorate: true })

test('meta is read in every form people write', () => {
  assert.equal(readCodeMeta('src/index.ts').title, 'src/index.ts')
  assert.equal(readCodeMeta('title="A b" lines').title, 'A b')
  assert.equal(readCodeMeta('Expandable example expandable').title, 'Expandable example')
  assert.equal(readCodeMeta('icon="python" expandable a/b.py').icon, 'python')
  assert.equal(readCodeMeta('HelloWorld.java example icon=java lines').title, 'HelloWorld.java example')
  assert.deepEqual([...readCodeMeta('{1,3-5} wrap').highlighted], [1, 3, 4, 5])
  assert.deepEqual([...readCodeMeta('highlight="4"').highlighted], [4])
  assert.deepEqual([...readCodeMeta('focus={3-4, 6-7}').focused], [3, 4, 6, 7])
  assert.equal(readCodeMeta('test="skip"').title, '')
})

test('highlighted code keeps every character', () => {
  const code = 'def f(a: int) -> str:\n\treturn f"<{a}>" # &\n\n@x\nclass A(B): pass'
  for (const language of [
    'python',
    'ts',
    'bash',
    'json',
    'yaml',
    'sql',
    'go',
    'rust',
    'html',
    'mdx',
    'diff',
    'nonsense',
    '',
  ]) {
    const text = highlightLines(code, language)
      .join('\n')
      .replace(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
    assert.equal(text, code, language)
  }
})

test('a language nobody knows is written plain', () => {
  assert.match(render('a < b', 'nonsense'), /<code class="language-nonsense">a &lt; b<\/code>/)
})

test('marks in comments become lines and leave the code', () => {
  const html = render('a()\nb() // [!code ++]\nc() // [!code --]', 'js')
  assert.match(html, /class="line added"/)
  assert.match(html, /class="line removed"/)
  assert.doesNotMatch(html, /!code/)
})

test('the code can be read from the tree without its colours', () => {
  const nodes = renderCodeBlock({ code: 'const a = 1\n', language: 'ts', meta: '', page: testContext() })
  assert.equal(plainText(nodes), 'const a = 1')
})

test('a diagram keeps its source for readers without scripts', () => {
  assert.match(render('graph TD; A-->B', 'mermaid'), /<figure class="diagram"[^>]*>.*A--&gt;B/)
})
