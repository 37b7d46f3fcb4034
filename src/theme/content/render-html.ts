import type { Element, ElementContent, Root, RootContent } from 'hast'
import { find, html, svg } from 'property-information'
import { iconMarkup } from '../icons/render-icon.ts'
import { plainText } from './element.ts'
import { escapeAttribute, escapeText } from './escape.ts'

export type RenderHtmlOptions = {
  /** False for pieces of the layout, which are written as they stand. */
  decorate: boolean
  /** Told of every class an author may have meant as a utility class. */
  onClassName?: (name: string) => void
  /** The size of a picture of the project, so that its place is kept while it loads. */
  imageSize?: ((source: string) => { width: number; height: number } | 'missing' | undefined) | undefined
}

/**
 * Writes a tree as HTML. With `decorate` it gives the author's plain elements what readers expect of them on the way:
 * headings a link to themselves, tables a frame to scroll in, foreign embeds a button before they load. Scripts and
 * event handlers are never written, whoever put them into the tree.
 */
export function renderHtml(
  nodes: readonly (ElementContent | RootContent | Root)[],
  options: RenderHtmlOptions,
): string {
  const state: State = { ...options, insideLink: false, insideSvg: false }
  let output = ''
  for (const node of nodes) output += renderNode(node, state)
  return output
}

type State = RenderHtmlOptions & { insideLink: boolean; insideSvg: boolean }

function renderNode(node: ElementContent | RootContent | Root, state: State): string {
  switch (node.type) {
    case 'text':
      return escapeText(node.value)
    case 'trustedHtml':
      return node.value
    case 'element':
      return state.decorate && !state.insideSvg ? renderDecorated(node, state) : renderElement(node, state)
    case 'root':
      return renderChildren(node.children, state)
    default:
      return ''
  }
}

function renderChildren(nodes: readonly (ElementContent | RootContent)[], state: State): string {
  let output = ''
  for (const node of nodes) output += renderNode(node, state)
  return output
}

function renderElement(element: Element, state: State, extra = '', before = '', after = ''): string {
  const { tagName } = element
  if (droppedElements.has(tagName)) return ''
  const start = `<${tagName}${renderAttributes(element, state)}${extra}>`
  if (voidElements.has(tagName)) return start
  if (tagName === 'style') return `${start}${styleText(element)}</style>`
  const inner: State =
    tagName === 'svg' && !state.insideSvg
      ? { ...state, insideSvg: true }
      : tagName === 'a' && !state.insideLink
        ? { ...state, insideLink: true }
        : state
  return `${start}${before}${renderChildren(element.children, inner)}${after}</${tagName}>`
}

const droppedElements = new Set(['script', 'object', 'embed', 'base', 'applet', 'frame', 'frameset'])
const voidElements = new Set([
  'area',
  'br',
  'col',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
])

function styleText(element: Element): string {
  return element.children
    .map((child) => (child.type === 'text' ? child.value : ''))
    .join('')
    .replaceAll('</', '<\\/')
}

function renderAttributes(element: Element, state: State): string {
  let output = ''
  const { properties } = element
  const names = state.insideSvg || element.tagName === 'svg' ? svgNames : htmlNames
  for (const key in properties) {
    const value = properties[key]
    if (value === null || value === undefined || value === false) continue
    const name = attributeName(key, names)
    if (name === undefined) continue
    if (value === true) {
      output +=
        enumerated.has(name) || name.startsWith('aria-') || name.startsWith('data-')
          ? ` ${name}="true"`
          : ` ${name}`
      continue
    }
    if (typeof value === 'number' && Number.isNaN(value)) continue
    const text = Array.isArray(value)
      ? value.join(name === 'accept' || name === 'srcset' ? ', ' : ' ')
      : String(value)
    if (addresses.has(name) && isActive(text)) continue
    if (name === 'class' && state.onClassName !== undefined)
      for (const part of text.split(' ')) state.onClassName(part)
    output += ` ${name}="${escapeAttribute(text)}"`
  }
  return output
}

/** Browsers read an address without its white space and control characters, so it is judged without them. */
function isActive(address: string): boolean {
  return (
    address.includes(':') &&
    /^(javascript|vbscript|data:text\/html)/i.test(address.replace(/[\s\p{Cc}]/gu, ''))
  )
}

