import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'

/** A link of a bundle that leads nowhere inside it. */
export type DeadLink = { page: string; href: string; reason: 'no file' | 'no anchor' | 'absolute' }

/** Walks every page of a bundle and every link, picture and anchor in it. */
export async function findDeadLinks(bundle: string): Promise<DeadLink[]> {
  const files = new Set<string>()
  for (const entry of await readdir(bundle, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) files.add(posix.relative(bundle, posix.join(entry.parentPath, entry.name)))
  }
  const pages = [...files].filter((file) => file.endsWith('.html')).sort()
  const ids = new Map<string, Set<string>>()
  const links: { page: string; href: string }[] = []
  for (const page of pages) {
    const html = (await readFile(join(bundle, page), 'utf8')).replace(
      /<script\b[^>]*>[\s\S]*?<\/script>/g,
      '',
    )
    ids.set(
      page,
      new Set([...html.matchAll(/\s(?:id|name)="([^"]*)"/g)].map((match) => decodeEntities(match[1] ?? ''))),
    )
    for (const [tag] of html.matchAll(/<[a-z](?:[^<>"]|"[^"]*")*>/gi)) {
      for (const match of tag.matchAll(/\s(?:href|src|poster)="([^"]*)"/g)) {
        links.push({ page, href: decodeEntities(match[1] ?? '') })
      }
    }
  }
  const dead: DeadLink[] = []
  for (const { page, href } of links) {
    if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('//')) continue
    if (page === '404.html' && href === '/') continue // Shown only on hosts where this page's relative links lead nowhere.
    if (href.startsWith('/')) {
      dead.push({ page, href, reason: 'absolute' })
      continue
    }
    const [withQuery = '', hash = ''] = href.split('#')
    const path = withQuery.split('?')[0] ?? ''
    const target = path === '' ? page : posix.join(posix.dirname(page), decodeURIComponent(path))
    if (!files.has(target)) dead.push({ page, href, reason: 'no file' })
    else if (hash !== '' && target.endsWith('.html') && !hash.startsWith(':~:')) {
      const known = ids.get(target)
      if (known !== undefined && !known.has(decode(hash)) && !known.has(hash) && hash !== 'top')
        dead.push({ page, href, reason: 'no anchor' })
    }
  }
  return dead
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function decodeEntities(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** What a reader sees of a page as text: no scripts, no code samples, no tags. */
export function visibleText(html: string): string {
  return decodeEntities(
    html
      .replace(/<(script|style|pre|code|svg|template)\b[\s\S]*?<\/\1>/g, ' ')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  )
}
