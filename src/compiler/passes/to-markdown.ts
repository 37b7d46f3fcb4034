import type { Element, ElementContent } from 'hast'
import type { ComponentRecord } from './component-calls.ts'
import { plainText } from './plain-text.ts'
import { propNodes, propWords, recordOf } from './text-of-components.ts'

/** Writes a rendered page as clean Markdown: for readers of the source, and for language models. */
export function toMarkdown(nodes: readonly ElementContent[]): string {
  return `${blocks(nodes).trim()}\n`
}

/** Block content: one blank line between blocks. */
function blocks(nodes: readonly ElementContent[]): string {
  const parts: string[] = []
  let line = ''
  const flush = () => {
    const text = line.replace(/[ \t]*\n[ \t]*/g, '\n').trim()
    if (text !== '') parts.push(text)
    line = ''
  }
  for (const node of nodes) {
    if (isInline(node)) {
      line += inline([node])
      continue
    }
    flush()
    const text = block(node)
    if (text.trim() !== '') parts.push(text.replace(/^\n+|\s+$/g, ''))
  }
  flush()
  return parts.join('\n\n')
}

const inlineElements = new Set(
  'a abbr b bdi bdo br cite code data del dfn em i img ins kbd label mark q s samp small span strong strike sub sup time u var wbr button input font'.split(
    ' ',
  ),
)
const inlineComponents = new Set(['Icon', 'Badge', 'Tooltip', 'Latex'])

function isInline(node: ElementContent): boolean {
  if (node.type !== 'element') return true
  const record = recordOf(node)
  if (record !== undefined) return inlineComponents.has(record.name)
  if (node.data?.code !== undefined) return false
  if (node.data?.math !== undefined) return !node.data.math.display
  return inlineElements.has(node.tagName) && !node.children.some((child) => !isInline(child))
}

function block(node: ElementContent): string {
  if (node.type !== 'element' || node.data?.covered) return ''
  if (node.data?.code !== undefined) return fence(node.data.code)
  if (node.data?.math !== undefined) return `$$\n${node.data.math.tex.trim()}\n$$`
  const record = recordOf(node)
  if (record !== undefined) return component(record, node)
  switch (node.tagName) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return `${'#'.repeat(Number(node.tagName.slice(1)))} ${inline(node.children).replace(/\s+/g, ' ').trim()}`
    case 'p':
      return node.children.every(isInline) ? inline(node.children).trim() : blocks(node.children)
    case 'ul':
    case 'ol':
      return list(node)
    case 'blockquote':
      return prefixed(blocks(node.children), '> ')
    case 'pre':
      return fence({ language: '', text: plainText(node.children), meta: '' })
    case 'table':
      return table(node)
    case 'hr':
      return '---'
    case 'style':
    case 'svg':
    case 'template':
      return ''
    case 'iframe': {
      const source = node.properties.src
      return typeof source === 'string'
        ? `[${String(node.properties.title ?? 'Embedded content')}](${source})`
        : ''
    }
    case 'video':
    case 'audio': {
      const own = node.properties.src
      const inner = node.children.find((child) => child.type === 'element' && child.tagName === 'source')
      const source =
        typeof own === 'string' ? own : inner?.type === 'element' ? inner.properties.src : undefined
      return typeof source === 'string' ? `[${String(node.properties.title ?? node.tagName)}](${source})` : ''
    }
    case 'details': {
      const summary = node.children.find((child) => child.type === 'element' && child.tagName === 'summary')
      const rest = node.children.filter((child) => child !== summary)
      const label = summary?.type === 'element' ? inline(summary.children).trim() : ''
      return label === '' ? blocks(rest) : `**${label}**\n\n${blocks(rest)}`
    }
    case 'section': {
      if (node.properties.dataFootnotes !== undefined) return footnotes(node)
      return blocks(node.children)
    }
    default:
      return blocks(node.children)
  }
}

