import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { moduleScript } from '../../search/index.ts'
import { escapeAttribute } from '../content/escape.ts'
import { iconText } from '../icons/render-icon.ts'
import type { IconLibrary, ThemeFile } from '../theme-api.ts'
import { renderIconString } from './layout-icons.ts'
import type { SectionEntry } from './section-list.ts'

/** What the pages of large sections leave out of their sidebars, by the names that the pages call the sections. */
export type Section = { name: string; entries: SectionEntry[] }

/** The list of the files below, which says where each is: pages then stay as they are while a section grows. */
export const sectionsFile = '_quire/sections.js'

/**
 * A script for each large section, which all its pages share, named by its content, and the list of them. Scripts and
 * not data, because a page on a disk may load the one and not the other.
 */
export function sectionFiles(sections: readonly Section[], iconLibrary: IconLibrary): ThemeFile[] {
  if (sections.length === 0) return []
  const code = sectionCode()
  const files = sections.map(({ name, entries }) => {
    const script = `(() => {
${code}
const icons = ${asScript(drawIcons(entries, iconLibrary))}
const entries = ${asScript(entries)}
const marks = (root) => ({
chevron: ${asScript(renderIconString('chevron-right'))},
away: ${asScript(renderIconString('arrow-up-right'))},
icon: (name) => icons[name].replaceAll('\\0', root),
})
window.quireSection = (asked) => sectionItems(entries, asked, marks(asked.root))
})()
`
    const digest = createHash('sha256').update(script).digest('hex').slice(0, 10)
    return { name, path: `_quire/assets/section-${name}-${digest}.js`, content: bytes(script) }
  })
  const list = Object.fromEntries(files.map(({ name, path }) => [name, path]))
  return [
    ...files.map(({ path, content }) => ({ path, content })),
    { path: sectionsFile, content: bytes(`window.quireSectionFiles = ${asScript(list)}\n`) },
  ]
}

/** Each icon once; the address of a picture holds a mark where the way to the root is filled in. */
function drawIcons(entries: readonly SectionEntry[], iconLibrary: IconLibrary): Record<string, string> {
  const names = new Set<string>()
  const visit = ([, , extras, inner]: SectionEntry) => {
    if (extras?.icon !== undefined) names.add(extras.icon)
    for (const entry of inner ?? []) visit(entry)
  }
  for (const entry of entries) visit(entry)
  return Object.fromEntries(
    [...names]
      .sort()
      .map((name) => [name, iconText(name, iconLibrary, (path) => `\0${escapeAttribute(path)}`)]),
  )
}

/** The functions that draw a sidebar in pages draw it in browsers too. */
function sectionCode(): string {
  cachedCode ??= ['../content/escape', 'navigation-markup', 'section-list']
    .map((name) => moduleScript(join(import.meta.dirname, name)))
    .join('\n')
  return cachedCode
}
let cachedCode: string | undefined

/** Text that is a value in a script, whatever page the script is put into. */
function asScript(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
