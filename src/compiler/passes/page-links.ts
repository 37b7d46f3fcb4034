import type { ElementContent } from 'hast'
import { type AddressBook, relativeHref } from '../address-book.ts'
import type { Place, ProblemList } from '../problems.ts'
import { plainText } from './plain-text.ts'

/** A link with an anchor into another page, checked when all pages are rendered. */
export type AnchorUse = { from: string; page: string; hash: string; place: Place; written: string }

/** The links of one page: where each leads, what is wrong with it, and what others may know of it. */
export class PageLinks {
  readonly anchorUses: AnchorUse[] = []
  readonly linkTexts: { page: string; text: string }[] = []
  readonly #page: { path: string; siteUrl: string | undefined }
  readonly #book: AddressBook
  /** Where the renderer is, in the page or in a file that it includes. */
  readonly #here: () => Place
  readonly #report: (problem: Parameters<ProblemList['add']>[1]) => void

  constructor(input: {
    page: { path: string; siteUrl: string | undefined }
    book: AddressBook
    here: () => Place
    report: (problem: Parameters<ProblemList['add']>[1]) => void
  }) {
    this.#page = input.page
    this.#book = input.book
    this.#here = input.here
    this.#report = input.report
  }

  resolveHref(written: string): string {
    const { path: pagePath, siteUrl } = this.#page
    const target = this.#book.resolve(pagePath, written)
    switch (target.type) {
      case 'foreign':
        return target.href
      case 'here':
        if (target.hash !== '') {
          this.anchorUses.push({
            from: pagePath,
            page: pagePath,
            hash: target.hash,
            place: this.#here(),
            written,
          })
        }
        return `#${target.hash}`
      case 'forbidden':
        this.#report({
          code: 'active_content',
          message: `The address "${written.slice(0, 60)}" was left out.`,
          hint: 'Link to a page, a file or an https address.',
        })
        return ''
      case 'file':
        return relativeHref(`${pagePath}.html`, target.path) + target.query + fragment(target.hash)
      case 'missing':
        this.#report({
          severity: 'error',
          code: 'broken_link',
          message: `The link "${written}" leads to no page and no file.`,
          hint: 'Correct the address, add the page, or add a redirect to docs.json.',
        })
        return (
          relativeHref(`${pagePath}.html`, target.path === '' ? 'index.html' : target.path) +
          target.query +
          fragment(target.hash)
        )
      case 'page':
        break
    }
    if (target.how === 'folder') {
      this.#report({
        code: 'folder_link',
        message: `The link "${written}" names a folder without a page of its own and leads to /${target.path}.`,
        hint: `Link to /${target.path}, or add an index page to the folder.`,
      })
    }
    if (target.how === 'elsewhere') {
      return siteUrl === undefined
        ? relativeHref(`${pagePath}.html`, `${target.path}.html`) + target.query + fragment(target.hash)
        : `${siteUrl}/${target.path}${target.query}${fragment(target.hash)}`
    }
    if (target.hash !== '') {
      this.anchorUses.push({
        from: pagePath,
        page: target.path,
        hash: target.hash,
        place: this.#here(),
        written,
      })
      if (target.path === pagePath) return fragment(target.hash)
    }
    return relativeHref(`${pagePath}.html`, `${target.path}.html`) + target.query + fragment(target.hash)
  }

  resolveAsset(source: string): string {
    if (/^data:image\/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,]/i.test(source)) return source
    const { path: pagePath } = this.#page
    const candidates = [pagePath, this.#here().file]
    for (const from of candidates) {
      const target = this.#book.resolve(from, source)
      if (target.type === 'foreign') return target.href
      if (target.type === 'file')
        return relativeHref(`${pagePath}.html`, target.path) + target.query + fragment(target.hash)
      if (target.type === 'forbidden') {
        this.#report({
          code: 'active_content',
          message: `The address "${source.slice(0, 60)}" was left out.`,
          hint: 'Use a file of the project or an https address.',
        })
        return ''
      }
      if (target.type === 'here') return source
    }
    this.#report({
      severity: 'error',
      code: 'missing_file',
      message: `The file "${source}" is not in the project.`,
      hint: 'Add the file, or correct its path; a path that begins with / counts from the project’s root.',
    })
    const target = this.#book.resolve(pagePath, source)
    return target.type === 'missing' ? relativeHref(`${pagePath}.html`, target.path) : source
  }

  /** What other pages call a page is what readers search it by. */
  noteText(written: string, children: ElementContent[]): void {
    const target = this.#book.resolve(this.#page.path, written)
    const text = plainText(children).trim()
    if (target.type === 'page' && target.path !== this.#page.path && text !== '' && text.length < 100) {
      this.linkTexts.push({ page: target.path, text })
    }
  }
}

function fragment(hash: string): string {
  return hash === '' ? '' : `#${hash}`
}
