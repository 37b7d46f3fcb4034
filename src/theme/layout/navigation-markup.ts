import { escapeAttribute, escapeText } from '../content/escape.ts'
import type { NavigationNode } from '../theme-api.ts'

/** What the markup of a navigation takes from outside, because it is drawn in pages and by the reader's browser alike. */
export type NavigationMarks = {
  /** An icon that the project names. */
  icon(name: string): string
  chevron: string
  away: string
}

/** A list of a sidebar. It stands in the file that a large section shares, too, so it calls nothing but `escape.ts`. */
export function renderNodes(nodes: readonly NavigationNode[], depth: number, marks: NavigationMarks): string {
  return nodes.length === 0
    ? ''
    : `<ul class="nav-list nav-depth-${Math.min(depth, 3)}">${renderItems(nodes, depth, marks)}</ul>`
}

export function renderItems(nodes: readonly NavigationNode[], depth: number, marks: NavigationMarks): string {
  return nodes.map((node) => renderNode(node, depth, marks)).join('')
}

function renderNode(node: NavigationNode, depth: number, marks: NavigationMarks): string {
  const icon = node.icon === undefined ? '' : `<span class="nav-icon">${marks.icon(node.icon)}</span>`
  const tag =
    node.tag === undefined || node.tag === '' ? '' : `<span class="nav-tag">${escapeText(node.tag)}</span>`
  const label = `${icon}<span class="nav-label">${escapeText(node.label)}</span>${tag}`
  const href = node.href === undefined ? '' : ` href="${escapeAttribute(node.href)}"`
  const current = node.active ? ' aria-current="page"' : ''
  if (node.type === 'page') {
    const method = node.method === undefined || node.method === '' ? '' : renderMethod(node.method)
    const away = node.external ? ' target="_blank" rel="noopener"' : ''
    return `<li><a class="nav-link${node.deprecated ? ' nav-deprecated' : ''}"${href}${current}${away}>${method}${label}${node.external ? marks.away : ''}</a></li>`
  }
  const chevron = `<span class="chevron">${marks.chevron}</span>`
  if (node.closed === true) {
    const place = node.place === undefined ? '' : ` data-place="${node.place}"`
    return `<li class="nav-closed"><a class="nav-link"${href}${place}>${label}${chevron}</a></li>`
  }
  const children = renderNodes(node.children, depth + 1, marks)
  if (depth === 0) {
    const head = node.href === undefined ? label : `<a${href}${current}>${label}</a>`
    return `<li class="nav-group"><div class="nav-heading">${head}</div>${children}</li>`
  }
  const own = node.href === undefined ? label : `<a class="nav-own"${href}${current}>${label}</a>`
  return `<li><details class="nav-folder"${node.expanded ? ' open' : ''}><summary class="nav-link">${own}${chevron}</summary>${children}</details></li>`
}

function renderMethod(method: string): string {
  const name = method.toUpperCase()
  const short = name === 'DELETE' ? 'DEL' : name === 'WEBHOOK' ? 'HOOK' : name === 'OPTIONS' ? 'OPT' : name
  return `<span class="method method-${escapeAttribute(name.toLowerCase())}">${escapeText(short)}</span>`
}