function component(record: ComponentRecord, made: Element): string {
  const { name, props, children } = record
  const inner = () => blocks(children)
  const titled = (title: string, level = '**') => {
    const body = inner()
    return title === '' ? body : `${level}${title}${level}\n\n${body}`
  }
  const title = title_(props)
  switch (name) {
    case 'Note':
    case 'Warning':
    case 'Tip':
    case 'Info':
    case 'Check':
    case 'Danger':
    case 'Callout': {
      const label = title === '' ? (name === 'Callout' ? 'Note' : name) : title
      return prefixed(`**${label}**\n\n${inner()}`, '> ')
    }
    case 'Card':
    case 'Tile': {
      const href = markdownHref(cardLink(made) ?? propWords(props, 'href'))
      const body = [propWords(props, 'description'), inner()].filter((part) => part !== '').join('\n\n')
      const head =
        href !== '' ? `[${title === '' ? href : title}](${href})` : title === '' ? '' : `**${title}**`
      if (head === '') return `- ${body.replace(/\n+/g, '\n  ')}`
      return body === '' ? `- ${head}` : `- ${head}: ${body.replace(/\n+/g, '\n  ')}`
    }
    case 'Step':
      return titled(title, '**')
    case 'Steps':
      return steps(children)
    case 'ParamField':
    case 'Param':
    case 'ResponseField':
      return field(props, inner())
    case 'Expandable':
      return titled(title)
    case 'Update': {
      const label = propWords(props, 'label')
      const description = propWords(props, 'description')
      return `## ${[label, description].filter((part) => part !== '').join(' — ')}\n\n${inner()}`
    }
    case 'Frame': {
      const caption = propWords(props, 'caption')
      return [inner(), caption === '' ? '' : `*${caption}*`].filter((part) => part !== '').join('\n\n')
    }
    case 'Visibility':
      return propWords(props, 'for') === 'humans' ? '' : inner()
    case 'Prompt':
      return [propWords(props, 'description', 'title'), inner()].filter((part) => part !== '').join('\n\n')
    case 'Tree':
      return tree(children, '')
    case 'Color.Item':
      return `- ${[propWords(props, 'name'), colorWords(props.value)].filter((part) => part !== '').join(': ')}`
    case 'GitHub.Repo':
      return `[${propWords(props, 'repo')}](https://github.com/${propWords(props, 'repo')})`
    case 'CodeBlock':
      return fence({
        language: propWords(props, 'language', 'lang'),
        text: propWords(props, 'code') || plainText(children),
        meta: '',
      })
    case 'Mermaid':
      return fence({
        language: 'mermaid',
        text: propWords(props, 'chart', 'code') || plainText(children),
        meta: '',
      })
    default:
      return titled(title)
  }
}

function title_(props: Record<string, unknown>): string {
  const nodes = propNodes(props, 'title')
  return nodes.length > 0 ? inline(nodes).trim() : propWords(props, 'title')
}

function steps(children: readonly ElementContent[]): string {
  let number = 0
  return children
    .flatMap((child): string[] => {
      const record = recordOf(child)
      if (record?.name !== 'Step') return isInline(child) ? [] : [block(child)]
      number += 1
      const head = `${number}. **${title_(record.props) || `Step ${number}`}**`
      const body = blocks(record.children)
      return [body === '' ? head : `${head}\n\n${prefixed(body, '   ')}`]
    })
    .filter((part) => part !== '')
    .join('\n\n')
}

function field(props: Record<string, unknown>, body: string): string {
  const name = propWords(props, 'path', 'query', 'body', 'header', 'cookie', 'name')
  const marks = [
    propWords(props, 'type'),
    props.required === true || props.required === 'true' ? 'required' : '',
    props.deprecated === true ? 'deprecated' : '',
    propWords(props, 'default') === '' ? '' : `default: ${propWords(props, 'default')}`,
  ].filter((mark) => mark !== '')
  const head = `- \`${name}\`${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`
  return body === '' ? head : `${head}\n\n${prefixed(body, '  ')}`
}

function tree(children: readonly ElementContent[], indent: string): string {
  return children
    .flatMap((child): string[] => {
      const record = recordOf(child)
      if (record === undefined) return child.type === 'element' ? [tree(child.children, indent)] : []
      const name = propWords(record.props, 'name')
      const inner = tree(record.children, `${indent}  `)
      return [`${indent}- ${name}${record.name === 'Tree.Folder' ? '/' : ''}`, inner]
    })
    .filter((line) => line !== '')
    .join('\n')
}

