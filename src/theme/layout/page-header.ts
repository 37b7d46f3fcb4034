import { escapeAttribute, escapeText } from '../content/escape.ts'
import { iconMarkup } from '../icons/render-icon.ts'
import { renderIconString } from './layout-icons.ts'
import type { PageContext } from './page-context.ts'

export function renderPageHeader(context: PageContext): string {
  const { page, words } = context
  const badges = [
    page.tag === undefined || page.tag === '' ? '' : `<span class="nav-tag">${escapeText(page.tag)}</span>`,
    page.deprecated ? `<span class="nav-tag nav-tag-warning">${escapeText(words.deprecated)}</span>` : '',
  ].join('')
  const feed =
    page.feedHref === undefined
      ? ''
      : `<a class="button" href="${escapeAttribute(page.feedHref)}">${renderIconString('rss')}${escapeText(words.feed)}</a>`
  const actions = feed + renderContextualMenu(context)
  return `<header class="page-header">
${renderBreadcrumbs(context)}<h1 class="page-title">${escapeText(page.title)}${badges}</h1>
${page.description === '' ? '' : `<p class="page-description">${escapeText(page.description)}</p>`}
${actions === '' ? '' : `<div class="page-actions">${actions}</div>`}
</header>`
}

function renderBreadcrumbs({ page, words }: PageContext): string {
  const crumbs = page.breadcrumbs.filter(
    (crumb, index) =>
      crumb.label !== '' && crumb.label !== page.title && crumb.label !== page.breadcrumbs[index + 1]?.label, // A group named as its section is said once.
  )
  if (crumbs.length === 0) return ''
  const items = crumbs
    .map(
      (crumb) =>
        `<li>${crumb.href === undefined ? escapeText(crumb.label) : `<a href="${escapeAttribute(crumb.href)}">${escapeText(crumb.label)}</a>`}</li>`,
    )
    .join(`<li aria-hidden="true" class="crumb-mark">${renderIconString('chevron-right')}</li>`)
  return `<nav class="breadcrumbs" aria-label="${escapeAttribute(words.breadcrumbs)}"><ol>${items}</ol></nav>\n`
}

type Action = { icon: string; label: string; hint: string; attributes: string }

/** What a reader may do with the page: take it along as Markdown, or ask an assistant about it. */
function renderContextualMenu(context: PageContext): string {
  const { page, site, words } = context
  const actions = site.contextualOptions.flatMap((option) => actionFor(option, context))
  if (actions.length === 0 || page.markdownHref === '') return ''
  const copy = site.contextualOptions.includes('copy')
    ? `<button type="button" class="button copy-page needs-script" data-copy-page>${renderIconString('copy')}<span data-copy-label>${escapeText(words.copyPage)}</span></button>`
    : ''
  const items = actions
    .map(
      (action) =>
        `<a class="menu-item" ${action.attributes}><span class="menu-icon">${action.icon}</span><span class="menu-text"><span>${escapeText(action.label)}</span><small>${escapeText(action.hint)}</small></span></a>`,
    )
    .join('')
  return `<div class="contextual${copy === '' ? ' contextual-alone' : ''}">${copy}<details class="menu menu-end"><summary class="button" aria-label="${escapeAttribute(words.moreActions)}">${renderIconString('chevron-down')}</summary><div class="menu-box">${items}</div></details></div>`
}

const assistants: Record<string, { label: string; icon: () => string; address: string }> = {
  chatgpt: { label: 'ChatGPT', icon: () => brand('openai'), address: 'https://chatgpt.com/?hints=search&q=' },
  claude: { label: 'Claude', icon: () => brand('claude'), address: 'https://claude.ai/new?q=' },
  perplexity: {
    label: 'Perplexity',
    icon: () => brand('perplexity'),
    address: 'https://www.perplexity.ai/search?q=',
  },
  grok: { label: 'Grok', icon: () => brand('x-twitter'), address: 'https://grok.com/?q=' },
  aistudio: {
    label: 'Google AI Studio',
    icon: () => brand('google'),
    address: 'https://aistudio.google.com/prompts/new_chat?prompt=',
  },
}

function brand(name: string): string {
  return iconMarkup('brands', name) ?? renderIconString('sparkles')
}

function actionFor(option: string, { page, words }: PageContext): Action[] {
  if (option === 'copy') {
    return [
      {
        icon: renderIconString('copy'),
        label: words.copyPage,
        hint: words.copyPageHint,
        attributes: `href="${escapeAttribute(page.markdownHref)}" data-copy-page`,
      },
    ]
  }
  if (option === 'view') {
    return [
      {
        icon: renderIconString('file-text'),
        label: words.viewMarkdown,
        hint: words.viewMarkdownHint,
        attributes: `href="${escapeAttribute(page.markdownHref)}" target="_blank"`,
      },
    ]
  }
  const assistant = Object.hasOwn(assistants, option) ? assistants[option] : undefined
  if (assistant === undefined) return []
  const place = page.canonicalUrl ?? ''
  const question = encodeURIComponent(`Read ${place} so that I can ask questions about it.`)
  return [
    {
      icon: assistant.icon(),
      label: `${words.openIn} ${assistant.label}`,
      hint: words.openInHint,
      attributes: `href="${escapeAttribute(assistant.address + question)}" target="_blank" rel="noopener" data-assistant="${escapeAttribute(assistant.address)}"`,
    },
  ]
}
