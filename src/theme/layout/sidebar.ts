import { escapeAttribute, escapeText } from '../content/escape.ts'
import { iconText } from '../icons/render-icon.ts'
import { renderIconString } from './layout-icons.ts'
import { renderNodes } from './navigation-markup.ts'
import type { PageContext } from './page-context.ts'
import { linkLabel, named, renderSwitch } from './top-bar.ts'

/** The tree of the section that the reader is in, and nothing of the others. */
export function renderSidebar(context: PageContext): string {
  const { page, site, words } = context
  const close = `<a class="drawer-close icon-button" href="#" aria-label="${escapeAttribute(words.close)}" data-menu-close>${renderIconString('x')}</a>`
  const section = page.section === undefined ? '' : ` data-section="${escapeAttribute(page.section)}"`
  const marks = {
    icon: (name: string) => iconText(name, site.iconLibrary, (path) => page.relativeRoot + path),
    chevron: renderIconString('chevron-right'),
    away: renderIconString('arrow-up-right'),
  }
  return `<div class="sidebar" id="navigation">
<div class="sidebar-scroll">
<div class="drawer-head">${close}</div>
${renderDrawerExtras(context)}${renderSwitch(context, page.dropdowns, words.sections, 'sidebar-switch')}
<nav class="navigation" aria-label="${escapeAttribute(words.navigation)}"${section}>${renderAnchors(context)}${renderNodes(page.sidebar, 0, marks)}</nav>
</div>
</div>`
}

/** What the top bar has no room for on a phone. */
function renderDrawerExtras(context: PageContext): string {
  const { page, site, words } = context
  const links = [...page.navbar.links, ...(page.navbar.primary === undefined ? [] : [page.navbar.primary])]
  const tabs =
    page.tabs.length === 0
      ? ''
      : `<nav class="drawer-tabs" aria-label="${escapeAttribute(words.sections)}">${page.tabs.map((tab) => `<a class="drawer-link" href="${escapeAttribute(tab.href)}"${tab.active ? ' aria-current="true"' : ''}>${iconText(tab.icon, site.iconLibrary, (path) => page.relativeRoot + path)}${escapeText(tab.label)}</a>`).join('')}</nav>`
  const other = links
    .map(
      (link) =>
        `<a class="drawer-link" href="${escapeAttribute(link.href)}">${escapeText(linkLabel(link))}</a>`,
    )
    .join('')
  const switches = [
    renderSwitch(context, page.products, words.product),
    renderSwitch(context, page.versions, words.version),
    renderSwitch(context, named(page.languages), words.language),
  ].join('')
  const inner = `${switches === '' ? '' : `<div class="drawer-switches">${switches}</div>`}${tabs}${other}`
  return inner === '' ? '' : `<div class="drawer-only">${inner}</div>\n`
}

function renderAnchors({ page, site }: PageContext): string {
  if (page.anchors.length === 0) return ''
  const items = page.anchors
    .map(
      (anchor) =>
        `<li><a class="anchor-link" href="${escapeAttribute(anchor.href)}"${anchor.active ? ' aria-current="true"' : ''}><span class="anchor-icon">${iconText(anchor.icon ?? 'hash', site.iconLibrary, (path) => page.relativeRoot + path)}</span>${escapeText(anchor.label)}</a></li>`,
    )
    .join('')
  return `<ul class="anchors">${items}</ul>\n`
}
