import type { SiteIndex } from '../bundle/bundle-api.ts'

export type Redirect = SiteIndex['redirects'][number]
export type RedirectTable = {
  exact: Map<string, Redirect>
  patterns: { pattern: RegExp; redirect: Redirect }[]
}

/** Prepares a site's redirects: exact ones by look-up, those with `*`, `:name` or `:name*` by pattern, in their order. */
export function prepareRedirects(redirects: Redirect[]): RedirectTable {
  const table: RedirectTable = { exact: new Map(), patterns: [] }
  for (const redirect of redirects) {
    if (!/[*]|\/:[A-Za-z_]/.test(redirect.from)) {
      if (plain(redirect.from) !== plain(redirect.to)) table.exact.set(plain(redirect.from), redirect)
      continue
    }
    table.patterns.push({ pattern: patternOf(redirect.from), redirect })
  }
  return table
}

export function findExactRedirect(table: RedirectTable, path: string): Redirect | undefined {
  return table.exact.get(plain(path))
}

/** The address that a pattern leads to, with what the wildcards stood for put in. */
export function findPatternRedirect(
  table: RedirectTable,
  path: string,
): { to: string; permanent: boolean } | undefined {
  const address = plain(path)
  for (const { pattern, redirect } of table.patterns) {
    const match = pattern.exec(address)
    if (match === null) continue
    const named = match.groups ?? {}
    const to = redirect.to
      .replace(/:([A-Za-z_][A-Za-z0-9_]*)\*?/g, (written, name) => encodePath(named[name] ?? written))
      .replace(/\*/, () => encodePath(named.rest ?? ''))
    if (plain(to) !== address) return { to, permanent: redirect.permanent }
  }
  return undefined
}

/** `/a/`, `/a` and `/a.html` are one address. */
function plain(path: string): string {
  const bare = path
    .replace(/[?#].*$/, '')
    .replace(/\.html$/, '')
    .replace(/\/+$/, '')
  return bare.startsWith('/') ? bare : `/${bare}`
}

function patternOf(from: string): RegExp {
  const seen = new Set<string>()
  const group = (name: string, inner: string) => {
    if (seen.has(name)) return inner
    seen.add(name)
    return `(?<${name}>${inner})`
  }
  const source = plain(from)
    .split('/')
    .map((segment) => {
      const named = /^:([A-Za-z_][A-Za-z0-9_]*)(\*?)$/.exec(segment)
      if (named !== null) return group(named[1] as string, named[2] === '*' ? '.*' : '[^/]+')
      const texts = segment.split('*').map((text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      return texts.length === 1 ? texts[0] : texts.join(group('rest', '.*'))
    })
    .join('/')
  return new RegExp(`^${source.replace(/\/(\(\?<[A-Za-z_][A-Za-z0-9_]*>\.\*\))$/, '(?:/$1)?')}$`)
}

function encodePath(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/')
}
