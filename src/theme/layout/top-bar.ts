import { escapeAttribute, escapeText } from '../content/escape.ts'
import { iconMarkup, iconText } from '../icons/render-icon.ts'
import type { Link, Switch } from '../theme-api.ts'
import { renderIconString } from './layout-icons.ts'
import type { PageContext } from './page-context.ts'

export function renderTopBar(context: PageContext): string {
  const { page, words } = context
  return `<header class="top-bar">
<div class="top-row">
<a class="menu-button icon-button" href="#navigation" aria-label="${escapeAttribute(words.menu)}" data-menu>${renderIconString('menu')}</a>
<div class="brand">${renderLogo(context)}${renderSwitch(context, page.products, words.product)}${renderSwitch(context, page.versions, words.version)}</div>
<div class="search-place"><button type="button" class="search-button needs-script" data-search-open>${renderIconString('search')}<span class="search-prompt">${escapeText(context.site.searchPrompt || words.search)}</span><kbd class="search-key" aria-hidden="true">⌘K</kbd></button></div>
<div class="top-end">
${renderTopLinks(context)}${renderSwitch(context, named(page.languages), words.language)}${renderThemeButton(context)}
</div>
</div>
${renderTabs(context)}</header>`
}

function renderTopLinks(context: PageContext): string {
  const { links, primary } = context.page.navbar
  if (links.length === 0 && primary === undefined) return ''
  return `<nav class="top-links" aria-label="${escapeAttribute(context.words.links)}">${links.map((link) => renderLink(context, link)).join('')}${renderPrimary(context)}</nav>\n`
}

/** Languages by the names that their readers call them, where the project has only their codes. */
export function named(languages: readonly Switch[]): Switch[] {
  return languages.map((language) => ({ ...language, label: languageName(language.label) }))
}

function languageName(code: string): string {
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})?$/i.test(code)) return code
  const tag = { cn: 'zh-Hans', jp: 'ja', ua: 'uk', kr: 'ko' }[code.toLowerCase()] ?? code
  const name = new Intl.DisplayNames([tag], { type: 'language', languageDisplay: 'standard' }).of(tag) ?? code
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)
}

function renderLogo({ page, site }: PageContext): string {
  const root = page.relativeRoot
  const href = site.logo?.href ?? `${root}index.html`
  const inner =
    site.logo === undefined
      ? `<span class="brand-name">${escapeText(site.name)}</span>`
      : site.logo.light === site.logo.dark
        ? `<img class="logo" src="${root}${escapeAttribute(site.logo.light)}" alt="${escapeAttribute(site.name)}">`
        : `<img class="logo logo-light" src="${root}${escapeAttribute(site.logo.light)}" alt="${escapeAttribute(site.name)}"><img class="logo logo-dark" src="${root}${escapeAttribute(site.logo.dark)}" alt="${escapeAttribute(site.name)}">`
  return `<a class="brand-link" href="${escapeAttribute(href)}">${inner}</a>`
}

function renderThemeButton({ site, words }: PageContext): string {
  if (site.appearance.strict) return ''
  return `<button type="button" class="theme-button icon-button needs-script" data-theme-switch aria-label="${escapeAttribute(words.theme)}"><span class="only-light">${renderIconString('sun')}</span><span class="only-dark">${renderIconString('moon')}</span></button>`
}

function renderLink(context: PageContext, link: Link): string {
  const icon = iconText(link.icon, context.site.iconLibrary, (path) => context.page.relativeRoot + path)
  const away = link.external ? ' target="_blank" rel="noopener"' : ''
  const label = linkLabel(link)
  return icon !== '' && label !== link.label
    ? `<a class="top-link" href="${escapeAttribute(link.href)}" aria-label="${escapeAttribute(label)}"${away}>${icon}</a>`
    : `<a class="top-link" href="${escapeAttribute(link.href)}"${away}>${icon}${escapeText(label)}</a>`
}

/** A link that was given no words of its own is called by its icon or its host. */
export function linkLabel(link: Pick<Link, 'label' | 'href' | 'icon'>): string {
  if (link.label !== '' && link.label !== link.href)
    return /^github$/i.test(link.label) ? 'GitHub' : link.label
  const name =
    link.icon ?? (URL.canParse(link.href) ? new URL(link.href).hostname.replace(/^www\./, '') : link.href)
  return name === 'github' ? 'GitHub' : name.charAt(0).toUpperCase() + name.slice(1)
}

function renderPrimary({ page }: PageContext): string {
  const { primary } = page.navbar
  if (primary === undefined) return ''
  if (primary.kind === 'github') {
    return `<a class="top-link top-github" href="${escapeAttribute(primary.href)}" target="_blank" rel="noopener">${iconMarkup('brands', 'github') ?? ''}${escapeText(primary.label === '' ? 'GitHub' : linkLabel(primary))}</a>`
  }
  return `<a class="button button-primary" href="${escapeAttribute(primary.href)}"${primary.external ? ' target="_blank" rel="noopener"' : ''}>${escapeText(primary.label)}${renderIconString('chevron-right')}</a>`
}

/** A list of places to be instead of here: versions, languages, products. */
export function renderSwitch(
  context: PageContext,
  items: readonly Switch[],
  label: string,
  className = '',
): string {
  if (items.length < 2) return ''
  const current = items.find((item) => item.active) ?? items[0]
  const icon = (item: Switch | undefined) =>
    iconText(item?.icon, context.site.iconLibrary, (path) => context.page.relativeRoot + path)
  return `<details class="menu switch ${className}"><summary class="switch-button" aria-label="${escapeAttribute(`${label}: ${current?.label ?? ''}`)}">${icon(current)}<span>${escapeText(current?.label ?? label)}</span>${renderIconString('chevrons-up-down')}</summary><div class="menu-box">${items
    .map(
      (item) =>
        `<a class="menu-item" href="${escapeAttribute(item.href)}"${item.active ? ' aria-current="true"' : ''}>${icon(item)}<span class="menu-text"><span>${escapeText(item.label)}${item.tag === undefined ? '' : `<span class="nav-tag">${escapeText(item.tag)}</span>`}</span>${item.description === undefined ? '' : `<small>${escapeText(item.description)}</small>`}</span>${item.active ? renderIconString('check') : ''}</a>`,
    )
    .join('')}</div></details>`
}

function renderTabs(context: PageContext): string {
  const { page, site, words } = context
  if (page.tabs.length === 0) return ''
  return `<nav class="tab-bar" aria-label="${escapeAttribute(words.sections)}"><div class="tab-bar-row">${page.tabs
    .map(
      (tab) =>
        `<a class="section-tab" href="${escapeAttribute(tab.href)}"${tab.active ? ' aria-current="true"' : ''}>${iconText(tab.icon, site.iconLibrary, (path) => page.relativeRoot + path)}${escapeText(tab.label)}</a>`,
    )
    .join('')}</div></nav>`
}