const enumerated = new Set(['contenteditable', 'draggable', 'spellcheck'])
const addresses = new Set(['href', 'src', 'action', 'formaction', 'xlink:href', 'poster', 'srcset'])
const htmlNames = { schema: html, known: new Map<string, string | undefined>() }
const svgNames = { schema: svg, known: new Map<string, string | undefined>() }

function attributeName(key: string, names: typeof htmlNames): string | undefined {
  if (names.known.has(key)) return names.known.get(key)
  const { attribute } = find(names.schema, key)
  const safe = /^[a-zA-Z_:][\w:.-]*$/.test(attribute) && !/^on/i.test(attribute) ? attribute : undefined
  if (names.known.size < 2000) names.known.set(key, safe)
  return safe
}

function renderDecorated(element: Element, state: State): string {
  switch (element.tagName) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return renderHeading(element, state)
    case 'table':
      return `<div class="table-scroll">${renderElement(element, state)}</div>`
    case 'a':
      return renderElement(
        element,
        state,
        isForeign(element.properties.href) && !element.properties.target
          ? ' target="_blank" rel="noopener"'
          : '',
      )
    case 'img':
      return renderImage(element, state)
    case 'td':
      return renderElement({ ...element, children: element.children.map(markLongCode) }, state)
    case 'iframe':
      return renderFrame(element, state)
    case 'video':
    case 'audio':
      return renderMedia(element, state)
    case 'input':
      return element.properties.type === 'checkbox' && !element.properties.ariaLabel
        ? renderElement(element, state, ` aria-label="${element.properties.checked ? 'Done' : 'To do'}"`)
        : renderElement(element, state)
    default:
      return renderElement(element, state)
  }
}

function renderHeading(element: Element, state: State): string {
  const { id } = element.properties
  if (typeof id !== 'string' || id === '' || element.properties.dataPlain)
    return renderElement(element, state)
  const anchor = `<a class="heading-link" href="#${escapeAttribute(encodeURI(id))}" aria-label="Link to this heading">${linkIcon()}</a>`
  return renderElement(element, state, '', '', anchor)
}

/** Code in a table stays in one piece, so that names can be read on a phone; what is too long for that may break. */
function markLongCode<Node extends ElementContent>(node: Node): Node {
  if (node.type !== 'element') return node
  if (node.tagName === 'a') return { ...node, children: node.children.map(markLongCode) }
  const isLong = node.tagName === 'code' && plainText(node.children).length > 28
  return isLong ? { ...node, properties: { ...node.properties, className: ['long'] } } : node
}

function renderImage(element: Element, state: State): string {
  const { src, alt } = element.properties
  const label = typeof alt === 'string' ? alt : ''
  if (isForeign(src)) return renderForeignImage(element, src, label, state)
  if (src === '' || src === undefined || src === null)
    return label === '' ? '' : absentImage(element, label, state)
  if (typeof src === 'string' && state.imageSize?.(src) === 'missing')
    return absentImage(element, label, state)
  const alternative = alt === undefined || alt === null ? ' alt=""' : ''
  const lazy = element.properties.loading ? '' : ' loading="lazy"'
  return renderElement(
    element,
    state,
    `${alternative}${sizeAttributes(element, state)}${lazy} decoding="async"`,
  )
}

/** A picture of another site, which is named but not asked for: it loads when the reader wants it. */
function renderForeignImage(element: Element, source: string, label: string, state: State): string {
  const host = new URL(absolute(source)).hostname
  const { width, height } = element.properties
  const isLarge = Number(width) > 300
  const classes = foreignClasses(element, state) + (isLarge ? ' large' : '')
  const room =
    isLarge && Number(height) > 0
      ? ` style="width:${Number(width)}px;aspect-ratio:${Number(width)}/${Number(height)}"`
      : ''
  const words = label === '' ? '' : `<span data-alt>${escapeText(label)}</span>`
  return state.insideLink
    ? `<span class="${classes}"${room}>${imageIcon()}${words}</span>`
    : `<a class="${classes}"${room} data-load="image" href="${escapeAttribute(absolute(source))}" target="_blank" rel="noopener">${imageIcon()}${words}<small>${escapeText(host)}</small></a>`
}

