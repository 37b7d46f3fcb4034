import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { searchEngineScript } from '../search/index.ts'
import { siteColors } from './colors.ts'
import type { FontView, SiteView, ThemeAssets, ThemeFile } from './theme-api.ts'

const folder = '_quire/assets'
const require = createRequire(import.meta.url)

/**
 * The files that every page of a site shares, named by their content, and their names as pages need them. What only
 * pages with formulas or diagrams need comes from `mathFiles` and `mermaidFiles`.
 */
export function themeAssets(site: SiteView): ThemeAssets & { files: ThemeFile[] } {
  const fonts = siteFonts(site)
  const stylesheet = hashed(
    'quire.css',
    minifyStyles(`${siteStyles(site)}${fonts.styles}${readStyles()}`, notice),
  )
  const headScript = hashed('head.js', minifyScript(readBrowser('head.js')))
  const script = hashed(
    'quire.js',
    minifyScript(`(() => {\n${browserParts.map(readBrowser).join('\n')}\n})()\n`),
  )
  const search = hashed('search.js', searchEngineScript())
  return {
    stylesheet: stylesheet.path,
    headScript: headScript.path,
    script: script.path,
    searchScript: search.path,
    mathStylesheet: mathFiles()[0]?.path ?? '',
    mermaidScript: mermaidFiles()[0]?.path ?? '',
    fonts: fonts.preload,
    monoFont: fonts.mono,
    files: [stylesheet, headScript, script, search, ...fonts.files],
  }
}

const notice = `/*! Quire. Icons in pages: Font Awesome Free (https://fontawesome.com, CC BY 4.0), Lucide (https://lucide.dev, ISC), Tabler Icons (https://tabler.io/icons, MIT). Fonts: Inter and JetBrains Mono (SIL OFL 1.1). */\n`

const styleParts = [
  'base.css',
  'layout.css',
  'prose.css',
  'components.css',
  'endpoint.css',
  'code.css',
  'search.css',
  'print.css',
]

/** Run in this order as one script; each part is a block of its own. */
const browserParts = ['quire.js', 'tabs.js', 'code.js', 'page.js', 'sections.js', 'search.js']

function readStyles(): string {
  return styleParts.map((name) => readFileSync(join(import.meta.dirname, 'styles', name), 'utf8')).join('\n')
}

function readBrowser(name: string): string {
  return readFileSync(join(import.meta.dirname, 'browser', name), 'utf8')
}

function siteStyles(site: SiteView): string {
  const ground = {
    light: cssValue(site.background.light) ?? '#ffffff',
    dark: cssValue(site.background.dark) ?? '#0c0d10',
  }
  const colors = siteColors(site.colors, ground)
  const names: Record<string, string | undefined> = {
    'ground-light': ground.light,
    'ground-dark': ground.dark,
    'accent-light': colors.accentLight,
    'accent-dark': colors.accentDark,
    'button-light': colors.buttonLight,
    'button-light-text': colors.buttonLightText,
    'button-dark': colors.buttonDark,
    'button-dark-text': colors.buttonDarkText,
    'font-body': fontFamily(site.fonts.body, '"Inter","Inter Fallback",system-ui,sans-serif'),
    'font-heading': fontFamily(
      site.fonts.heading ?? site.fonts.body,
      '"Inter","Inter Fallback",system-ui,sans-serif',
    ),
  }
  const settings = Object.entries(names).filter(([, value]) => value !== undefined)
  return `:root{${settings.map(([name, value]) => `--q-${name}:${value}`).join(';')}}\n`
}

function cssValue(color: string | undefined): string | undefined {
  return color !== undefined && /^#[0-9a-f]{3,8}$|^rgba?\([\d\s,.%/]+\)$/i.test(color.trim())
    ? color.trim()
    : undefined
}

function fontFamily(font: FontView | undefined, after: string): string | undefined {
  return font === undefined || !/^[\w\s-]+$/.test(font.family) ? undefined : `"${font.family}",${after}`
}

type Fonts = { files: ThemeFile[]; styles: string; preload: string[]; mono: string }

const interRanges: [string, string][] = [
  [
    'latin',
    'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
  ],
  [
    'latin-ext',
    'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
  ],
  ['cyrillic', 'U+0301,U+0400-045F,U+0490-0491,U+04B0-04B1,U+2116'],
  ['greek', 'U+0370-0377,U+037A-037F,U+0384-038A,U+038C,U+038E-03A1,U+03A3-03FF'],
  [
    'vietnamese',
    'U+0102-0103,U+0110-0111,U+0128-0129,U+0168-0169,U+01A0-01A1,U+01AF-01B0,U+0300-0301,U+0303-0304,U+0308-0309,U+0323,U+0329,U+1EA0-1EF9,U+20AB',
  ],
]

/**
 * Our own fonts, and those of the project that come as files; a font by name alone is used where a reader has it.
 * A font that is late is left for the next page: swapping it in would move the lines under the reader's eyes.
 */
