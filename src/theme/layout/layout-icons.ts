import { iconMarkup } from '../icons/render-icon.ts'

const drawn = new Map<string, string>()

/** One of the theme's own marks, by its Lucide name. */
export function renderIconString(name: string): string {
  let markup = drawn.get(name)
  if (markup === undefined) {
    markup = iconMarkup('lucide', name) ?? ''
    drawn.set(name, markup)
  }
  return markup
}
