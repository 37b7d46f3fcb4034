import { escapeAttribute, escapeText } from '../content/escape.ts'
import { renderIconString } from './layout-icons.ts'
import type { PageContext } from './page-context.ts'

export function renderTableOfContents({ page, words }: PageContext): string {
  if (page.tableOfContents.length === 0) return '<div class="contents"></div>'
  const top = Math.min(...page.tableOfContents.map((entry) => entry.depth))
  const items = page.tableOfContents
    .map(
      (entry) =>
        `<li class="contents-${Math.min(entry.depth - top, 2)}"><a href="#${escapeAttribute(encodeURI(entry.id))}">${escapeText(entry.label)}</a></li>`,
    )
    .join('')
  return `<div class="contents"><nav class="contents-box" aria-labelledby="contents-title" data-contents><div class="contents-title" id="contents-title">${renderIconString('text-align-start')}${escapeText(words.onThisPage)}</div><ul>${items}</ul></nav></div>`
}
