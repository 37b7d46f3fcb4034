import assert from 'node:assert/strict'
import { test } from 'node:test'
import { components } from '../components/index.ts'
import { h, trustedHtml } from '../content/element.ts'
import { testAssets, testContext, testPage, testSite } from '../testing.ts'
import { renderFailedPage, renderNotFoundPage, renderRedirectPage } from './other-pages.ts'
import { renderPage } from './render-page.ts'

test('a page runs no script but files of the bundle and no handler in its markup', () => {
  const html = renderPage(
    testPage({ content: { type: 'root', children: [h('p', { onclick: 'x()' }, 'Hello')] } }),
    testSite({
      contextualOptions: ['copy', 'view', 'chatgpt'],
      feedback: true,
      banner: { content: [], dismissible: true },
    }),
    testAssets,
  )
  for (const [, attributes = '', body = ''] of html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)) {
    if (attributes.includes('application/ld+json')) continue
    assert.match(attributes, /src="\.\.\/_quire\//)
    assert.equal(body, '')
  }
  assert.doesNotMatch(html, /\son[a-z]+=/)
  assert.doesNotMatch(html, /(src|href)="https?:\/\/(?!chatgpt)/)
})

test('text of the author cannot leave its place in the page', () => {
  const evil = '"><script>alert(1)</script>'
  const html = renderPage(
    testPage({
      title: evil,
      sidebarTitle: evil,
      description: evil,
      tag: evil,
      path: evil,
      breadcrumbs: [{ label: evil }],
      tableOfContents: [{ depth: 2, id: evil, label: evil }],
      sidebar: [
        { type: 'page', label: evil, href: evil, active: true, external: false, method: evil, tag: evil },
      ],
      tabs: [{ label: evil, href: evil, active: true }],
      previous: { label: evil, href: evil },
      editUrl: evil,
      metatags: [{ name: evil, content: evil }],
    }),
    testSite({
      name: evil,
      searchPrompt: evil,
      footer: { socials: [{ name: evil, href: evil }], columns: [{ header: evil, links: [] }] },
    }),
    testAssets,
  )
  assert.doesNotMatch(html, /<script>alert/)
})

test('examples stand beside the text and the text fills the rest', () => {
  const page = testContext()
  const example =
    components.RequestExample?.({
      name: 'RequestExample',
      props: {},
      children: [trustedHtml('<pre>curl</pre>')],
      page,
    }) ?? []
  const html = renderPage(
    testPage({ content: { type: 'root', children: [h('p', null, 'Text'), ...example] } }),
    testSite(),
    testAssets,
  )
  assert.match(html, /<aside class="aside"[^>]*><section class="example example-request"/)
  assert.match(html, /<body class="[^"]*has-aside/)
})

test('formulas and diagrams bring what draws them, other pages do not', () => {
  const plain = renderPage(testPage(), testSite(), testAssets)
  assert.doesNotMatch(plain, /math\.css|mermaid\.js/)
  const rich = renderPage(testPage({ needs: { mermaid: true, math: true } }), testSite(), testAssets)
  assert.match(rich, /href="\.\.\/_quire\/assets\/math\.css"/)
  assert.match(rich, /data-mermaid="\.\.\/_quire\/assets\/mermaid\.js"/)
})

test('a page speaks its language and reads in its direction', () => {
  const html = renderPage(
    testPage({ language: 'ar', direction: 'rtl', tableOfContents: [{ depth: 2, id: 'a', label: 'أ' }] }),
    testSite(),
    testAssets,
  )
  assert.match(html, /<html lang="ar" dir="rtl"/)
  assert.match(html, /في هذه الصفحة/)
})

test('the same page is the same bytes', () => {
  const once = () => renderPage(testPage({ lastUpdated: '2026-03-01T23:30:00Z' }), testSite(), testAssets)
  assert.equal(once(), once())
  assert.match(once(), /March 1, 2026/)
})

test('one switch serves all the views of a page', () => {
  const page = testContext()
  const view = (title: string) =>
    components.View?.({ name: 'View', props: { title }, children: [h('p', null, title)], page }) ?? []
  const html = renderPage(
    testPage({ content: { type: 'root', children: [...view('Go'), ...view('Rust')] } }),
    testSite(),
    testAssets,
  )
  assert.equal(html.match(/class="view-switch/g)?.length, 1)
  assert.match(html, /data-view="Rust" aria-pressed="false"/)
})

test('an old address leads to the new one without scripts', () => {
  const html = renderRedirectPage({ to: '../new/place.html#x' })
  assert.match(html, /http-equiv="refresh" content="0; url=\.\.\/new\/place\.html#x"/)
  assert.match(html, /<a href="\.\.\/new\/place\.html#x">/)
})

test('a missing page leads home and a failed one says where and why', () => {
  assert.match(
    renderNotFoundPage(testPage(), testSite(), testAssets, { homeHref: 'index.html' }),
    /href="index\.html">Go to the start page/,
  )
  const failed = renderFailedPage(testPage(), testSite(), testAssets, {
    message: 'Unclosed tag',
    hint: 'Close it.',
    file: 'a.mdx',
    line: 3,
    column: 7,
  })
  assert.match(failed, /Unclosed tag/)
  assert.match(failed, /a\.mdx:3:7/)
})