/** The place of a picture that is not in the project. */
function absentImage(element: Element, label: string, state: State): string {
  const words = label === '' ? '' : `<span>${escapeText(label)}</span>`
  const own = ownClasses(element, state)
  return own.length === 0
    ? `<span class="foreign-image">${imageIcon()}${words}</span>`
    : absent(own, imageIcon() + words)
}

/** The author's classes stand around the place, because they may say when it is shown. */
function absent(own: string[], inside: string): string {
  const around = own.length === 0 ? '' : ` class="${escapeAttribute(own.join(' '))}"`
  return `<span${around}><span class="foreign-image large">${inside}</span></span>`
}

function sizeAttributes(element: Element, state: State): string {
  const { src, width, height } = element.properties
  if (state.imageSize === undefined || typeof src !== 'string' || (height !== undefined && height !== null))
    return ''
  const size = state.imageSize(src)
  if (size === undefined || size === 'missing') return ''
  if (width === undefined || width === null)
    return ` width="${Math.round(size.width)}" height="${Math.round(size.height)}"`
  return Number(width) > 0 ? ` height="${Math.round((Number(width) * size.height) / size.width)}"` : ''
}

/** The author's classes stay, because they may say in which colour scheme a picture is shown. */
function foreignClasses(element: Element, state: State): string {
  return escapeAttribute(['foreign-image', ...ownClasses(element, state)].join(' '))
}

function ownClasses(element: Element, state: State): string[] {
  const { className } = element.properties
  const own = Array.isArray(className)
    ? className.map(String)
    : String(className ?? '')
        .split(' ')
        .filter((name) => name !== '')
  for (const name of own) state.onClassName?.(name)
  return own
}

function renderFrame(element: Element, state: State): string {
  const { src, title } = element.properties
  if (!isForeign(src)) return renderElement(element, state, title ? '' : ' title="Embedded content"')
  return embed({ kind: 'frame', source: src, title: typeof title === 'string' ? title : '', element })
}

function renderMedia(element: Element, state: State): string {
  const source = mediaSource(element)
  if (!isForeign(source)) {
    const isMissing = typeof source === 'string' && state.imageSize?.(source) === 'missing'
    return isMissing ? absent(ownClasses(element, state), playIcon()) : renderElement(element, state)
  }
  const title = element.properties.title ?? element.properties.ariaLabel
  return embed({
    kind: element.tagName === 'audio' ? 'audio' : 'video',
    source,
    title: typeof title === 'string' ? title : '',
    element,
  })
}

function mediaSource(element: Element): unknown {
  if (element.properties.src) return element.properties.src
  for (const child of element.children)
    if (child.type === 'element' && child.tagName === 'source') return child.properties.src
  return undefined
}

/** A foreign frame or film, which loads only when the reader asks for it. */
function embed(input: { kind: string; source: string; title: string; element: Element }): string {
  const host = new URL(absolute(input.source)).hostname.replace(/^www\./, '')
  const { width, height } = input.element.properties
  const ratio =
    Number(width) > 0 && Number(height) > 0 ? ` style="aspect-ratio:${Number(width)}/${Number(height)}"` : ''
  const untitled = { frame: 'Load content', video: 'Play video', audio: 'Play recording' }[input.kind]
  const label = input.title === '' ? (untitled ?? 'Load content') : input.title
  return (
    `<div class="embed" data-embed="${input.kind}"${ratio}><a class="embed-link" href="${escapeAttribute(absolute(input.source))}" target="_blank" rel="noopener">` +
    `<span class="embed-play">${playIcon()}</span><span class="embed-title">${escapeText(label)}</span>` +
    `<span class="embed-host">${input.kind === 'frame' ? 'Loads from' : 'Plays from'} ${escapeText(host)}</span></a></div>`
  )
}

export function isForeign(address: unknown): address is string {
  return typeof address === 'string' && /^(https?:)?\/\//i.test(address) && URL.canParse(absolute(address))
}

function absolute(address: string): string {
  return address.startsWith('//') ? `https:${address}` : address
}

function linkIcon(): string {
  return iconMarkup('lucide', 'link') ?? '#'
}

function imageIcon(): string {
  return iconMarkup('lucide', 'image') ?? ''
}

function playIcon(): string {
  return iconMarkup('lucide', 'play') ?? ''
}
