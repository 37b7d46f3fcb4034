import { siteColors } from '../colors.ts'
import { h } from '../content/element.ts'
import { escapeAttribute, escapeText } from '../content/escape.ts'
import type { PageView, SiteView, ThemeAssets } from '../theme-api.ts'
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
  const whole = renderPage(
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
            h('a', { className: ['button', 'button-primary', 'home'], href: options.homeHref }, words.home),
            h('a', { className: ['home-bare'], href: '/' }, words.home),
          ),
        ],
      },
    },
    site,
    assets,
  )
  return whole.replace('<link rel="stylesheet"', `${bareStyles(site)}<link rel="stylesheet"`)
}

/**
 * A plain host of files answers with this page at any depth, where neither its styles nor its scripts are found: then
 * the message stands alone and looks like the site, and the way home is the host's own root. Where the styles are
 * found they win, because they stand in no layer.
 */
function bareStyles(site: SiteView): string {
  const colors = siteColors(site.colors, { light: '#ffffff', dark: '#0c0d10' })
  const rules = [
    'body{display:grid;place-content:center;min-height:90vh;margin:0;padding:1rem;font:1rem/1.6 system-ui,sans-serif;text-align:center;color:#3a414d;background:#fff}',
    '.skip-link,.banner,.top-bar,.sidebar,.contents,.page-footer,.site-footer,.home{display:none}',
    'h1{margin:0;font-size:2rem;line-height:1.2;color:#0f131a}',
    `.home-bare{display:inline-block;padding:.45rem 1.1rem;border-radius:999px;text-decoration:none;color:${colors.buttonLightText};background:${colors.buttonLight}}`,
    `@media(prefers-color-scheme:dark){body{color:#c9ced6;background:#0c0d10}h1{color:#f4f5f7}.home-bare{color:${colors.buttonDarkText};background:${colors.buttonDark}}}`,
  ]
  return `<style>@layer bare{${rules.join('')}}</style>\n`
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
