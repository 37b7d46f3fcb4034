import { createHash } from 'node:crypto'
import type { ElementContent, RootContent } from 'hast'
import { h, hasClass } from '../content/element.ts'
import { escapeAttribute, escapeText } from '../content/escape.ts'
import { partOf } from '../content/parts.ts'
import { renderHtml } from '../content/render-html.ts'
import { utilityStyles } from '../content/utility-styles.ts'
import type { PageView, SiteView, ThemeAssets } from '../theme-api.ts'
import { renderHead } from './head.ts'
import { renderIconString } from './layout-icons.ts'
import type { PageContext } from './page-context.ts'
import { renderPageFooter, renderSiteFooter } from './page-footer.ts'
import { renderPageHeader } from './page-header.ts'
import { renderSidebar } from './sidebar.ts'
import { renderTableOfContents } from './table-of-contents.ts'
import { renderTopBar } from './top-bar.ts'
import { type Words, wordsFor } from './words.ts'

/** The whole HTML document of one page. */
export function renderPage(page: PageView, site: SiteView, assets: ThemeAssets): string {
  const context: PageContext = { page, site, assets, words: wordsFor(page.language) }
  const { content, aside } = takeAside(page)
  const classNames = new Set<string>()
  const onClassName = (name: string) => void classNames.add(name)
  const options = { decorate: true, onClassName, imageSize: page.imageSize }
  const leads = content.findIndex((node) => !isLead(node))
  const split = leads === -1 ? content.length : leads
  const lead = split === 0 ? '' : renderHtml(content.slice(0, split), options).trim()
  const body = renderHtml(withViewSwitch(content.slice(split)), options)
  const side = aside.length === 0 ? '' : renderHtml(aside, options)
  const examples = side === '' ? '' : `<aside class="aside" aria-label="Examples">${side}</aside>`
  const needs = {
    mermaid: page.needs.mermaid || body.includes('class="diagram"'),
    math: page.needs.math || body.includes('class="katex'),
  }
  const head = renderHead(context, { styles: utilityStyles(classNames), needs })
  const plain = page.mode === 'custom' || page.mode === 'frame'
  const sidebar = renderSidebar(context)
  const contents = side === '' && page.mode === 'default' ? renderTableOfContents(context) : ''
  const kind = [
    `mode-${page.mode}`,
    side === '' ? '' : 'has-aside',
    page.mode === 'custom' || page.mode === 'center' ? 'no-sidebar' : '',
    page.tabs.length > 0 ? 'has-tabs' : '',
    /^(gradient|grid|windows)$/.test(site.background.decoration ?? '')
      ? `decoration-${site.background.decoration}`
      : '',
  ]
    .filter((name) => name !== '')
    .join(' ')
  return `<!doctype html>
<html lang="${escapeAttribute(page.language || 'en')}" dir="${page.direction}" data-appearance="${site.appearance.strict ? 'strict ' : ''}${site.appearance.default}"${site.codeBlockTheme === 'dark' ? ' data-code="dark"' : ''}>
<head>
${head}
</head>
<body class="${kind}" data-root="${page.relativeRoot}" data-page="${escapeAttribute(page.path)}" data-markdown="${escapeAttribute(page.markdownHref)}" data-words="${escapeAttribute(spoken(context.words))}"${bodyFilter(page)}>
<a class="skip-link" href="#content">${escapeText(context.words.skip)}</a>
${renderPicture(context)}${renderBanner(context)}${renderTopBar(context)}
<div class="shell">
${sidebar}
<main id="content" class="main" tabindex="-1">
${plain ? '' : renderPageHeader(context)}
${lead === '' ? '' : `<div class="prose lead">${lead}</div>`}
${lead === '' ? examples : ''}
<article class="prose">
${body}
</article>
${lead === '' ? '' : examples}
${plain ? '' : renderPageFooter(context)}
</main>
${contents}
</div>
${page.mode === 'frame' ? '' : renderSiteFooter(context)}
</body>
</html>
`
}

/**
 * Method and path of an endpoint stand right under the title; on a phone its description comes next and its examples
 * last, in the order of the document, so that nothing moves while the page arrives.
 */
