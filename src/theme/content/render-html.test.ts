import assert from 'node:assert/strict'
import { test } from 'node:test'
import { h } from './element.ts'
import { renderHtml } from './render-html.ts'

const render = (...nodes: Parameters<typeof renderHtml>[0]) => renderHtml(nodes, { decorate: true })

test('text and attributes are escaped', () => {
  assert.equal(
    render(h('p', { title: 'a "b" <c>' }, '<b> & c')),
    '<p title="a &quot;b&quot; &lt;c&gt;">&lt;b&gt; &amp; c</p>',
  )
})

test('scripts, event handlers and active addresses are never written', () => {
  const html = render(
    h('script', null, 'alert(1)'),
    h('p', { onclick: 'alert(1)', onMouseOver: 'alert(1)' }, 'x'),
    h('a', { href: 'java\nscript:alert(1)' }, 'y'),
    { type: 'raw', value: '<img onerror=alert(1)>' } as never,
  )
  assert.equal(html, '<p>x</p><a>y</a>')
})

test('a heading with an id links to itself', () => {
  assert.match(
    render(h('h2', { id: 'set-up' }, 'Set up')),
    /^<h2 id="set-up">Set up<a class="heading-link" href="#set-up"/,
  )
})

test('foreign frames and pictures load only when asked for', () => {
  const frame = render(h('iframe', { src: 'https://www.youtube.com/embed/x', title: 'A film' }))
  assert.doesNotMatch(frame, /<iframe/)
  assert.match(frame, /href="https:\/\/www\.youtube\.com\/embed\/x"/)
  assert.doesNotMatch(render(h('img', { src: 'https://example.com/a.png', alt: 'A' })), /<img/)
  assert.doesNotMatch(render(h('video', null, h('source', { src: 'https://example.com/a.mp4' }))), /<video/)
})

test('the names of SVG attributes keep their case', () => {
  const html = render(
    h('svg', { viewBox: '0 0 1 1', strokeWidth: 2 }, h('path', { d: 'M0 0', fillRule: 'evenodd' })),
  )
  assert.equal(
    html,
    '<svg viewBox="0 0 1 1" stroke-width="2"><path d="M0 0" fill-rule="evenodd"></path></svg>',
  )
})

test('a picture of known size keeps its place, in the proportion its author asks for', () => {
  const options = { decorate: true, imageSize: () => ({ width: 640, height: 320 }) }
  assert.match(renderHtml([h('img', { src: 'a.png', alt: '' })], options), /width="640" height="320"/)
  assert.match(
    renderHtml([h('img', { src: 'a.png', alt: '', width: 100 })], options),
    /width="100".* height="50"/,
  )
})

test('code in a table stays in one piece unless it is long', () => {
  const cell = (value: string) =>
    renderHtml([h('table', null, h('tr', null, h('td', null, h('code', null, value))))], { decorate: true })
  assert.match(cell('navigation.tabs'), /<code>navigation\.tabs/)
  assert.match(cell('navigation.'.repeat(5)), /<code class="long">/)
})

test('a film that is not in the project leaves its place, and its classes', () => {
  const film = h('video', { src: 'a.mp4', className: ['dark:hidden'] })
  assert.equal(
    renderHtml([film], { decorate: true, imageSize: () => 'missing' }).replace(/<svg.*<\/svg>/, ''),
    '<span class="dark:hidden"><span class="foreign-image large"></span></span>',
  )
})
