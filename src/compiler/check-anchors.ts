import type { AnchorUse } from './passes/render-content.ts'
import type { ProblemList } from './problems.ts'

/** Tells of links whose anchor is no heading of the page they lead to. */
export function checkAnchors(
  pages: { ids: ReadonlyMap<string, ReadonlySet<string>>; anchorUses: readonly AnchorUse[] },
  problems: ProblemList,
): void {
  for (const { page, hash, place, written } of pages.anchorUses) {
    const ids = pages.ids.get(page)
    if (ids === undefined || (ids.size === 0 && pages.ids.has(page) === false)) continue
    const wanted = decode(hash)
    if (ids.has(wanted) || ids.has(hash) || wanted === 'top' || wanted.startsWith(':~:text=')) continue
    const near = nearest(wanted, ids)
    problems.add(place, {
      code: 'broken_anchor',
      message: `The link "${written}" leads to no heading of /${page}.`,
      hint:
        near === undefined
          ? 'Correct the part after #, or give the heading an id with {#id}.'
          : `Did you mean #${near}?`,
    })
  }
}

function decode(hash: string): string {
  try {
    return decodeURIComponent(hash)
  } catch {
    return hash
  }
}

function nearest(wanted: string, ids: ReadonlySet<string>): string | undefined {
  const plain = (id: string) => id.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  const target = plain(wanted)
  return (
    [...ids].find((id) => plain(id) === target) ??
    [...ids].find((id) => target.length > 3 && plain(id).startsWith(target))
  )
}
