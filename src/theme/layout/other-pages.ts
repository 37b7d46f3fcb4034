import { escapeAttribute, escapeText } from '../content/escape.ts'
import type { PageView, SiteView, ThemeAssets } from '../theme-api.ts'
import { h } from '../content/element.ts'
import { renderPage } from './render-page.ts'
import { wordsFor } from './words.ts'

/** The page at an old address, which leads to the new one with and without scripts. */
export function renderRedirectPage(input: {
  to: string
  title?: string
  canonicalUrl?: string
  language?: string
}): string {
  const words = wordsFor(input.language ?? 'en')
  const href = escapeAttribute(input.to)
  const canonical = escapeAttribute(input.canonicalUrl ?? input.to)
  return `<!doctype html>
<html lang="${escapeAttribute(input.language ?? 'en')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0; url=${href}">
<link rel="canonical" href="${canonical}">
<title>${escapeText(input.title ?? words.moved)}</title>
</head>
<body style="font:16px/1.6 system-ui,sans-serif;margin:3rem">
<p>${escapeText(words.moved)}: <a href="${href}">${href}</a></p>
</body>
</html>
`
}

/** What a reader sees at an address that holds no page. `view` is a page of the site to stand in, content aside. */
export function renderNotFoundPage(
  view: PageView,
  site: SiteView,
  assets: ThemeAssets,
  options: { homeHref: string; title?: string; description?: string },
): string {
  const words = wordsFor(view.language)
  return renderPage(
    {
      ...plainView(view),
      title: options.title ?? words.notFound,
      description: options.description ?? words.notFoundHint,
      mode: 'center',
      noindex: true,
      breadcrumbs: [],
      markdownHref: '',
      content: {
        type: 'root',
        children: [
          h(
            'p',
            { className: ['status-action'] },
            h('a', { className: ['button', 'button-primary'], href: options.homeHref }, words.home),
          ),
        ],
      },
    },
    site,
    assets,
  )
}

/** The place of a page that could not be rendered: says so, and says why to the author who reads it. */
export function renderFailedPage(
  view: PageView,
  site: SiteView,
  assets: ThemeAssets,
  failure: { message: string; hint: string; file: string; line: number; column: number },
): string {
  const words = wordsFor(view.language)
  return renderPage(
    {
      ...plainView(view),
      content: {
        type: 'root',
        children: [
          h(
            'div',
            { className: ['callout', 'callout-danger'], role: 'note', ariaLabel: words.failed },
            h(
              'div',
              { className: ['callout-body'] },
              h('p', { className: ['callout-title'] }, words.failed),
              h('p', null, failure.message),
              failure.hint === '' ? null : h('p', null, failure.hint),
              h('p', null, h('code', null, `${failure.file}:${failure.line}:${failure.column}`)),
            ),
          ),
        ],
      },
    },
    site,
    assets,
  )
}

function plainView(view: PageView): PageView {
  const {
    aside: _aside,
    editUrl: _edit,
    lastUpdated: _updated,
    feedHref: _feed,
    canonicalUrl: _canonical,
    previous: _previous,
    next: _next,
    ...rest
  } = view
  return { ...rest, tableOfContents: [], needs: { mermaid: false, math: false } }
}
