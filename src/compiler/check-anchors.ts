import type { BundleWriter } from '../bundle/index.ts'
import { relativeHref } from './address-book.ts'
import type { AnchorUse } from './passes/page-links.ts'
import type { ProblemList } from './problems.ts'

/** A link whose anchor is spelled otherwise than the heading's id, and the id it means. */
export type AnchorCorrection = { use: AnchorUse; id: string }

/**
 * Tells of links whose anchor is no heading of the page they lead to. Where one heading differs only in its marks
 * (`#robotstxt` and `#robots-txt`), the link is put right.
 */
export function checkAnchors(
  pages: { ids: ReadonlyMap<string, ReadonlySet<string>>; anchorUses: readonly AnchorUse[] },
  problems: ProblemList,
): AnchorCorrection[] {
  const corrections: AnchorCorrection[] = []
  const byPlainId = new Map<string, Map<string, string>>()
  for (const use of pages.anchorUses) {
    const { page, hash, place, written } = use
    const ids = pages.ids.get(page)
    if (ids === undefined) continue
    const wanted = decode(hash)
    if (ids.has(wanted) || ids.has(hash) || wanted === 'top' || wanted.startsWith(':~:text=')) continue
    const known = byPlainId.get(page) ?? new Map([...ids].reverse().map((id) => [plain(id), id]))
    byPlainId.set(page, known)
    const meant = known.get(plain(wanted))
    if (meant !== undefined) corrections.push({ use, id: meant })
    const near = meant ?? nearest(wanted, ids)
    problems.add(place, {
      code: 'broken_anchor',
      message: `The link "${written}" leads to no heading of /${page}.`,
      hint:
        near === undefined
          ? 'Correct the part after #, or give the heading an id with {#id}.'
          : `Did you mean #${near}?`,
    })
  }
  return corrections
}

/** Writes the right anchors into the pages that spelled them otherwise. */
export async function correctAnchors(
  bundle: BundleWriter,
  corrections: readonly AnchorCorrection[],
): Promise<void> {
  const byPage = new Map<string, AnchorCorrection[]>()
  for (const correction of corrections) {
    const list = byPage.get(correction.use.from) ?? []
    list.push(correction)
    byPage.set(correction.use.from, list)
  }
  for (const [page, list] of byPage) {
    const file = `${page}.html`
    let html = (await bundle.read(file)).toString()
    for (const { use, id } of list) {
      const path = use.page === page ? '' : relativeHref(`${page}.html`, `${use.page}.html`)
      html = html.replaceAll(
        `href="${path}#${escapeAttribute(use.hash)}"`,
        `href="${path}#${escapeAttribute(id)}"`,
      )
    }
    await bundle.write(file, html)
  }
}

function plain(id: string): string {
  return id.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

function decode(hash: string): string {
  try {
    return decodeURIComponent(hash)
  } catch {
    return hash
  }
}

function nearest(wanted: string, ids: ReadonlySet<string>): string | undefined {
  const target = plain(wanted)
  return target.length > 3 ? [...ids].find((id) => plain(id).startsWith(target)) : undefined
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}
