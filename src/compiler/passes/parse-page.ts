import type { Element, Nodes, Root } from 'hast'
import { type Features, markdownToHast, mdxToHast } from 'satteri'
import { components } from '../../theme/index.ts'
import type { PageFormat } from '../plan-pages.ts'
import type { ProblemList } from '../problems.ts'
import { prepareMath } from './prepare-math.ts'
import { readDirectives } from './read-directives.ts'
import { repairMdx } from './repair-mdx.ts'

export type ParsedPage = {
  tree: Root
  /** Markdown where tags are HTML: the page's own format, or what is left of MDX that cannot be parsed. */
  isHtml: boolean
}

/** Parses a page into a tree with positions. MDX that does not parse is mended where possible, and told. */
export function parsePage(input: {
  file: string
  /** The body, with the frontmatter's lines left blank so that positions count from the file's beginning. */
  text: string
  format: PageFormat
  problems: ProblemList
}): ParsedPage {
  const { file, format, problems } = input
  const { text, singleDollars } = prepareMath(readDirectives(input.text), format)
  const features: Features = !text.includes('$')
    ? noFrontmatter
    : { ...noFrontmatter, math: singleDollars ? true : { singleDollarTextMath: false } }
  const marked = markHeadingIds(text)
  if (format === 'md') {
    const tree = holdsComponents(text) ? parseMdx(marked, features) : undefined
    if (tree !== undefined) return { tree, isHtml: false }
    return { tree: parseMarkdown(withoutComments(text), features), isHtml: true }
  }
  try {
    return { tree: asRoot(mdxToHast(marked, { features })), isHtml: false }
  } catch (error) {
    const repaired = repairMdx(marked, messageOf(error), (candidate) => {
      try {
        return { tree: asRoot(mdxToHast(candidate, { features })) }
      } catch (next) {
        return { message: messageOf(next) }
      }
    })
    for (const repair of repaired.repairs) {
      problems.add(
        { file, line: repair.line, column: repair.column },
        { severity: repair.severity, code: 'broken_mdx', message: repair.message, hint: repair.hint },
      )
    }
    if (repaired.tree) return { tree: repaired.tree, isHtml: false }
    return { tree: parseMarkdown(text, features), isHtml: true }
  }
}

/** Markdown with components in it is MDX by another name, where it parses as such. */
function parseMdx(text: string, features: Features): Root | undefined {
  try {
    return asRoot(mdxToHast(text, { features }))
  } catch {
    return undefined
  }
}

/**
 * True where components of the format stand outside of code and each one that is opened is closed: a name in angle
 * brackets alone is only spoken of.
 */
export function holdsComponents(text: string): boolean {
  if (!/<[A-Z]/.test(text)) return false
  const open = new Map<string, number>()
  for (const [whole, , , slash, name = '', self] of text.matchAll(codeOrTag)) {
    if (!whole.startsWith('<') || !Object.hasOwn(components, name)) continue
    const step = self === '/' ? 0 : slash === '/' ? -1 : 1
    open.set(name, (open.get(name) ?? 0) + step)
  }
  return open.size > 0 && [...open.values()].every((count) => count === 0)
}

const codeOrTag =
  /^[ \t>]*(`{3,}|~{3,})[\s\S]*?^[ \t>]*\1|(`+)(?!`)[\s\S]*?(?<!`)\2(?!`)|<(\/?)([A-Z][\w.]*)(?:[^<>"'{}]|"[^"]*"|'[^']*'|\{[^{}]*\})*?(\/?)>/gm

const noFrontmatter: Features = { frontmatter: false }

function parseMarkdown(text: string, features: Features): Root {
  const plain = asRoot(markdownToHast(text, { features }))
  if (!hasRawHtml(plain)) return plain
  const parsed = asRoot(markdownToHast(text, { features: { ...features, rawHtml: true } }))
  copyCodeData(plain, parsed)
  return parsed
}

/** Comments of MDX are comments in Markdown too; code keeps them. */
function withoutComments(text: string): string {
  if (!text.includes('{/*')) return text
  return text.replace(/```[\s\S]*?```|~~~[\s\S]*?~~~|`[^`\n]*`|\{\/\*[\s\S]*?\*\/\}/g, (found) =>
    found.startsWith('{') ? found.replace(/[^\n]/g, '') : found,
  )
}

/** Parsing HTML inside Markdown loses the words after a fence's language; they are taken from the first parse. */
function copyCodeData(from: Root, to: Root): void {
  const sources = collectCode(from)
  const targets = collectCode(to)
  if (sources.length !== targets.length) return
  for (const [index, source] of sources.entries()) {
    const target = targets[index]
    if (source.data !== undefined && target !== undefined) target.data = source.data
    if (source.position !== undefined && target !== undefined) target.position = source.position
  }
}

function collectCode(node: Nodes, found: Element[] = []): Element[] {
  if (node.type === 'element' && node.tagName === 'pre') {
    const [code] = node.children
    if (code?.type === 'element' && code.tagName === 'code' && code.position !== undefined) found.push(code)
    else if (code?.type === 'element' && code.tagName === 'code') found.push(code)
  } else if ('children' in node) for (const child of node.children) collectCode(child, found)
  return found
}

function hasRawHtml(node: Nodes): boolean {
  return node.type === 'raw' || ('children' in node && node.children.some(hasRawHtml))
}

/** `## Heading {#id}` is not MDX, so the id becomes a comment that the heading pass finds again. */
function markHeadingIds(text: string): string {
  if (!text.includes('{#')) return text
  let fence = ''
  return text
    .split('\n')
    .map((line) => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
      if (fence !== '') {
        if (mark?.startsWith(fence) && line.trim() === mark) fence = ''
        return line
      }
      if (mark !== undefined) {
        fence = mark
        return line
      }
      return line.replace(/^(\s*#{1,6}\s.*?)\s*\{#([^{}]+)\}\s*$/, '$1 {/*#$2*/}')
    })
    .join('\n')
}

function asRoot(node: Nodes): Root {
  return node.type === 'root' ? node : { type: 'root', children: [] }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
