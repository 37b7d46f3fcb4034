import type { ElementContent, Root } from 'hast'
import type { ComponentContext } from '../theme-api.ts'
import { contentOf } from './element.ts'

type Props = Record<string, unknown>

/** A prop as text; numbers and booleans are spelled, JSX and objects are not text. */
export function textProp(props: Props, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = props[name]
    if (typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
      return String(value)
  }
  return undefined
}

/** `horizontal`, `horizontal={true}`, `horizontal="true"` and `horizontal=""` are all yes. */
export function flagProp(props: Props, ...names: string[]): boolean | undefined {
  for (const name of names) {
    const value = props[name]
    if (typeof value === 'boolean') return value
    if (typeof value === 'string') return !['false', '0', 'no', 'off'].includes(value.trim().toLowerCase())
    if (typeof value === 'number') return value !== 0
  }
  return undefined
}

/** `cols={2}`, `cols="2"`, `size="24px"`. */
export function numberProp(props: Props, ...names: string[]): number | undefined {
  for (const name of names) {
    const value = props[name]
    const number =
      typeof value === 'number' ? value : typeof value === 'string' ? Number.parseFloat(value) : Number.NaN
    if (Number.isFinite(number)) return number
  }
  return undefined
}

/** `tags={["a", "b"]}` and `tags="a, b"`. */
export function listProp(props: Props, name: string): string[] {
  const value = props[name]
  if (Array.isArray(value))
    return value.filter((item) => typeof item === 'string' || typeof item === 'number').map(String)
  if (typeof value === 'string')
    return value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  return []
}

/** A prop that may be JSX or text with Markdown in it, as what stands in a line. */
export function inlineProp(props: Props, page: ComponentContext, ...names: string[]): ElementContent[] {
  for (const name of names) {
    const value = props[name]
    if (isRoot(value)) return contentOf(value)
    const text = textProp(props, name)
    if (text !== undefined && text !== '') return inlineMarkdown(text, page)
  }
  return []
}

export function isRoot(value: unknown): value is Root {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === 'root' &&
    'children' in value
  )
}

/** Markdown of one line without the paragraph around it; text without a mark of Markdown is not parsed at all. */
export function inlineMarkdown(text: string, page: ComponentContext): ElementContent[] {
  if (!/[`*_[\]<>\\~&$]|https?:/.test(text)) return [{ type: 'text', value: text }]
  const nodes = page.renderMarkdown(text).filter((node) => node.type !== 'text' || node.value.trim() !== '')
  const only = nodes[0]
  return nodes.length === 1 && only?.type === 'element' && only.tagName === 'p' ? only.children : nodes
}

/** The author's classes and id, kept on the outermost element of a component. */
export function outerProps(
  props: Props,
  ...classNames: string[]
): { className: string[]; id?: string; style?: string } {
  const own = textProp(props, 'className', 'class')
  const id = textProp(props, 'id')
  const style = styleProp(props.style)
  return {
    className:
      own === undefined ? classNames : [...classNames, ...own.split(/\s+/).filter((name) => name !== '')],
    ...(id === undefined ? {} : { id }),
    ...(style === undefined ? {} : { style }),
  }
}

/** `style={{ maxWidth: 300 }}` and `style="max-width: 300px"`, without anything that could load a file. */
export function styleProp(value: unknown): string | undefined {
  if (typeof value === 'string') return safeDeclaration(value) ? value : undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const declarations: string[] = []
  for (const [name, setting] of Object.entries(value)) {
    if (typeof setting !== 'string' && typeof setting !== 'number') continue
    const property = name.startsWith('--')
      ? name
      : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const text =
      typeof setting === 'number' && setting !== 0 && !unitless.has(property)
        ? `${setting}px`
        : String(setting)
    if (/^[\w-]+$/.test(property) && safeDeclaration(text) && !text.includes(';'))
      declarations.push(`${property}:${text}`)
  }
  return declarations.length === 0 ? undefined : declarations.join(';')
}

const unitless = new Set([
  'opacity',
  'z-index',
  'flex',
  'flex-grow',
  'flex-shrink',
  'font-weight',
  'line-height',
  'order',
  'zoom',
  'column-count',
  'aspect-ratio',
  'grid-column',
  'grid-row',
  'line-clamp',
  'orphans',
  'widows',
  'tab-size',
  'scale',
])

function safeDeclaration(text: string): boolean {
  return !/url\s*\(|expression\s*\(|@import|javascript:|[{}<>\\]/i.test(text)
}

/** A colour as CSS knows it (`#0a0`, `rgb(…)`, `red`), or nothing. */
export function cssColor(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  return /^(#[0-9a-f]{3,8}|[a-z]{3,24}|(rgb|hsl|oklch|oklab|lab|lch|hwb|color)a?\([\w\s.,%/+-]+\)|var\(--[\w-]+\))$/i.test(
    text,
  )
    ? text
    : undefined
}
