import { escapeAttribute, escapeText } from '../content/escape.ts'
import { iconText } from '../icons/render-icon.ts'
import type { NavigationNode } from '../theme-api.ts'
import { renderIconString } from './layout-icons.ts'
import type { PageContext } from './page-context.ts'
import { linkLabel, named, renderSwitch } from './top-bar.ts'

/** The tree of the section that the reader is in, and nothing of the others. */
export function renderSidebar(context: PageContext): string {
  const { page, words } = context
  const close = `<a class="drawer-close icon-button" href="#" aria-label="${escapeAttribute(words.close)}" data-menu-close>${renderIconString('x')}</a>`
  return `<div class="sidebar" id="navigation">
<div class="sidebar-scroll">
<div class="drawer-head">${close}</div>
${renderDrawerExtras(context)}${renderSwitch(context, page.dropdowns, words.sections, 'sidebar-switch')}
<nav class="navigation" aria-label="${escapeAttribute(words.navigation)}">${renderAnchors(context)}${renderNodes(page.sidebar, context, 0)}</nav>
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

function renderNodes(nodes: readonly NavigationNode[], context: PageContext, depth: number): string {
  if (nodes.length === 0) return ''
  return `<ul class="nav-list nav-depth-${Math.min(depth, 3)}">${nodes.map((node) => renderNode(node, context, depth)).join('')}</ul>`
}

function renderNode(node: NavigationNode, context: PageContext, depth: number): string {
  const { page, site } = context
  const icon =
    node.icon === undefined
      ? ''
      : `<span class="nav-icon">${iconText(node.icon, site.iconLibrary, (path) => page.relativeRoot + path)}</span>`
  const tag =
    node.tag === undefined || node.tag === '' ? '' : `<span class="nav-tag">${escapeText(node.tag)}</span>`
  if (node.type === 'page') {
    const method = node.method === undefined || node.method === '' ? '' : renderMethod(node.method)
    const away = node.external ? ' target="_blank" rel="noopener"' : ''
    return `<li><a class="nav-link${node.deprecated ? ' nav-deprecated' : ''}" href="${escapeAttribute(node.href)}"${node.active ? ' aria-current="page"' : ''}${away}>${method}${icon}<span class="nav-label">${escapeText(node.label)}</span>${tag}${node.external ? renderIconString('arrow-up-right') : ''}</a></li>`
  }
  const label = `${icon}<span class="nav-label">${escapeText(node.label)}</span>${tag}`
  if (node.closed === true)
    return `<li class="nav-closed"><a class="nav-link" href="${escapeAttribute(node.href ?? '')}">${label}<span class="chevron">${renderIconString('chevron-right')}</span></a></li>`
  if (depth === 0) {
    const head =
      node.href === undefined
        ? label
        : `<a href="${escapeAttribute(node.href)}"${node.active ? ' aria-current="page"' : ''}>${label}</a>`
    return `<li class="nav-group"><div class="nav-heading">${head}</div>${renderNodes(node.children, context, depth + 1)}</li>`
  }
  const own =
    node.href === undefined
      ? label
      : `<a class="nav-own" href="${escapeAttribute(node.href)}"${node.active ? ' aria-current="page"' : ''}>${label}</a>`
  return `<li><details class="nav-folder"${node.expanded ? ' open' : ''}><summary class="nav-link">${own}<span class="chevron">${renderIconString('chevron-right')}</span></summary>${renderNodes(node.children, context, depth + 1)}</details></li>`
}

export function renderMethod(method: string): string {
  const name = method.toUpperCase()
  const short = name === 'DELETE' ? 'DEL' : name === 'WEBHOOK' ? 'HOOK' : name === 'OPTIONS' ? 'OPT' : name
  return `<span class="method method-${escapeAttribute(name.toLowerCase())}">${escapeText(short)}</span>`
}