function siteFonts(site: SiteView): Fonts {
  const files: ThemeFile[] = []
  let styles =
    fallbackFace('100 500', ['Arial', 'ArialMT', 'Liberation Sans', 'Helvetica'], 107.12) +
    fallbackFace('600 900', ['Arial Bold', 'Arial-BoldMT', 'Liberation Sans Bold', 'Helvetica Bold'], 104.5)
  const add = (file: string, family: string, range: string) => {
    const font = hashed(basename(file), readFileSync(require.resolve(file)))
    files.push(font)
    styles += `@font-face{font-family:"${family}";font-style:normal;font-weight:100 900;font-display:optional;src:url(${basename(font.path)}) format("woff2");unicode-range:${range}}\n`
    return font.path
  }
  const preload: string[] = []
  for (const [name, range] of interRanges) {
    const path = add(`@fontsource-variable/inter/files/inter-${name}-wght-normal.woff2`, 'Inter', range)
    if (name === 'latin' && site.fonts.body === undefined) preload.push(path)
  }
  const mono = add(
    '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
    'JetBrains Mono',
    interRanges[0]?.[1] ?? '',
  )
  for (const font of [site.fonts.body, site.fonts.heading]) styles += projectFont(font)
  return { files, styles, preload, mono }
}

/** A font that every reader has, stretched to the width of ours, with a bold of its own: a thickened one is ugly. */
function fallbackFace(weight: string, names: string[], widthPercent: number): string {
  const sources = names.map((name) => `local("${name}")`).join(',')
  const height = 96.88 / widthPercent
  const down = 24.12 / widthPercent
  const percent = (part: number) => `${(part * 100).toFixed(2)}%`
  return `@font-face{font-family:"Inter Fallback";font-weight:${weight};src:${sources};size-adjust:${widthPercent}%;ascent-override:${percent(height)};descent-override:${percent(down)};line-gap-override:0%}\n`
}

/** `source` is a path inside the bundle; the stylesheet lies two folders down. */
function projectFont(font: FontView | undefined): string {
  if (font?.source === undefined || !/^[\w\s-]+$/.test(font.family) || /^[a-z]+:|^\/\//i.test(font.source))
    return ''
  const path = encodeURI(font.source.replace(/^\//, '')).replace(
    /[()'"]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  )
  const format = font.format !== undefined && /^[\w-]+$/.test(font.format) ? ` format("${font.format}")` : ''
  const weight = font.weight !== undefined && /^[\d\s]+$/.test(font.weight) ? font.weight : '100 900'
  return `@font-face{font-family:"${font.family}";font-weight:${weight};font-display:optional;src:url("../../${path}")${format}}\n`
}

/** What pages with formulas load: a stylesheet (the first file) and its fonts. */
export function mathFiles(): ThemeFile[] {
  if (cachedMath !== undefined) return cachedMath
  const root = join(dirname(require.resolve('katex')))
  const fonts = readdirSync(join(root, 'fonts'))
    .filter((name) => name.endsWith('.woff2'))
    .sort()
    .map((name) => ({ name, file: hashed(name, readFileSync(join(root, 'fonts', name))) }))
  const names = new Map(fonts.map(({ name, file }) => [name, basename(file.path)]))
  const styles = readFileSync(join(root, 'katex.min.css'), 'utf8').replace(
    /src:url\(fonts\/([\w-]+\.woff2)\)[^;}]*/g,
    (_whole, name: string) => `src:url(${names.get(name) ?? name}) format("woff2")`,
  )
  cachedMath = [hashed('math.css', styles), ...fonts.map(({ file }) => file)]
  return cachedMath
}
let cachedMath: ThemeFile[] | undefined

/** What pages with diagrams load. */
export function mermaidFiles(): ThemeFile[] {
  cachedMermaid ??= [hashed('mermaid.js', readFileSync(require.resolve('@mermaid-js/tiny')))]
  return cachedMermaid
}
let cachedMermaid: ThemeFile[] | undefined

function hashed(name: string, content: string | Uint8Array): ThemeFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 10)
  return { path: `${folder}/${name.replace(/\.(\w+)$/, `-${digest}.$1`)}`, content: bytes }
}

/** Enough for styles written as ours are: no text in them holds what is taken out. */
function minifyStyles(source: string, notice: string): string {
  return (
    notice +
    source
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/\s+/g, ' ')
      .replace(/\s*([{};,])\s*/g, '$1')
      .replace(/: /g, ':')
      .replace(/;}/g, '}')
      .trim()
  )
}

/** Takes out comments on lines of their own and indentation, which is all that compression leaves to win. */
function minifyScript(source: string): string {
  return source
    .replace(/^\s*\/\*\*[\s\S]*?\*\/$/gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/^\s+/gm, '')
    .replace(/\n{2,}/g, '\n')
}
