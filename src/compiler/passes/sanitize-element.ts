import type { ElementContent, Properties } from 'hast'
import { htmlToHast } from 'satteri'
import { withoutControls } from '../address-book.ts'
import { isValueObject, type Value } from '../evaluator/values.ts'
import { isActiveElement, knownElement } from './html-names.ts'

/** What the sanitizer asks of the page. */
export type SanitizerPage = {
  resolveHref(href: string): string
  resolveAsset(source: string): string
  report(problem: { severity?: 'error' | 'warning'; code: string; message: string; hint: string }): void
}

export type Sanitized =
  | { type: 'dropped' }
  | { type: 'unknown' }
  | { type: 'element'; tagName: string; properties: Properties; innerHtml?: string }

/** Lets an author's element through without anything that could run, load or reach out of the page. */
export function sanitizeElement(name: string, props: Record<string, Value>, page: SanitizerPage): Sanitized {
  if (isActiveElement(name)) {
    page.report({
      code: 'active_content',
      message: `<${name}> was left out.`,
      hint: 'Pages do not run scripts of their own. Use a component of the format instead.',
    })
    return { type: 'dropped' }
  }
  const tagName = knownElement(name)
  if (tagName === undefined) return { type: 'unknown' }
  const properties: Properties = {}
  let innerHtml: string | undefined
  for (const [key, value] of Object.entries(props)) {
    const attribute = key.toLowerCase().replace(/[-_:]/g, '')
    if (key === 'children' || key === 'key' || key === 'ref' || value === undefined || value === null)
      continue
    if (attribute === 'dangerouslysetinnerhtml') {
      innerHtml = isValueObject(value) && typeof value.__html === 'string' ? value.__html : undefined
    } else if (attribute.startsWith('on')) {
      page.report({
        code: 'event_handler',
        message: `The handler "${key}" of <${name}> was left out.`,
        hint: 'Pages do not run scripts of their own.',
      })
    } else if (forbiddenAttributes.has(attribute)) {
      page.report({
        code: 'active_content',
        message: `The attribute "${key}" of <${name}> was left out.`,
        hint: 'Remove it; it could run code in the page.',
      })
    } else setAttribute(properties, tagName, key, attribute, value, page)
  }
  return innerHtml === undefined
    ? { type: 'element', tagName, properties }
    : { type: 'element', tagName, properties, innerHtml }
}

const forbiddenAttributes = new Set([
  'srcdoc',
  'formaction',
  'ping',
  'is',
  'http-equiv',
  'httpequiv',
  'xmlbase',
  'background',
])
const linkAttributes = new Set(['href', 'xlinkhref', 'action', 'cite', 'longdesc'])
const assetAttributes = new Set(['src', 'poster', 'data'])

function setAttribute(
  properties: Properties,
  tagName: string,
  key: string,
  attribute: string,
  value: Value,
  page: SanitizerPage,
): void {
  if (attribute === 'class' || attribute === 'classname') {
    const names =
      typeof value === 'string' ? value.split(/\s+/).filter((name) => name !== '') : listOfText(value)
    if (names.length > 0) properties.className = names
    return
  }
  if (attribute === 'style') {
    const style = styleText(value)
    if (style !== undefined) properties.style = style
    return
  }
  if (attribute === 'htmlfor' || attribute === 'for') {
    if (typeof value === 'string') properties.htmlFor = [value]
    return
  }
  if (linkAttributes.has(attribute) && typeof value === 'string') {
    const isDrawing =
      tagName === 'use' || tagName === 'image' || tagName === 'pattern' || /gradient/i.test(tagName)
    const address =
      isDrawing && !value.startsWith('#')
        ? page.resolveAsset(value)
        : isDrawing
          ? value
          : page.resolveHref(value)
    if (address !== '' || value === '') properties[attribute === 'xlinkhref' ? 'href' : attribute] = address
    return
  }
  if (assetAttributes.has(attribute) && typeof value === 'string') {
    const address = tagName === 'iframe' ? frameAddress(value, page) : page.resolveAsset(value)
    if (address !== '') properties[attribute] = address
    return
  }
  if (attribute === 'srcset' && typeof value === 'string') {
    properties.srcSet = resolveSourceSet(value, page)
    return
  }
  if (typeof value === 'string' || typeof value === 'number') {
    if (/javascript:/i.test(withoutControls(String(value))) && attribute !== 'alt' && attribute !== 'title')
      return
    properties[propertyName(key)] = value
  } else if (typeof value === 'boolean') {
    const spelled =
      attribute.startsWith('aria') || attribute.startsWith('data') || attribute === 'contenteditable'
    properties[propertyName(key)] = spelled ? String(value) : value
  }
}

