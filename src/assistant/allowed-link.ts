import type { AnswerSite, Passages } from './passages.ts'
import { findPagePath, pageUrl } from './site-address.ts'

/** What an answer may link to. */
export type Allowance = { site: AnswerSite; passages: Passages }

/** The absolute address that a link may lead to: a page of the site, or what a passage of this turn links to. */
export function allowedLink(address: string, { site, passages }: Allowance): string | null {
  if (!/^[\w\-.~:/?#@!$&'()*+,;=%]+$/.test(address)) return null
  if (
    /^[a-z][a-z0-9+.-]*:/i.test(address) &&
    passages.all.some((passage) => links(passage.content, address))
  ) {
    return /^(https?|mailto):/i.test(address) ? address : null
  }
  if (
    !/^(https?:\/\/|\/(?!\/)|#|\.{0,2}[\w-])/i.test(address) ||
    /^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(address)
  ) {
    return null
  }
  const path = findPagePath(site.site, site.siteUrl, address)
  if (path === null) return null
  const anchor = /#([\w\-.~%]+)$/.exec(address)?.[1]
  return `${pageUrl(site.siteUrl, path)}${anchor ? `#${anchor}` : ''}`
}

/** An address as it can stand within a link's parentheses. */
export const linkable = (url: string): string => url.replaceAll('(', '%28').replaceAll(')', '%29')

/** Whether the text holds this address whole, not only as the beginning of a longer one. */
function links(text: string, address: string): boolean {
  for (let at = text.indexOf(address); at !== -1; at = text.indexOf(address, at + 1)) {
    const after = text.slice(at + address.length, at + address.length + 2)
    const before = text[at - 1] ?? ' '
    if (/[\w/.@-]/.test(before)) continue
    if (after === '' || /^[\s<>()"'`\]*]/.test(after) || /^[.,;:!?](?:\s|$)/.test(after)) return true
  }
  return false
}
