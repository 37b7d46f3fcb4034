import type { Root } from 'hast'
import { isHtmlElement } from './html-names.ts'
import { mendHtml } from './mend-html.ts'

export type Repair = {
  /** A warning where nothing of the page is lost. */
  severity: 'error' | 'warning'
  line: number
  column: number
  message: string
  hint: string
}

type Attempt = { tree: Root; message?: undefined } | { message: string; tree?: undefined }

const mostRepairs = 60

/**
 * Mends the mistakes that stop an MDX parser: first what is right in HTML, at once, then placeholders such as `<name>`,
 * braces in prose and tags that are never closed, one place at a time, until the page parses.
 */
export function repairMdx(
  text: string,
  firstMessage: string,
  parse: (text: string) => Attempt,
): { repairs: Repair[]; tree?: Root } {
  const known = mendHtml(text)
  const { repairs } = known
  let current = known.text
  let message = firstMessage
  if (current !== text) {
    const attempt = parse(current)
    if (attempt.tree !== undefined) return { repairs, tree: attempt.tree }
    message = attempt.message
  }
  const most = repairs.length + mostRepairs
  while (repairs.length < most) {
    const place = /^(\d+):(\d+): ([\s\S]*?)(?: \([\w-]+:[\w-]+\))?$/.exec(message)
    const line = Number(place?.[1] ?? 1)
    const column = Number(place?.[2] ?? 1)
    const mended = mend(current, line, column, place?.[3] ?? message)
    repairs.push({
      severity: mended?.isText ? 'warning' : 'error',
      line: mended?.line ?? line,
      column: mended?.column ?? column,
      message: `This is not valid MDX: ${(place?.[3] ?? message).replace(/ with oxc/, '')}.`,
      hint: mended?.hint ?? 'Until this is mended the page is shown as plain Markdown.',
    })
    if (mended === undefined || mended.text === current) return { repairs }
    current = mended.text
    const attempt = parse(current)
    if (attempt.tree !== undefined) return { repairs, tree: attempt.tree }
    message = attempt.message
  }
  return { repairs }
}

type Mended = {
  text: string
  line: number
  column: number
  hint: string
  /** What was meant as text is text again. */
  isText: boolean
}

function mend(text: string, line: number, column: number, message: string): Mended | undefined {
  const offset = offsetOf(text, line, column)
  const forgotten = mendForgotten(text, offset, message)
  if (forgotten !== undefined) return forgotten
  if (/closing tag|closing slash/i.test(message)) return mendTag(text, offset, message)
  if (/expression/i.test(message) || /brace|`\}`/.test(message)) {
    return mendBrace(text, offset) ?? mendTag(text, offset, message)
  }
  if (/import|export|esm/i.test(message)) return mendModule(text, line)
  return mendTag(text, offset, message) ?? mendBrace(text, offset) ?? mendModule(text, line)
}

/** `<Steps><Step>…</Steps>`: the inner one ends where the outer one does. */
function mendForgotten(text: string, offset: number, message: string): Mended | undefined {
  const [, outer, inner] =
    /^Unexpected closing tag `<\/([\w.]+)>`, expected corresponding closing tag for `<([\w.]+)>`/.exec(
      message,
    ) ?? []
  if (outer === undefined || inner === undefined || outer === inner) return undefined
  const at = text.startsWith(`</${outer}`, offset) ? offset : text.lastIndexOf(`</${outer}`, offset)
  const before = text.slice(0, Math.max(0, at))
  const count = (mark: string) => before.split(new RegExp(`${mark}${outer.replace('.', '\\.')}[\\s>]`)).length
  if (at < 0 || count('<') <= count('</')) return undefined
  const hint = `Close <${inner}> with </${inner}> before </${outer}>.`
  return replaced(text, at, 0, `</${inner}>`, hint)
}

function mendTag(text: string, offset: number, message: string): Mended | undefined {
  const at = text[offset] === '<' ? offset : lastOnLine(text, '<', offset)
  if (at < 0) return undefined
  const rest = text.slice(at)
  const tag = /^<(\/?)([A-Za-z][\w.-]*)((?:[^<>"'{}]|"[^"]*"|'[^']*'|\{[^{}]*\})*?)(\/?)>/.exec(rest)
  if (tag) {
    const [whole, closing = '', name = ''] = tag
    if (isHtmlElement(name) || /^[A-Z][a-z]/.test(name)) {
      const hint =
        closing === ''
          ? `Close <${name}> with </${name}> in the same block.`
          : `Remove </${name}> or open <${name}> before it.`
      return replaced(text, at, whole.length, '', hint)
    }
  }
  if (/closing tag/i.test(message) && tag === null) {
    const named = /`<\/?([\w.]+)>`/.exec(message)?.[1]
    if (named !== undefined && isHtmlElement(named)) {
      const end = text.indexOf('>', at)
      if (end > 0) return replaced(text, at, end + 1 - at, '', `Close <${named}> in the same block.`)
    }
  }
  return replaced(text, at, 1, '\\<', 'Put text with angle brackets into backticks, or write \\<.')
}

function mendBrace(text: string, offset: number): Mended | undefined {
  let depth = 0
  for (let at = Math.min(offset, text.length - 1); at >= 0; at -= 1) {
    const character = text[at]
    if (text[at - 1] === '\\') continue
    if (character === '}' && at < offset) depth += 1
    else if (character === '{') {
      if (depth === 0)
        return replaced(text, at, 1, '\\{', 'Put text with braces into backticks, or write \\{.')
      depth -= 1
    }
  }
  return undefined
}

/** A sentence that begins with "import" or "export" is read as code; an entity for its first letter keeps it text. */
function mendModule(text: string, line: number): Mended | undefined {
  let start = offsetOf(text, line, 1)
  for (let back = 0; back < 50 && start >= 0; back += 1) {
    if (/^(?:import|export)\s/.test(text.slice(start, start + 8))) {
      const letter = text.charCodeAt(start)
      return replaced(
        text,
        start,
        1,
        `&#${letter};`,
        'Do not begin a paragraph with the word "import" or "export".',
      )
    }
    if (start === 0) return undefined
    start = text.lastIndexOf('\n', start - 2) + 1
  }
  return undefined
}

function replaced(text: string, at: number, length: number, by: string, hint: string): Mended {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return {
    text: before + by + text.slice(at + length),
    line,
    column: at - before.lastIndexOf('\n'),
    hint,
    isText: by !== '',
  }
}

function offsetOf(text: string, line: number, column: number): number {
  let start = 0
  for (let current = 1; current < line; current += 1) {
    const next = text.indexOf('\n', start)
    if (next < 0) break
    start = next + 1
  }
  return Math.min(text.length, start + column - 1)
}

function lastOnLine(text: string, character: string, offset: number): number {
  const lineStart = text.lastIndexOf('\n', offset - 1)
  const found = text.lastIndexOf(character, offset)
  return found > lineStart && text[found - 1] !== '\\' ? found : -1
}
