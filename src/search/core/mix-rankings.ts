/** What both rankings have in common: a page and how good it is, from 0 to 1. */
type Ranked = { score: number }

/**
 * Two rankings as one, by reciprocal rank: a page gains from each list by its place there, whatever the scores mean.
 * Scores stay in order: nothing has less than what stands after it.
 */
export function mixRankings<Page extends Ranked>(
  byWords: Page[],
  byMeaning: Page[],
  keyOf: (page: Page) => string,
): Page[] {
  const mixed = new Map<string, { page: Page; gain: number }>()
  for (const list of [byWords, byMeaning]) {
    list.forEach((page, place) => {
      const key = keyOf(page)
      const gain = 1 / (rankOffset + place + 1)
      const known = mixed.get(key)
      if (known === undefined) mixed.set(key, { page: { ...page }, gain })
      else {
        known.gain += gain
        known.page.score = Math.max(known.page.score, page.score)
      }
    })
  }
  const pages = [...mixed.values()]
    .sort((a, b) => b.gain - a.gain || b.page.score - a.page.score)
    .map(({ page }) => page)
  let least = 0
  for (const page of pages.reverse()) {
    least = Math.max(least, page.score)
    page.score = least
  }
  return pages.reverse()
}

/** The usual 60: large enough that a first place alone does not decide. */
const rankOffset = 60
