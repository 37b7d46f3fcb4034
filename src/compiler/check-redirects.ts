import { createAddressBook } from './address-book.ts'
import { type ProblemList, placeOfText } from './problems.ts'
import type { Settings } from './read-settings.ts'
import { isWildcard } from './redirects.ts'
import type { SitePlan } from './site-plan.ts'

/** Tells of redirects that nobody can follow: from a page that exists, to a page that does not, or in a circle. */
export function checkRedirects(
  plan: SitePlan,
  settings: Settings,
  ids: ReadonlyMap<string, ReadonlySet<string>>,
  problems: ProblemList,
): void {
  const book = createAddressBook({
    pages: [...plan.pages.map((page) => page.path), ...plan.pagesElsewhere],
    pagesElsewhere: [],
    files: plan.assets,
    redirects: plan.redirects,
  })
  const known = new Set<string>()
  for (const { from, to } of settings.redirects) {
    const place = placeOfText(settings.configFile, settings.configText, JSON.stringify(from))
    const path = from.replace(/^\/+|\/+$/g, '')
    if (known.has(path)) {
      problems.add(place, {
        code: 'unreachable_redirect',
        message: `There is more than one redirect from ${from}; only the first is used.`,
        hint: 'Remove the others.',
      })
      continue
    }
    known.add(path)
    if (isWildcard(from) || isWildcard(to)) continue
    if (from === to) {
      problems.add(place, {
        code: 'unreachable_redirect',
        message: `The redirect from ${from} leads to itself.`,
        hint: 'Remove it.',
      })
      continue
    }
    if (book.find(path)?.type === 'page') {
      problems.add(place, {
        code: 'unreachable_redirect',
        message: `The redirect from ${from} is never followed, because there is a page at this address.`,
        hint: 'Remove the redirect or the page.',
      })
      continue
    }
    const target = book.resolve('index', to)
    if (target.type === 'page' && target.hash !== '' && ids.get(target.path)?.has(target.hash) === false) {
      problems.add(place, {
        code: 'broken_anchor',
        message: `The redirect from ${from} leads to ${to}, but #${target.hash} is no heading of that page.`,
        hint: 'Correct or remove the part after #.',
      })
    }
    if (target.type === 'missing') {
      problems.add(place, {
        code: 'broken_redirect',
        message: `The redirect from ${from} leads to ${to}, where there is no page.`,
        hint: 'Correct its destination.',
      })
    }
  }
}
