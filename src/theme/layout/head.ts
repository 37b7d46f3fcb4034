import { escapeAttribute, escapeText } from '../content/escape.ts'
import type { PageContext } from './page-context.ts'

export function renderHead(
  { page, site, assets }: PageContext,
  content: { styles: string; needs: { mermaid: boolean; math: boolean } },
): string {
  const root = page.relativeRoot
  const title = page.title === site.name || page.title === '' ? site.name : `${page.title} – ${site.name}`
  const lines = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeText(title)}</title>`,
    `<script src="${root}${assets.headScript}"${preload(assets, root)}></script>`,
    `<link rel="stylesheet" href="${root}${assets.stylesheet}">`,
  ]
  if (content.needs.math) lines.push(`<link rel="stylesheet" href="${root}${assets.mathStylesheet}">`)
  for (const stylesheet of site.stylesheets)
    lines.push(`<link rel="stylesheet" href="${root}${escapeAttribute(stylesheet)}">`)
  if (content.styles !== '') lines.push(`<style>${content.styles}</style>`)
  lines.push(...metadata({ page, site, title, root }))
  lines.push(`<script src="${root}_quire/settings.js" defer></script>`)
  lines.push(
    `<script src="${root}${assets.script}" defer data-search="${root}${assets.searchScript}"${content.needs.mermaid ? ` data-mermaid="${root}${assets.mermaidScript}"` : ''}></script>`,
  )
  for (const script of site.scripts)
    lines.push(`<script src="${root}${escapeAttribute(script)}" defer></script>`)
  return lines.join('\n')
}

/** The head script asks for them early, but not from disk, where browsers refuse the asking and complain. */
function preload({ fonts, monoFont }: PageContext['assets'], root: string): string {
  const early = fonts.length === 0 ? '' : ` data-fonts="${fonts.map((font) => root + font).join(' ')}"`
  return `${early} data-mono="${root}${monoFont}"`
}

function metadata(input: Pick<PageContext, 'page' | 'site'> & { title: string; root: string }): string[] {
  const { page, site, title, root } = input
  const description = page.description || site.description
  const tags = new Map<string, string>()
  if (description !== '') tags.set('description', description)
  tags.set('generator', 'Quire')
  if (page.noindex) tags.set('robots', 'noindex')
  tags.set('og:title', page.title || site.name)
  tags.set('og:site_name', site.name)
  tags.set('og:type', 'website')
  if (description !== '') tags.set('og:description', description)
  if (page.canonicalUrl !== undefined) tags.set('og:url', page.canonicalUrl)
  tags.set('twitter:card', 'summary')
  tags.set('twitter:title', page.title || site.name)
  if (description !== '') tags.set('twitter:description', description)
  for (const { name, content } of [...site.metatags, ...page.metatags]) tags.set(name, content)
  const lines = [...tags].map(
    ([name, content]) =>
      `<meta ${/^(og|article|profile|book|fb|music|video):/.test(name) ? 'property' : 'name'}="${escapeAttribute(name)}" content="${escapeAttribute(content)}">`,
  )
  if (page.canonicalUrl !== undefined)
    lines.push(`<link rel="canonical" href="${escapeAttribute(page.canonicalUrl)}">`)
  if (site.favicon !== undefined)
    lines.push(`<link rel="icon" href="${root}${escapeAttribute(site.favicon)}">`)
  if (page.markdownHref !== '')
    lines.push(`<link rel="alternate" type="text/markdown" href="${escapeAttribute(page.markdownHref)}">`)
  if (page.feedHref !== undefined)
    lines.push(
      `<link rel="alternate" type="application/rss+xml" title="${escapeAttribute(title)}" href="${escapeAttribute(page.feedHref)}">`,
    )
  lines.push(`<script type="application/ld+json">${structuredData({ page, site, description })}</script>`)
  return lines
}

/** JSON-LD is data, which a browser never runs; `<` is written so that no text can end the element. */
function structuredData(input: Pick<PageContext, 'page' | 'site'> & { description: string }): string {
  const { page, site, description } = input
  const crumbs = page.breadcrumbs.map((crumb, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    name: crumb.label,
  }))
  const article = {
    '@context': 'https://schema.org',
    '@type': 'TechArticle',
    headline: page.title || site.name,
    ...(description === '' ? {} : { description }),
    ...(page.canonicalUrl === undefined ? {} : { url: page.canonicalUrl }),
    ...(page.lastUpdated === undefined ? {} : { dateModified: page.lastUpdated }),
    inLanguage: page.language || 'en',
    isPartOf: { '@type': 'WebSite', name: site.name },
    ...(crumbs.length === 0 ? {} : { breadcrumb: { '@type': 'BreadcrumbList', itemListElement: crumbs } }),
  }
  return JSON.stringify(article).replaceAll('<', '\\u003c')
}
