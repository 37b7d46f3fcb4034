import type { BundleWriter } from '../bundle/index.ts'
import type { FeedItem } from './passes/feed-items.ts'
import { addressOf, type PlannedPage } from './plan-pages.ts'
import type { SitePlan } from './site-plan.ts'

/** What search engines and language models read: sitemap, robots, llms.txt, llms-full.txt and feeds. */
export async function writeMachineFiles(
  plan: SitePlan,
  bundle: BundleWriter,
  feeds: ReadonlyMap<string, FeedItem[]>,
): Promise<void> {
  const own = new Set(plan.assets)
  const listed = plan.pages.filter((page) => page.indexed)
  if (plan.siteUrl !== undefined && !own.has('sitemap.xml'))
    await bundle.write('sitemap.xml', sitemap(plan, listed))
  if (!own.has('robots.txt')) await bundle.write('robots.txt', robots(plan))
  if (!own.has('llms.txt')) await bundle.write('llms.txt', llmsText(plan, listed))
  if (!own.has('llms-full.txt')) await bundle.compose('llms-full.txt', fullText(plan, bundle, listed))
  for (const [path, items] of [...feeds].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const page = plan.pages.find((candidate) => candidate.path === path)
    if (page !== undefined && !own.has(`${path}.xml`))
      await bundle.write(`${path}.xml`, feed(plan, page, items))
  }
}

function addressIn(plan: SitePlan, path: string): string {
  const address = addressOf(path).split('/').map(encodeURIComponent).join('/')
  return `${plan.siteUrl ?? ''}/${address}`
}

function sitemap(plan: SitePlan, pages: PlannedPage[]): string {
  const entries = pages.map((page) => `<url><loc>${escapeXml(addressIn(plan, page.path))}</loc></url>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`
}

function robots(plan: SitePlan): string {
  const map = plan.siteUrl === undefined ? '' : `Sitemap: ${plan.siteUrl}/sitemap.xml\n`
  return `User-agent: *\nAllow: /\nDisallow: /_quire/search/\n${map}`
}

/** A list of the pages for language models, after https://llmstxt.org. */
function llmsText(plan: SitePlan, pages: PlannedPage[]): string {
  const lines = [`# ${plan.name}`, '']
  if (plan.site.description !== '') lines.push(`> ${plan.site.description.replace(/\s+/g, ' ')}`, '')
  const sections = new Map<string, PlannedPage[]>()
  for (const page of pages) {
    const section = page.groups[0] ?? 'Pages'
    const list = sections.get(section) ?? []
    list.push(page)
    sections.set(section, list)
  }
  for (const [section, list] of sections) {
    lines.push(`## ${section}`, '')
    for (const page of list) {
      const href = plan.siteUrl === undefined ? `${page.path}.md` : `${plan.siteUrl}/${page.path}.md`
      const description =
        page.meta.description === '' ? '' : `: ${page.meta.description.replace(/\s+/g, ' ')}`
      lines.push(`- [${page.title}](${href})${description}`)
    }
    lines.push('')
  }
  return lines.join('\n')
}

async function* fullText(
  plan: SitePlan,
  bundle: BundleWriter,
  pages: PlannedPage[],
): AsyncGenerator<string | Uint8Array> {
  for (const [index, page] of pages.entries()) {
    if (index > 0) yield '\n'
    if (plan.siteUrl !== undefined) yield `<!-- Source: ${addressIn(plan, page.path)} -->\n`
    yield await bundle.read(`${page.path}.md`)
  }
}

/** An RSS feed of a changelog. Its entries carry no dates of their own, so readers keep the order of the page. */
function feed(plan: SitePlan, page: PlannedPage, items: FeedItem[]): string {
  const link = addressIn(plan, page.path)
  const entries = items.map((item) => {
    const address = item.anchor === '' ? link : `${link}#${encodeURIComponent(item.anchor)}`
    const date = publishedAt(item.title)
    return [
      '<item>',
      `<title>${escapeXml(item.title)}</title>`,
      `<link>${escapeXml(address)}</link>`,
      `<guid isPermaLink="false">${escapeXml(address)}</guid>`,
      `<description>${escapeXml(item.description)}</description>`,
      ...item.tags.map((tag) => `<category>${escapeXml(tag)}</category>`),
      ...(date === undefined ? [] : [`<pubDate>${date}</pubDate>`]),
      '</item>',
    ].join('')
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>${escapeXml(`${plan.name}: ${page.title}`)}</title><link>${escapeXml(link)}</link><description>${escapeXml(page.meta.description || page.title)}</description>\n${entries.join('\n')}\n</channel></rss>\n`
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** A day that a title names, such as "2026-08-21" or "August 21, 2026", as feeds write it. */
function publishedAt(title: string): string | undefined {
  const iso = /(\d{4})-(\d{2})-(\d{2})/.exec(title)
  const named = /([A-Za-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})/.exec(title)
  const day = iso
    ? Date.UTC(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]))
    : named && months.includes((named[1] ?? '').toLowerCase())
      ? Date.UTC(Number(named[3]), months.indexOf((named[1] ?? '').toLowerCase()), Number(named[2]))
      : Number.NaN
  return Number.isNaN(day) ? undefined : new Date(day).toUTCString()
}

function escapeXml(text: string): string {
  return Array.from(text, (character) => (character < ' ' && !'\t\n\r'.includes(character) ? '' : character))
    .join('')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
