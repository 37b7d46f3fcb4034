import type { PageFormat } from '../plan-pages.ts'

/**
 * Rewrites what a page says, piece by piece, and leaves alone what is code: fences, code in a line, and in MDX tags,
 * expressions and modules.
 */
export function proseOf(text: string, format: PageFormat, rewrite: (prose: string) => string): string {
  let output = ''
  let prose = ''
  let at = 0
  const keep = (length: number) => {
    output += rewrite(prose) + text.slice(at, at + length)
    prose = ''
    at += length
  }
  while (at < text.length) {
    const length = codeAt(text, at, format)
    if (length > 0) keep(length)
    else {
      const end = nextMark(text, at)
      prose += text.slice(at, end)
      at = end
    }
  }
  return output + rewrite(prose)
}

/** Where code may begin next: at one of its marks, or at a line. */
function nextMark(text: string, at: number): number {
  marks.lastIndex = at + (text[at] === '\n' ? 0 : 1)
  const found = marks.exec(text)
  if (found === null) return text.length
  return found[0] === '\n' ? found.index + 1 : found.index
}

const marks = /[`<{\n]/g

/** How long the code is that begins here, or 0. */
function codeAt(text: string, at: number, format: PageFormat): number {
  const character = text[at]
  const startsLine = at === 0 || text[at - 1] === '\n'
  if (startsLine) {
    const length = fenceAt(text, at) ?? (format === 'mdx' ? moduleAt(text, at) : undefined)
    if (length !== undefined) return length
  }
  if (text[at - 1] === '\\') return 0
  if (character === '`') return inlineCodeAt(text, at)
  if (character === '<') return tagAt(text, at)
  return character === '{' && format === 'mdx' ? expressionAt(text, at) : 0
}

function fenceAt(text: string, at: number): number | undefined {
  sticky.fence.lastIndex = at
  const open = sticky.fence.exec(text)
  if (open === null) return undefined
  const mark = open[1] ?? ''
  const close = new RegExp(`^[ \\t>]*${mark[0]}{${mark.length},}[ \\t]*$`, 'gm')
  close.lastIndex = at + open[0].length
  const found = close.exec(text)
  return (found === null ? text.length : found.index + found[0].length) - at
}

function moduleAt(text: string, at: number): number | undefined {
  sticky.module.lastIndex = at
  if (!sticky.module.test(text)) return undefined
  const end = text.indexOf('\n\n', at)
  return (end === -1 ? text.length : end) - at
}

function inlineCodeAt(text: string, at: number): number {
  let width = 1
  while (text[at + width] === '`') width += 1
  const mark = '`'.repeat(width)
  for (let end = text.indexOf(mark, at + width); end !== -1; end = text.indexOf(mark, end + 1)) {
    if (text.slice(at + width, end).includes('\n\n')) return width
    if (text[end + width] !== '`' && text[end - 1] !== '`') return end + width - at
  }
  return width
}

function tagAt(text: string, at: number): number {
  sticky.tag.lastIndex = at
  return sticky.tag.exec(text)?.[0].length ?? 0
}

/** To the brace that closes it; an expression without one is text. */
function expressionAt(text: string, at: number): number {
  let depth = 0
  for (let end = at; end < text.length && end < at + 20_000; end += 1) {
    if (text[end] === '{') depth += 1
    if (text[end] === '}') depth -= 1
    if (depth === 0) return end + 1 - at
  }
  return 0
}

const sticky = {
  fence: /[ \t>]*(?:[-*+] +|\d+[.)] +)?(`{3,}|~{3,})[^\n]*/y,
  module: /(?:import|export)\s/y,
  tag: /<\/?[A-Za-z](?:[^<>"'{}]|"[^"]*"|'[^']*'|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*>/y,
}
