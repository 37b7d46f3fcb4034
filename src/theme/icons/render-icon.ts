import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { ElementContent } from 'hast'
import { contentOf, h, trustedHtml } from '../content/element.ts'
import { cssColor, isRoot, textProp } from '../content/props.ts'
import { escapeAttribute } from '../content/escape.ts'
import type { ComponentContext, IconLibrary } from '../theme-api.ts'
import { freeNames } from './free-names.ts'

/**
 * The icon that a prop names: a name of Font Awesome, Lucide or Tabler, a file of the project, an emoji, or JSX.
 * A name that no library knows becomes a neutral mark and a report.
 */
export function renderIcon(
  value: unknown,
  page: ComponentContext,
  options: {
    type?: string
    library?: string
    color?: string
    size?: number
    className?: string
    label?: string
  } = {},
): ElementContent[] {
  if (value === undefined || value === null || value === '' || value === false || value === true) return []
  if (isRoot(value)) {
    return [h('span', { className: ['icon-custom'], ariaHidden: 'true' }, contentOf(value))]
  }
  if (typeof value !== 'string') return []
  const name = value.trim()
  if (name.startsWith('<svg')) return []
  if (/[./]/.test(name) && /^([a-z]+:)?\/|^\.|\.(svg|png|jpe?g|gif|webp|avif|ico)$/i.test(name)) {
    return [
      h('img', {
        className: ['icon-image'],
        src: page.resolveAsset(name),
        alt: '',
        dataPlain: true,
        noZoom: true,
      }),
    ]
  }
  if (!/[a-z0-9]/i.test(name)) return [h('span', { className: ['icon-emoji'], ariaHidden: 'true' }, name)]
  const markup = lookUp(name, options.library ?? page.iconLibrary, options.type)
  if (markup === undefined) {
    page.report({
      severity: 'warning',
      code: 'unknown_icon',
      message: `There is no icon named “${name}”.`,
      hint: 'Use a name of Font Awesome Free, Lucide or Tabler, or the path of an image of the project.',
    })
  }
  return [trustedHtml(iconSvg(markup ?? neutralMark, options))]
}

