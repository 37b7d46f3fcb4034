import { escapeAttribute, escapeText } from '../content/escape.ts'
import { iconMarkup } from '../icons/render-icon.ts'
import { renderIconString } from './layout-icons.ts'
import type { PageContext } from './page-context.ts'

export function renderPageFooter(context: PageContext): string {
  return `<footer class="page-footer">${renderFeedback(context)}${renderNeighbours(context)}</footer>`
}

function renderFeedback({ page, site, words }: PageContext): string {
  const thumbs = site.feedback
    ? `<div class="feedback needs-server" data-feedback hidden><span class="feedback-question">${escapeText(words.helpful)}</span><button type="button" class="button" data-feedback-value="up">${renderIconString('thumbs-up')}${escapeText(words.yes)}</button><button type="button" class="button" data-feedback-value="down">${renderIconString('thumbs-down')}${escapeText(words.no)}</button><span class="feedback-thanks" role="status" data-thanks="${escapeAttribute(words.thanks)}"></span></div>`
    : ''
  const edit =
    page.editUrl === undefined
      ? ''
      : `<a class="edit-link" href="${escapeAttribute(page.editUrl)}" target="_blank" rel="noopener">${renderIconString('square-pen')}${escapeText(words.edit)}</a>`
  const updated =
    page.lastUpdated === undefined
      ? ''
      : `<span class="updated">${escapeText(words.updated)} <time datetime="${escapeAttribute(page.lastUpdated)}">${escapeText(formatDate(page.lastUpdated, page.language))}</time></span>`
  if (thumbs === '' && edit === '' && updated === '') return ''
  return `<div class="page-meta">${thumbs}${edit}${updated}</div>`
}

/** Written in UTC, so that two builds of the same page agree wherever they run. */
function formatDate(date: string, language: string): string {
  const time = new Date(date)
  if (Number.isNaN(time.getTime())) return date
  const locales = Intl.DateTimeFormat.supportedLocalesOf(
    [language || 'en'].filter((tag) => /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(tag)),
  )
  return new Intl.DateTimeFormat(locales[0] ?? 'en', { dateStyle: 'long', timeZone: 'UTC' }).format(time)
}

function renderNeighbours({ page, words }: PageContext): string {
  if (page.previous === undefined && page.next === undefined) return ''
  const previous =
    page.previous === undefined
      ? '<span></span>'
      : `<a class="neighbour" rel="prev" href="${escapeAttribute(page.previous.href)}"><small>${renderIconString('chevron-left')}${escapeText(words.previous)}</small><span>${escapeText(page.previous.label)}</span></a>`
  const next =
    page.next === undefined
      ? '<span></span>'
      : `<a class="neighbour neighbour-next" rel="next" href="${escapeAttribute(page.next.href)}"><small>${escapeText(words.next)}${renderIconString('chevron-right')}</small><span>${escapeText(page.next.label)}</span></a>`
  return `<nav class="neighbours" aria-label="${escapeAttribute(`${words.previous} / ${words.next}`)}">${previous}${next}</nav>`
}

export function renderSiteFooter({ page, site }: PageContext): string {
  const { socials, columns } = site.footer
  if (socials.length === 0 && columns.length === 0) return ''
  const lists = columns
    .map(
      (column) =>
        `<div class="footer-column">${column.header === '' ? '' : `<div class="footer-heading">${escapeText(column.header)}</div>`}<ul>${column.links.map((link) => `<li><a href="${escapeAttribute(link.href)}"${link.external ? ' target="_blank" rel="noopener"' : ''}>${escapeText(link.label)}</a></li>`).join('')}</ul></div>`,
    )
    .join('')
  const links = socials
    .map(
      (social) =>
        `<a class="social" href="${escapeAttribute(social.href)}" target="_blank" rel="noopener me" aria-label="${escapeAttribute(socialLabel(social.name))}">${socialIcon(social.name)}</a>`,
    )
    .join('')
  return `<footer class="site-footer" dir="${page.direction}"><div class="site-footer-row">${lists === '' ? '' : `<div class="footer-columns">${lists}</div>`}<div class="footer-end"><span class="footer-name">${escapeText(site.name)}</span>${links === '' ? '' : `<div class="socials">${links}</div>`}</div></div></footer>`
}

const socialNames: Record<string, { label: string; brand?: string; mark?: string }> = {
  x: { label: 'X', brand: 'x-twitter' },
  twitter: { label: 'X', brand: 'x-twitter' },
  'x-twitter': { label: 'X', brand: 'x-twitter' },
  website: { label: 'Website', mark: 'globe' },
  'earth-americas': { label: 'Website', mark: 'globe' },
  github: { label: 'GitHub', brand: 'github' },
  linkedin: { label: 'LinkedIn', brand: 'linkedin' },
  youtube: { label: 'YouTube', brand: 'youtube' },
  discord: { label: 'Discord', brand: 'discord' },
  slack: { label: 'Slack', brand: 'slack' },
  podcast: { label: 'Podcast', mark: 'podcast' },
  'hacker-news': { label: 'Hacker News', brand: 'hacker-news' },
}

function socialLabel(name: string): string {
  return socialNames[name.toLowerCase()]?.label ?? name.charAt(0).toUpperCase() + name.slice(1)
}

function socialIcon(name: string): string {
  const known = socialNames[name.toLowerCase()]
  const brand = iconMarkup('brands', known?.brand ?? name.toLowerCase())
  return brand ?? renderIconString(known?.mark ?? 'link')
}