function list(node: Element): string {
  let number = Number(node.properties.start ?? 1)
  const items = node.children.flatMap((child): string[] => {
    if (child.type !== 'element') return []
    const task =
      child.children[0]?.type === 'element' && child.children[0].tagName === 'input'
        ? child.children[0]
        : undefined
    const marker = node.tagName === 'ol' ? `${number++}. ` : '- '
    const box = task === undefined ? '' : task.properties.checked ? '[x] ' : '[ ] '
    const rest = task === undefined ? child.children : child.children.slice(1)
    const body = blocks(rest)
    return [`${marker}${box}${body.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`)}`]
  })
  const loose = items.some((item) => item.includes('\n\n'))
  return items.join(loose ? '\n\n' : '\n')
}

function table(node: Element): string {
  const rows: string[][] = []
  const visit = (part: ElementContent) => {
    if (part.type !== 'element') return
    if (part.tagName === 'tr') {
      rows.push(
        part.children
          .filter((cell): cell is Element => cell.type === 'element')
          .map((cell) => blocks(cell.children).replace(/\n+/g, ' ').replaceAll('|', '\\|')),
      )
    } else for (const child of part.children) visit(child)
  }
  visit(node)
  const [head = [], ...body] = rows
  if (head.length === 0) return ''
  const lines = [head, head.map(() => '---'), ...body]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function footnotes(node: Element): string {
  const lines: string[] = []
  const visit = (part: ElementContent) => {
    if (part.type !== 'element') return
    if (part.tagName === 'li') {
      const id = String(part.properties.id ?? '').replace(/^user-content-fn-/, '')
      lines.push(`[^${id}]: ${inline(part.children).replace(/↩\d*/g, '').replace(/\s+/g, ' ').trim()}`)
    } else for (const child of part.children) visit(child)
  }
  visit(node)
  return lines.join('\n')
}

function fence(code: { language: string; text: string; meta: string }): string {
  const longest = Math.max(2, ...[...code.text.matchAll(/`{3,}/g)].map((match) => match[0].length))
  const mark = '`'.repeat(longest + 1)
  const info = [code.language, code.meta].filter((part) => part !== '').join(' ')
  return `${mark}${info}\n${code.text.replace(/\n$/, '')}\n${mark}`
}

function prefixed(text: string, prefix: string): string {
  return text
    .split('\n')
    .map((line) => (prefix.trim() === '' && line === '' ? '' : `${prefix}${line}`.trimEnd()))
    .join('\n')
}

/** Inline content on one line. */
function inline(nodes: readonly ElementContent[]): string {
  return nodes.map(inlineNode).join('')
}

function inlineNode(node: ElementContent): string {
  if (node.type === 'text') return node.value
  if (node.type === 'trustedHtml') return node.text
  if (node.type !== 'element' || node.data?.covered) return ''
  if (node.data?.math !== undefined) return `$${node.data.math.tex}$`
  const record = recordOf(node)
  if (record?.name === 'Icon') return ''
  if (record !== undefined && inlineComponents.has(record.name))
    return inline(record.children) || propWords(record.props, 'text')
  if (record !== undefined) return component(record, node)
  const inner = () => inline(node.children)
  switch (node.tagName) {
    case 'strong':
    case 'b':
      return wrap(inner(), '**')
    case 'em':
    case 'i':
      return wrap(inner(), '*')
    case 'del':
    case 's':
    case 'strike':
      return wrap(inner(), '~~')
    case 'code': {
      const text = plainText(node.children)
      const mark = text.includes('`') ? '``' : '`'
      return text === '' ? '' : `${mark}${text}${mark}`
    }
    case 'br':
      return '\n'
    case 'a': {
      const { href, dataFootnoteRef, dataFootnoteBackref } = node.properties
      if (dataFootnoteBackref !== undefined) return ''
      if (dataFootnoteRef !== undefined) return `[^${String(href).replace(/^#user-content-fn-/, '')}]`
      const text = inner().trim()
      return typeof href === 'string' && text !== '' ? `[${text}](${markdownHref(href)})` : text
    }
    case 'img':
      return typeof node.properties.src === 'string'
        ? `![${String(node.properties.alt ?? '')}](${node.properties.src})`
        : ''
    case 'svg':
    case 'style':
    case 'template':
      return ''
    case 'sup':
    case 'sub':
    case 'kbd':
      return node.tagName === 'kbd' ? wrap(inner(), '`') : inner()
    default:
      return isInline(node) ? inner() : blocks([node])
  }
}

function colorWords(value: unknown): string {
  const values = typeof value === 'object' && value !== null ? Object.values(value) : [value]
  return values.filter((color) => typeof color === 'string').join(' / ')
}

/** In Markdown, pages lead to each other's Markdown. */
function markdownHref(href: string): string {
  return /^[a-z]+:|^\/\//i.test(href) ? href : href.replace(/\.html(?=$|[?#])/, '.md')
}

/** Where a card leads, as the page has it. */
function cardLink(made: Element): string | undefined {
  const { className, href } = made.properties
  if (made.tagName === 'a' && Array.isArray(className) && className.includes('card-link'))
    return typeof href === 'string' ? href : undefined
  for (const child of made.children) {
    const found = child.type === 'element' ? cardLink(child) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function wrap(text: string, mark: string): string {
  const trimmed = text.trim()
  if (trimmed === '') return text
  return text.replace(trimmed, () => `${mark}${trimmed}${mark}`)
}