function isLead(node: RootContent): boolean {
  if (node.type === 'text') return node.value.trim() === ''
  return node.type === 'element' && (hasClass(node, 'endpoint-bar') || hasClass(node, 'endpoint-servers'))
}

/** The words that scripts say, where they are not English. */
function spoken(words: Words): string {
  const english = wordsFor('en')
  const keys = [
    'search',
    'copy',
    'copied',
    'close',
    'noResults',
    'recent',
    'toSelect',
    'toMove',
    'toClose',
  ] as const
  const changed = keys.filter((key) => words[key] !== english[key]).map((key) => [key, words[key]])
  return changed.length === 0 ? '' : JSON.stringify(Object.fromEntries(changed))
}

/** Search keeps to the version and language that the reader is in. */
function bodyFilter(page: PageView): string {
  const version = page.versions.find((item) => item.active)?.label
  return `${version === undefined ? '' : ` data-version="${escapeAttribute(version)}"`}${page.languages.length === 0 ? '' : ` data-language="${escapeAttribute(page.language)}"`}`
}

function renderBanner({ site, words }: PageContext): string {
  if (site.banner === undefined) return ''
  const close = site.banner.dismissible
    ? `<button type="button" class="banner-close needs-script" aria-label="${escapeAttribute(words.dismiss)}">${renderIconString('x')}</button>`
    : ''
  const text = renderHtml(site.banner.content, { decorate: false })
  const name = createHash('sha256').update(text).digest('hex').slice(0, 8)
  return `<div class="banner" role="region" aria-label="Announcement" data-banner="${name}"><div class="banner-text">${text}</div>${close}</div>\n`
}

/** The project's own picture behind the top of every page. */
function renderPicture({ page, site }: PageContext): string {
  const { imageLight, imageDark } = site.background
  const picture = (path: string | undefined, name: string) =>
    path === undefined
      ? ''
      : `<div class="background-picture ${name}" aria-hidden="true" style="background-image:url(&quot;${escapeAttribute(encodeURI(page.relativeRoot + path).replace(/[()'\\]/g, (character) => `%${character.charCodeAt(0).toString(16)}`))}&quot;)"></div>\n`
  return imageLight === imageDark
    ? picture(imageLight, '')
    : picture(imageLight, 'picture-light') + picture(imageDark, 'picture-dark')
}

/** Examples and panels stand beside the text on wide screens, wherever they were written. */
function takeAside(page: PageView): { content: RootContent[]; aside: ElementContent[] } {
  const aside: ElementContent[] = [...(page.aside ?? [])]
  const content = page.content.children.filter((node) => {
    if (node.type !== 'element' || partOf(node)?.kind !== 'aside') return true
    aside.push(node)
    return false
  })
  return { content, aside: aside.toSorted((one, other) => asideOrder(one) - asideOrder(other)) }
}

/** The request stands before its response, whichever of them an author wrote and whichever was made. */
function asideOrder(node: ElementContent): number {
  const part = partOf(node)
  return part?.kind === 'aside' ? ['panel', 'request', 'response'].indexOf(part.place) : 0
}

/** One switch for all the views of a page, before the first of them. */
function withViewSwitch(content: RootContent[]): RootContent[] {
  const titles: string[] = []
  let first = -1
  content.forEach((node, index) => {
    const part = node.type === 'element' ? partOf(node) : undefined
    if (part?.kind !== 'view') return
    if (first === -1) first = index
    if (!titles.includes(part.title)) titles.push(part.title)
  })
  if (titles.length < 2) return content
  const buttons = titles.map((title, index) =>
    h(
      'button',
      {
        type: 'button',
        className: ['view-button'],
        dataView: title,
        ariaPressed: index === 0 ? 'true' : 'false',
      },
      title,
    ),
  )
  const bar = h(
    'div',
    { className: ['view-switch', 'needs-script'], role: 'group', ariaLabel: 'Show for' },
    buttons,
  )
  return [...content.slice(0, first), bar, ...content.slice(first)]
}