function listOfText(value: Value): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

function propertyName(key: string): string {
  return /^[\w:.-]+$/.test(key) ? key : 'data-invalid'
}

function frameAddress(value: string, page: SanitizerPage): string {
  return /^(?:https?:)?\/\//i.test(value) ? value : page.resolveAsset(value)
}

function resolveSourceSet(value: string, page: SanitizerPage): string {
  return value
    .split(/,\s+/)
    .map((candidate) => {
      const [source = '', ...size] = candidate.trim().split(/\s+/)
      return [page.resolveAsset(source), ...size].join(' ')
    })
    .join(', ')
}

/** `style={{ maxWidth: 300 }}` and `style="max-width: 300px"` as text, without what could load or run. */
export function styleText(value: Value): string | undefined {
  const text = typeof value === 'string' ? value : isValueObject(value) ? declarations(value) : undefined
  if (text === undefined || text.trim() === '') return undefined
  const safe = text
    .split(';')
    .filter(
      (part) =>
        !/expression\s*\(|javascript:|@import|behavior\s*:|-moz-binding|url\s*\(\s*["']?\s*(?:https?:|\/\/|data:(?!image\/))/i.test(
          part,
        ),
    )
    .join(';')
  return safe.replace(/[<>]/g, '')
}

function declarations(style: Record<string, Value>): string {
  return Object.entries(style)
    .flatMap(([key, value]) => {
      if (typeof value !== 'string' && typeof value !== 'number') return []
      const name = key.startsWith('--')
        ? key
        : key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/^ms-/, '-ms-')
      const unit = typeof value === 'number' && value !== 0 && !unitless.has(name) ? 'px' : ''
      return [`${name}:${value}${unit}`]
    })
    .join(';')
}

const unitless = new Set(
  'opacity z-index flex flex-grow flex-shrink font-weight line-height order zoom column-count columns aspect-ratio grid-column grid-row grid-area line-clamp -webkit-line-clamp orphans widows tab-size scale fill-opacity stroke-opacity stroke-width'.split(
    ' ',
  ),
)

/** The stylesheet of a page without what would load from elsewhere. */
export function safeStylesheet(css: string): string {
  return css
    .replace(/<(?=[a-z/!])/gi, '')
    .replace(
      /@import\s+(?:url\(\s*)?(?:"\s*(?:https?:|\/\/)[^"]*"|'\s*(?:https?:|\/\/)[^']*'|(?:https?:|\/\/)[^)\s]*)[^;]*;?/gi,
      '',
    )
    .replace(/url\s*\(\s*["']?\s*(?:https?:|\/\/)[^)]*\)/gi, 'none')
    .replace(/expression\s*\(/gi, '(')
}

/** HTML that arrives as a string, as a tree; it still has to pass the sanitizer element by element. */
export function parseHtml(html: string): ElementContent[] {
  const root = htmlToHast(html, { fragment: true })
  return root.type === 'root'
    ? root.children.filter(
        (node): node is ElementContent => node.type !== 'doctype' && node.type !== 'mdxjsEsm',
      )
    : []
}
