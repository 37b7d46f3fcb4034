import type { Link } from '../theme/theme-api.ts'
import { type AddressBook, relativeHref } from './address-book.ts'
import { defined } from './loose-json.ts'
import type { LinkSettings } from './read-settings.ts'

export type LinkView = (link: LinkSettings, file: string) => Link

/** Links of the settings, as they stand in a file of the bundle. */
export function createLinkView(book: AddressBook, home: string): LinkView {
  return (link, file) => ({
    label: link.label,
    ...hrefOf(link.href, file),
    ...defined({ icon: link.icon }),
  })

  function hrefOf(written: string, file: string): { href: string; external: boolean } {
    const target = book.resolve('index', written)
    const tail = 'hash' in target && target.hash !== '' ? `#${target.hash}` : ''
    switch (target.type) {
      case 'foreign':
        return { href: target.href, external: true }
      case 'page':
        return { href: relativeHref(file, `${target.path}.html`) + target.query + tail, external: false }
      case 'file':
        return { href: relativeHref(file, target.path) + target.query + tail, external: false }
      case 'missing':
        return {
          href: relativeHref(file, target.path || 'index.html') + target.query + tail,
          external: false,
        }
      case 'here':
        return { href: relativeHref(file, `${home}.html`) + tail, external: false }
      default:
        return { href: relativeHref(file, file), external: false }
    }
  }
}
