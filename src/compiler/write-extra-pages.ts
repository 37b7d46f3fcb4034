import type { BundleWriter } from '../bundle/index.ts'
import { renderNotFoundPage, renderRedirectPage, sectionFiles } from '../theme/index.ts'
import type { ThemeAssets } from '../theme/theme-api.ts'
import { createAddressBook, relativeHref } from './address-book.ts'
import { createLinkView } from './link-view.ts'
import { defined } from './loose-json.ts'
import { createFrames } from './page-view.ts'
import { addressOf } from './plan-pages.ts'
import { createRedirects, isWildcard } from './redirects.ts'
import { createSidebars } from './sidebar-view.ts'
import type { SitePlan } from './site-plan.ts'

/** What no author wrote: sidebars of large sections, redirects, the first page where there is no index, and the 404 page. */
export async function writeExtraPages(
  plan: SitePlan,
  bundle: BundleWriter,
  assets: ThemeAssets,
  notFound: { title?: string; description?: string },
): Promise<void> {
  const book = createAddressBook({
    pages: plan.pages.map((page) => page.path),
    pagesElsewhere: plan.pagesElsewhere,
    files: plan.assets,
    redirects: plan.redirects,
  })
  const taken = new Set(plan.pages.map((page) => `${page.path}.html`.toLowerCase()))
  for (const asset of plan.assets) taken.add(asset.toLowerCase())
  const sidebars = createSidebars({
    pages: new Map(plan.pages.map((page) => [page.path, page])),
    divisions: plan.navigation.divisions,
    linkView: createLinkView(book, plan.home),
  })
  for (const file of sectionFiles(sidebars.largeSections(), plan.site.iconLibrary))
    await bundle.write(file.path, file.content)
  for (const path of redirectSources(plan)) await writeRedirect(path)
  if (!taken.has('index.html')) {
    await write(
      'index.html',
      renderRedirectPage({ to: relativeHref('index.html', `${plan.home}.html`), title: plan.name }),
    )
  }
  const home = plan.pages.find((page) => page.path === plan.home) ?? plan.pages[0]
  if (home === undefined || taken.has('404.html')) return
  const { view, site } = createFrames(plan, book)({ ...home, path: '404' })
  const frame = {
    ...view,
    content: { type: 'root' as const, children: [] },
    tableOfContents: [],
    needs: { mermaid: false, math: false },
  }
  if (!taken.has('404.md'))
    await bundle.write('404.md', '# Page not found\n\nThere is no page at this address.\n')
  await write(
    '404.html',
    renderNotFoundPage(frame, site, assets, { homeHref: `${plan.home}.html`, ...notFound }),
  )

  async function writeRedirect(from: string): Promise<void> {
    const address = from.replace(/^\/+|\/+$/g, '')
    const file = address === '' ? 'index.html' : `${address}.html`
    if (
      /(?:^|\/)\.{1,2}(?:\/|$)|[\\\0?#<>:"|*]|\/\//.test(address) ||
      /^_quire(?:\/|$)/.test(address) ||
      address.length > 200
    )
      return
    if (taken.has(file.toLowerCase()) || taken.has(`${address}/index.html`.toLowerCase())) return
    const target = book.resolve('index', from)
    if (target.type === 'page' && target.how !== 'folder') {
      const tail = target.query + (target.hash === '' ? '' : `#${target.hash}`)
      const canonicalUrl =
        plan.siteUrl === undefined ? undefined : `${plan.siteUrl}/${addressOf(target.path)}`
      await write(
        file,
        renderRedirectPage({
          to: relativeHref(file, `${target.path}.html`) + tail,
          ...defined({ canonicalUrl }),
        }),
      )
    } else if (target.type === 'foreign' && /^https?:/i.test(target.href))
      await write(file, renderRedirectPage({ to: target.href }))
    else if (target.type === 'file')
      await write(file, renderRedirectPage({ to: relativeHref(file, target.path) }))
  }

  async function write(file: string, html: string): Promise<void> {
    taken.add(file.toLowerCase())
    await bundle.write(file, html)
  }
}

const mostWildcardPages = 20_000

/** The old addresses: those written out, and for wildcards those that lead to a page of the site. */
function redirectSources(plan: SitePlan): string[] {
  const sources: string[] = []
  for (const { from, to } of plan.redirects) {
    if (!isWildcard(from)) {
      sources.push(from)
      continue
    }
    if (!isWildcard(to) || sources.length > mostWildcardPages) continue
    // Read backwards, a wildcard says which old addresses lead to the pages there are.
    const backwards = createRedirects([{ from: to, to: from, permanent: true }])
    for (const page of plan.pages) {
      const old = backwards(`/${addressOf(page.path)}`)
      if (old !== undefined && !isWildcard(old)) sources.push(old)
    }
  }
  return sources
}