/** The same as a string for the layout, which reports nothing: the navigation's icons were checked with its pages. */
export function iconText(
  name: string | undefined,
  library: IconLibrary,
  resolveFile: (path: string) => string,
): string {
  if (name === undefined || name === '') return ''
  if (/^(?:[a-z]+:)?\/\//i.test(name)) return iconSvg(neutralMark, {}) // A page asks nothing of other hosts.
  if (/[./]/.test(name)) {
    const file = resolveFile(name.replace(/^(?:\.?\/)+/, ''))
    return `<img class="icon-image" src="${escapeAttribute(file)}" alt="">`
  }
  if (!/[a-z0-9]/i.test(name)) return `<span class="icon-emoji" aria-hidden="true">${name}</span>`
  return iconSvg(lookUp(name, library, undefined) ?? neutralMark, {})
}

/** An icon of one library by its exact name, for the theme's own marks. */
export function iconMarkup(library: 'lucide' | 'brands' | 'tabler', name: string): string | undefined {
  const found = fromPack(library, name)
  return found === undefined ? undefined : iconSvg(found, {})
}

/** True when a name can be drawn, so that navigation can be checked without drawing it. */
export function isKnownIcon(name: string, library: IconLibrary): boolean {
  return /[./]/.test(name) || !/[a-z0-9]/i.test(name) || lookUp(name, library, undefined) !== undefined
}

type Drawing = { body: string; width: number; height: number }

const neutralMark: Drawing = {
  body: '<circle cx="12" cy="12" r="4" fill="currentColor"/>',
  width: 24,
  height: 24,
}

function iconSvg(
  drawing: Drawing,
  options: { color?: string; size?: number; className?: string; label?: string },
): string {
  const color = cssColor(options.color)
  const size = options.size === undefined ? '1em' : `${options.size}`
  const className = options.className === undefined ? 'icon' : `icon ${escapeAttribute(options.className)}`
  const meaning =
    options.label === undefined
      ? 'aria-hidden="true"'
      : `role="img" aria-label="${escapeAttribute(options.label)}"`
  const style = color === undefined ? '' : ` style="color:${escapeAttribute(color)}"`
  return `<svg class="${className}" viewBox="0 0 ${drawing.width} ${drawing.height}" width="${size}" height="${size}" ${meaning}${style}>${drawing.body}</svg>`
}

type Pack = 'solid' | 'regular' | 'brands' | 'lucide' | 'tabler'

const packFiles: Record<Pack, string> = {
  solid: '@iconify-json/fa7-solid/icons.json',
  regular: '@iconify-json/fa7-regular/icons.json',
  brands: '@iconify-json/fa7-brands/icons.json',
  lucide: '@iconify-json/lucide/icons.json',
  tabler: '@iconify-json/tabler/icons.json',
}

/** The libraries that are asked, in order: the project's own, then those that may know a name by chance. */
const searchOrder: Record<IconLibrary, Pack[]> = {
  fontawesome: ['solid', 'brands', 'regular', 'lucide', 'tabler'],
  lucide: ['lucide', 'brands', 'solid', 'tabler', 'regular'],
  tabler: ['tabler', 'brands', 'lucide', 'solid', 'regular'],
}

const found = new Map<string, Drawing | undefined>()

function lookUp(written: string, library: string, type: string | undefined): Drawing | undefined {
  const key = `${library} ${type ?? ''} ${written}`
  if (found.has(key)) return found.get(key)
  const drawing = search(written, isLibrary(library) ? library : 'fontawesome', type)
  found.set(key, drawing)
  return drawing
}

function search(written: string, library: IconLibrary, type: string | undefined): Drawing | undefined {
  const named = readName(written)
  const order = [...searchOrder[named.library ?? library]]
  const wanted = named.type ?? type ?? ''
  if (/regular|light|thin/.test(wanted)) order.unshift('regular')
  if (/brand/.test(wanted)) order.unshift('brands')
  for (const name of [named.name, ...(freeNames.get(named.name) ?? [])]) {
    for (const pack of order) {
      const drawing = fromPack(pack, name)
      if (drawing !== undefined) return drawing
    }
  }
  return undefined
}

/** `fa-solid fa-rocket`, `fa-rocket`, `lucide:rocket`, `RocketLaunch` and `rocket_launch` all name something. */
function readName(written: string): { name: string; library?: IconLibrary; type?: string } {
  const prefixed = /^(lucide|tabler|fontawesome|fa)[:/](.+)$/i.exec(written)
  const library = prefixed?.[1]?.toLowerCase()
  const words = (prefixed?.[2] ?? written).trim().split(/\s+/)
  const type = words.find((word) =>
    /^(fa[srlbdt]|fa-(solid|regular|light|thin|brands|duotone|sharp))$/.test(word),
  )
  const word = words.findLast((candidate) => candidate !== type) ?? words[0] ?? ''
  const name = word
    .replace(/^(fa|ti|lucide)-(?=.)/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
  return {
    name,
    ...(library === 'lucide' || library === 'tabler'
      ? { library }
      : library === undefined
        ? {}
        : { library: 'fontawesome' }),
    ...(type === undefined ? {} : { type: type === 'fab' ? 'brands' : type === 'far' ? 'regular' : type }),
  }
}

function isLibrary(value: string): value is IconLibrary {
  return value === 'fontawesome' || value === 'lucide' || value === 'tabler'
}

type PackData = {
  width?: number
  height?: number
  icons: Record<string, { body: string; width?: number; height?: number }>
  aliases?: Record<string, { parent: string }>
}

const packs = new Map<Pack, PackData>()

function fromPack(pack: Pack, name: string): Drawing | undefined {
  const data = packs.get(pack) ?? readPack(pack)
  const direct = Object.hasOwn(data.icons, name) ? data.icons[name] : undefined
  const alias =
    direct === undefined && data.aliases !== undefined && Object.hasOwn(data.aliases, name)
      ? data.aliases[name]
      : undefined
  const icon = direct ?? (alias === undefined ? undefined : data.icons[alias.parent])
  if (icon === undefined) return undefined
  return { body: icon.body, width: icon.width ?? data.width ?? 16, height: icon.height ?? data.height ?? 16 }
}

function readPack(pack: Pack): PackData {
  const file = createRequire(import.meta.url).resolve(packFiles[pack])
  const data: PackData = JSON.parse(readFileSync(file, 'utf8'))
  packs.set(pack, data)
  return data
}

/** The icon of a component whose props carry `icon`, `iconType` and `iconLibrary`. */
export function iconOf(
  props: Record<string, unknown>,
  page: ComponentContext,
  color?: string,
): ElementContent[] {
  const type = textProp(props, 'iconType')
  const library = textProp(props, 'iconLibrary')
  return renderIcon(props.icon, page, {
    ...(type === undefined ? {} : { type }),
    ...(library === undefined ? {} : { library }),
    ...(color === undefined ? {} : { color }),
  })
}
