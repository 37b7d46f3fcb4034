import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ElementContent } from 'hast'
import { renderCodeBlock } from '../code/code-block.ts'
import { h } from '../content/element.ts'
import { renderHtml } from '../content/render-html.ts'
import { testContext } from '../testing.ts'
import { components } from './index.ts'

function render(
  name: string,
  props: Record<string, unknown>,
  children: ElementContent[] = [],
  page = testContext(),
): string {
  const component = components[name]
  assert.ok(component, `${name} is a component`)
  return renderHtml(component({ name, props, children, page }), { decorate: true })
}

const paragraph = (text: string) => h('p', null, text)

test('every component renders with no props at all and with props of the wrong kind', () => {
  for (const [name, component] of Object.entries(components)) {
    for (const props of [
      {},
      { title: 3, icon: 7, href: null, cols: {}, type: [], tags: 5, value: false, style: [] },
    ]) {
      const nodes = component({ name, props, children: [paragraph('words')], page: testContext() })
      assert.ok(Array.isArray(nodes), name)
      assert.doesNotMatch(renderHtml(nodes, { decorate: true }), /undefined|\[object Object\]|NaN/, name)
    }
  }
})

test('a callout takes its kind from its type', () => {
  assert.match(render('Callout', { type: 'warning' }, [paragraph('Mind the gap')]), /callout-warning/)
  assert.match(render('Note', { title: 'Heed' }, [paragraph('x')]), /callout-title">Heed/)
})

test('a card links once, over its whole face, and shows its icon', () => {
  const html = render('Card', { title: 'Start here', href: '/start', icon: 'rocket' }, [paragraph('Go')])
  assert.match(html, /<a class="card-link" href="\/start">Start here<\/a>/)
  assert.match(html, /<svg class="icon"/)
})

test('columns are read from numbers and from text', () => {
  assert.match(render('CardGroup', { cols: '3' }), /--q-columns:3/)
  assert.match(render('Columns', { cols: 4 }), /--q-columns:4/)
})

test('tabs keep every panel in the page and say which tab rules which', () => {
  const page = testContext()
  const tab = (title: string) =>
    components.Tab?.({ name: 'Tab', props: { title }, children: [paragraph(`in ${title}`)], page }) ?? []
  const html = render('Tabs', {}, [h('p', null, tab('One')), ...tab('Two')], page)
  assert.match(html, /role="tab"[^>]*id="tab-one-tab"[^>]*aria-controls="tab-one"[^>]*aria-selected="true"/)
  assert.match(html, /in One/)
  assert.match(html, /in Two/)
})

test('a code group names untitled blocks by their language and numbers twins', () => {
  const page = testContext()
  const code = (language: string, meta: string) => renderCodeBlock({ code: 'x = 1', language, meta, page })
  const html = render(
    'CodeGroup',
    {},
    [...code('python', ''), ...code('ts', 'index.ts'), ...code('python', '')],
    page,
  )
  assert.match(html, /data-label="Python"/)
  assert.match(html, /data-label="index.ts"/)
  assert.match(html, /data-label="Python 2"/)
  assert.doesNotMatch(html, /code-header/)
})

test('steps are a list, numbered, and each can be linked to', () => {
  const page = testContext()
  const step =
    components.Step?.({ name: 'Step', props: { title: 'Install it' }, children: [paragraph('npm')], page }) ??
    []
  assert.match(render('Steps', {}, step, page), /<ol class="steps"><li class="step" id="install-it">/)
})

test('accordions open without scripts', () => {
  assert.match(
    render('Accordion', { title: 'Why', defaultOpen: 'true' }),
    /<details class="accordion" id="why" open>/,
  )
  assert.doesNotMatch(render('Accordion', { title: 'Why', defaultOpen: 'false' }), / open/)
})

test('a field shows name, type, place, default and whether it is required', () => {
  const html = render('ParamField', { body: 'user.id', type: 'string', required: true, default: 'me' }, [
    paragraph('Who'),
  ])
  assert.match(html, /class="field-name" href="#param-user-id">user\.id</)
  assert.match(html, /field-type">string/)
  assert.match(html, /required/)
  assert.match(html, /default: <\/span>me/)
})

test('an unknown icon is reported and drawn as a neutral mark', () => {
  const page = testContext()
  assert.match(render('Icon', { icon: 'no-such-icon-anywhere' }, [], page), /<circle/)
  assert.equal(page.reports[0]?.code, 'unknown_icon')
})

test('names of paid icons find a free one without a report', () => {
  const page = testContext()
  for (const icon of [
    'rocket-launch',
    'brackets-curly',
    'fa-solid fa-rocket',
    'lucide:webhook',
    'FileText',
    'github',
  ]) {
    assert.doesNotMatch(render('Icon', { icon }, [], page), /<circle cx="12" cy="12" r="4"/, icon)
  }
  assert.deepEqual(page.reports, [])
})

test('what is meant for machines alone is not shown to readers', () => {
  assert.equal(render('Visibility', { for: 'agents' }, [paragraph('x')]), '')
  assert.match(render('Visibility', { for: 'humans' }, [paragraph('x')]), /x/)
})

test('a style prop keeps its numbers and drops what would load a file', () => {
  assert.match(
    render('Frame', { style: { maxWidth: 300, background: 'url(http://x/y)' } }),
    /style="max-width:300px"/,
  )
})
