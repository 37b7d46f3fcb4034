import type { AnswerSite, Passages } from './passages.ts'
import { findPagePath, pageUrl } from './site-address.ts'
import { stripInvisible } from './strip-invisible.ts'

/** Takes a model's Markdown as it streams and gives on what a reader may see. */
export type TextCleaner = {
  push(text: string): string
  end(): string
  /** How many citations were turned into links. */
  citations(): number
}

/**
 * Citations become links to the passages of this turn, others vanish; images, HTML and links out of the site vanish,
 * unless a passage has the same link. Output is written so that every Markdown reader sees the structure we saw:
 * code that we pass through untouched is code to them too.
 */
export function cleanModelText({ site, passages }: { site: AnswerSite; passages: Passages }): TextCleaner {
  const strip = stripInvisible()
  const state = new Cleaning({ site, passages }, false)
  return {
    push: (text) => state.push(strip.push(text)),
    end: () => state.push(strip.end()) + state.end(),
    citations: () => state.citations,
  }
}

type Allowance = { site: AnswerSite; passages: Passages }
type Block = {
  /** A row of dashes has been seen, so that a pipe may end a cell. */
  isTable: boolean
  hasTilde: boolean
  hasPipeInCode: boolean
}
type Fence = { mark: string; length: number; indent: number }

/** How much may be held back while it is undecided what it will be. */
const longestHold = 2000

class Cleaning {
  citations = 0
  readonly #allowance: Allowance
  /** Inside a link's text there are no blocks, no links and no citations. */
  readonly #insideLink: boolean
  #pending = ''
  #atEnd = false
  #atLineStart = true
  #fence: Fence | null = null
  /** Spaces not yet passed on, since a dropped citation takes the one before it along. */
  #space = ''
  /** The end of what was passed on, to see what would grow together with it. */
  #tail = '\n\n'
  #output = ''
  #skippingTo: RegExp | null = null
  #isGap = false
  /** What is known of the lines since the last blank one. */
  readonly #block: Block
  #line = ''

  constructor(allowance: Allowance, insideLink: boolean, block: Block = newBlock()) {
    this.#allowance = allowance
    this.#block = block
    this.#insideLink = insideLink
    this.#atLineStart = !insideLink
  }

  push(text: string): string {
    this.#pending += text
    while (this.#pending !== '' && this.#step()) {}
    const output = this.#output
    this.#output = ''
    return output
  }

  end(): string {
    this.#atEnd = true
    const output = this.push('')
    if (!this.#fence) return output
    const close = `${this.#tail.endsWith('\n') ? '' : '\n'}${this.#closing(this.#fence)}`
    this.#fence = null
    return output + close
  }

  /** Consumes one piece of what is pending; false where more text must come first. */
  #step(): boolean {
    if (this.#skippingTo) return this.#skip(this.#skippingTo)
    if (this.#fence) return this.#atLineStart ? this.#fencedLineStart(this.#fence) : this.#fencedLine()
    if (this.#atLineStart) return this.#lineStart()
    const first = this.#pending[0]!
    switch (first) {
      case '\n':
        this.#take(1)
        this.#space = ''
        this.#endLine()
        return true
      case ' ':
      case '\t':
        if (!this.#isGap || !/\s$/.test(this.#tail + this.#space)) this.#space += first
        this.#take(1)
        return true
      case '`':
        return this.#codeSpan()
      case '!':
        return this.#imageOrMark()
      case '[':
        return this.#bracket(false)
      case '【':
        return this.#cornerBracket()
      case '<':
        return this.#angle()
      case '\\':
        return this.#backslash()
    }
    return this.#word()
  }

  // ── blocks

  #endLine(): void {
    if (this.#line.trim() === '') Object.assign(this.#block, newBlock())
    else if (/^[\s>|:*+-]*-[\s|:-]*$/.test(this.#line)) this.#block.isTable = true
    this.#write('\n')
    this.#line = ''
    this.#atLineStart = true
  }

  #lineStart(): boolean {
    const prefix = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*/.exec(this.#pending)![0]
    const rest = this.#pending.slice(prefix.length)
    if (rest === '' && !this.#atEnd && prefix.length < 100) return false
    const run = /^(?:`+|~+)/.exec(rest)?.[0] ?? ''
    if (run !== '' && run === rest && !this.#atEnd && run.length < 100) return false
    if (run.length >= 3) {
      const lineEnd = rest.indexOf('\n')
      if (lineEnd === -1 && !this.#atEnd && rest.length < 300) return false
      const info = rest.slice(run.length, lineEnd === -1 ? undefined : lineEnd)
      if (info.length < 300 && !info.includes('`')) {
        this.#openFence(prefix, run, info)
        this.#take(prefix.length + run.length + info.length + (lineEnd === -1 ? 0 : 1))
        return true
      }
    }
    this.#atLineStart = false
    this.#take(prefix.length)
    if (this.#block.hasPipeInCode && /^[|:-]/.test(rest)) this.#write('\n') // No table head may split that code.
    this.#write(prefix)
    return true
  }

  /** A blank line stands before every fence, so that no paragraph can swallow it. */
  #openFence(prefix: string, run: string, info: string): void {
    this.#space = ''
    const blank = this.#tail.endsWith('\n\n') ? '' : this.#tail.endsWith('\n') ? '\n' : '\n\n'
    this.#write(`${blank}${prefix}${run}${info.replace(/[<>[\]\\&]/g, '').trimEnd()}\n`)
    this.#fence = { mark: run[0]!, length: run.length, indent: columns(prefix) }
    this.#atLineStart = true
  }

  #closing = (fence: Fence): string => `${' '.repeat(fence.indent)}${fence.mark.repeat(fence.length)}\n`

  #fencedLineStart(fence: Fence): boolean {
    const indentation = /^[ \t]*/.exec(this.#pending)![0]
    const rest = this.#pending.slice(indentation.length)
    if (rest === '' && !this.#atEnd && indentation.length < longestHold) return false
    if (rest !== '' && rest[0] !== '\n' && columns(indentation) < fence.indent) {
      this.#fence = null // The list that held the code has ended, and the code with it.
      this.#write(`${this.#closing(fence)}\n`)
      return true
    }
    const run = new RegExp(`^\\${fence.mark}{${fence.length},}[ \\t]*`).exec(rest)?.[0]
    const mayClose = run === undefined ? fence.mark.repeat(fence.length).startsWith(rest) : run === rest
    if (mayClose && !this.#atEnd && rest.length < 300 && columns(indentation) < fence.indent + 4) return false
    const ends = run !== undefined && (rest.length === run.length || rest[run.length] === '\n')
    if (ends && columns(indentation) < fence.indent + 4) {
      this.#take(indentation.length + run.length + (rest.length === run.length ? 0 : 1))
      this.#fence = null
      this.#write(this.#closing(fence))
      return true
    }
    this.#atLineStart = false
    return true
  }

  #fencedLine(): boolean {
    const lineEnd = this.#pending.indexOf('\n')
    const line = lineEnd === -1 ? this.#pending : this.#pending.slice(0, lineEnd + 1)
    this.#take(line.length)
    this.#write(line)
    this.#atLineStart = lineEnd !== -1
    return true
  }

  // ── inside a line

  /** Code must close on its own line; a backtick that does not is only a character. */
  #codeSpan(): boolean {
    const run = /^`+/.exec(this.#pending)![0]
    if (run === this.#pending && !this.#atEnd) return false
    const close = findRun(this.#pending, run.length, run.length)
    const lineEnd = this.#pending.indexOf('\n')
    if (close !== -1 && (lineEnd === -1 || close < lineEnd)) {
      const end = close + run.length
      if (end === this.#pending.length && !this.#atEnd) return false // The closing run may grow longer.
      const code = this.#pending.slice(0, end)
      const isRead =
        !(this.#block.hasTilde && code.includes('~')) && !code.slice(run.length, close).includes('`')
      if (!isRead && mayHide.test(code)) {
        this.#take(run.length) // Some readers take tildes and backticks inside code for more than they are.
        this.#write('\\`'.repeat(run.length))
        return true
      }
      this.#take(end)
      if (code.includes('|') && mayHide.test(code)) this.#block.hasPipeInCode = true
      this.#write(this.#block.isTable ? code.replace(/(?<!\\)\|/g, '\\|') : code)
      return true
    }
    if (lineEnd === -1 && !this.#atEnd && this.#pending.length < longestHold) return false
    this.#take(run.length)
    this.#write('\\`'.repeat(run.length))
    return true
  }

  #imageOrMark(): boolean {
    if (this.#pending.length < 2 && !this.#atEnd) return false
    if (this.#pending[1] === '[') return this.#bracket(true)
    return this.#word()
  }

  /** `[…]`: a citation, a link, an image after `!`, or mere brackets. */
  #bracket(isImage: boolean): boolean {
    const start = isImage ? 1 : 0
    const close = matchingBracket(this.#pending, start)
    const undecided = !this.#atEnd && this.#pending.length < longestHold && !this.#pending.includes('\n\n')
    if (close === -1) {
      if (undecided) return false
      this.#take(start + 1)
      this.#write(`${isImage ? '!' : ''}\\[`)
      return true
    }
    if (close + 2 >= this.#pending.length && undecided) return false // What follows decides.
    const text = this.#pending.slice(start + 1, close)
    const next = this.#pending[close + 1]
    const numbers = isImage || this.#insideLink ? null : citedNumbers(text)
    if (next === '(') {
      const end = endOfDestination(this.#pending, close + 1)
      if (end === -1) {
        if (undecided) return false
      } else {
        const target = this.#pending.slice(close + 2, end)
        this.#take(end + 1)
        if (numbers) this.#cite(numbers)
        else this.#link(text, isImage ? null : this.#allowed(destinationOf(target)))
        return true
      }
    }
    this.#take(close + 1)
    if (isImage) this.#link(text, null)
    else if (numbers && next !== ':') this.#cite(numbers)
    else if (next === '(' || next === ':' || next === '[') this.#write(`\\[${this.#cleanInside(text)}\\]`)
    else this.#write(`[${this.#cleanInside(text)}]`)
    return true
  }

  #cornerBracket(): boolean {
    const close = this.#pending.indexOf('】')
    if (close === -1 && !this.#atEnd && this.#pending.length < 60) return false
    const numbers = close === -1 ? null : citedNumbers(this.#pending.slice(1, close).replace(/†.*$/s, ''))
    if (!numbers || this.#insideLink) {
      this.#take(1)
      this.#write('【')
    } else {
      this.#take(close + 1)
      this.#cite(numbers)
    }
    return true
  }

  #cite(numbers: number[]): void {
    const cited = numbers.flatMap((number) => this.#allowance.passages.get(number) ?? [])
    if (cited.length === 0) {
      this.#space = ''
      return
    }
    this.citations += cited.length
    this.#write(cited.map((passage) => `[${passage.number}](${linkable(passage.url)})`).join(' '))
  }

  #link(text: string, url: string | null): void {
    const inside = this.#cleanInside(text)
    if (inside.trim() === '') this.#gap()
    else if (url && !this.#insideLink) this.#write(`[${inside}](${linkable(url)})`)
    else this.#write(inside)
  }

  #cleanInside(text: string): string {
    const inner = new Cleaning(this.#allowance, true, this.#block)
    const cleaned = (inner.push(text.replace(/\s*\n\s*/g, ' ')) + inner.end()).trim()
    return cleaned === '' && text !== '' && text.trim() === '' ? ' ' : cleaned
  }

  #angle(): boolean {
    const next = this.#pending[1]
    if (next === undefined && !this.#atEnd) return false
    if (next === undefined || !/[a-z/!?<]/i.test(next)) {
      this.#take(1)
      this.#write(next !== undefined && /[\s\d=-]/.test(next) ? '<' : '&lt;')
      return true
    }
    if (this.#pending.startsWith('<!--')) return this.#startSkipping(/-->/)
    const tag = /^<(?:[^<>"'\n]|"[^"]*"|'[^']*'|\n(?!\n))*>/.exec(this.#pending)?.[0]
    if (!tag && !this.#atEnd && this.#pending.length < 1000 && !/\n\n|^<[^>]*</.test(this.#pending))
      return false
    const address = tag && /^<([a-z][a-z0-9+.-]*:[^\s<>]*|[\w.+-]+@[\w.-]+)>$/i.exec(tag)?.[1]
    if (tag && address) {
      this.#take(tag.length)
      this.#bareAddress(address)
      return true
    }
    const name = /^<[/!?]?\s*([a-z][a-z0-9]*)(?=[\s/>])/i.exec(this.#pending)?.[1]
    const isHtml = name !== undefined && htmlTags.has(name) // Components and placeholders are written otherwise.
    if (isHtml && /^(script|style|iframe|object|svg|math|template)$/.test(name) && next !== '/') {
      return this.#startSkipping(new RegExp(`</${name}\\s*>`, 'i'))
    }
    this.#take(tag && (isHtml || next === '!' || next === '?') ? tag.length : 1)
    if (tag && (isHtml || next === '!' || next === '?')) this.#gap()
    else this.#write('&lt;')
    return true
  }

  #startSkipping(end: RegExp): boolean {
    this.#gap()
    this.#skippingTo = end
    return true
  }

  #skip(to: RegExp): boolean {
    const found = to.exec(this.#pending)
    if (found) {
      this.#take(found.index + found[0].length)
      this.#skippingTo = null
      return true
    }
    const kept = this.#atEnd ? 0 : 40 // The end mark may be half here.
    this.#take(Math.max(0, this.#pending.length - kept))
    return false
  }

  #backslash(): boolean {
    const next = this.#pending[1]
    if (next === undefined && !this.#atEnd) return false
    if (next !== undefined && /[/:.@]/.test(next)) return this.#word()
    if (next !== undefined && /[!-/:-@[-`{-~]/.test(next)) {
      this.#take(2)
      this.#write(next === '<' ? '&lt;' : `\\${next}`)
    } else {
      this.#take(1)
      this.#write('\\')
    }
    return true
  }

  /** A run of plain characters. ASCII runs are held to their end, since they may be addresses. */
  #word(): boolean {
    const other = /^[\u0080-\uffff]+/.exec(this.#pending)?.[0].replace(/【.*$/s, '')
    if (other) {
      this.#take(other.length)
      this.#write(other)
      return true
    }
    const raw =
      /^(?:[!](?!\[)|[^\s`[!<\\\u0080-\uffff]|\\[/:.@])+/.exec(this.#pending)?.[0] ?? this.#pending[0]!
    const rest = this.#pending.slice(raw.length)
    if ((rest === '' || rest === '\\') && !this.#atEnd && raw.length < longestHold) return false
    this.#take(raw.length)
    const word = raw.replace(/\\([/:.@])/g, '$1')
    const address = addressPattern.exec(word)
    if (!address) {
      this.#write(plainWord(word))
      return true
    }
    const from = address.index
    if (from > 0) this.#write(plainWord(word.slice(0, from)))
    const link = /^[^|~]*/.exec(word.slice(from))![0].replace(/[.,;:!?'"*_)\]]+$/, '')
    this.#bareAddress(link)
    const after = word.slice(from + link.length)
    const marks = /^[^\w]+/.exec(after)?.[0] ?? ''
    this.#write(plainWord(marks))
    this.#pending = after.slice(marks.length) + this.#pending
    return true
  }

  /** An address that may be linked is, with its end marked; another is shown as code, which nothing turns into a link. */
  #bareAddress(address: string): void {
    const allowed = this.#insideLink ? null : this.#allowed(address)
    const shown = address.replace(/[`|~]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
    this.#write(allowed === null ? `\`${shown}\`` : `<${allowed}>`)
  }

  /** The absolute address that a link may lead to: a page of the site, or what a passage of this turn links to. */
  #allowed(address: string): string | null {
    if (!/^[\w\-.~:/?#@!$&'()*+,;=%]+$/.test(address)) return null
    const { site, passages } = this.#allowance
    if (
      /^[a-z][a-z0-9+.-]*:/i.test(address) &&
      passages.all.some((passage) => links(passage.content, address))
    ) {
      return /^(https?|mailto):/i.test(address) ? address : null
    }
    if (
      !/^(https?:\/\/|\/(?!\/)|#|\.{0,2}[\w-])/i.test(address) ||
      /^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(address)
    ) {
      return null
    }
    const path = findPagePath(site.site, site.siteUrl, address)
    if (path === null) return null
    const anchor = /#([\w\-.~%]+)$/.exec(address)?.[1]
    return `${pageUrl(site.siteUrl, path)}${anchor ? `#${anchor}` : ''}`
  }

  // ── writing

  #take(length: number): void {
    this.#pending = this.#pending.slice(length)
  }

  /** Something was left out here; the spaces on both of its sides become one. */
  #gap(): void {
    this.#isGap = true
  }

  #write(text: string): void {
    if (text === '') return
    let written = this.#space + text
    this.#space = ''
    this.#isGap = false
    if (!this.#fence && growsTogether(this.#tail, written)) written = ` ${written}`
    this.#output += written
    this.#line = (this.#line + written).slice(0, 500)
    if (written.includes('~')) this.#block.hasTilde = true
    this.#tail = (this.#tail + written).slice(-64)
  }
}

/** Whether the end of what was written and what comes next would become a construct that neither is. */
function growsTogether(tail: string, text: string): boolean {
  const last = tail.at(-1)!
  const first = text[0]!
  if (/[`~]/.test(last) && first === '`') return true
  if (last === '!' && first === '[') return true
  if (last === ']' && /[([:]/.test(first) && !tail.endsWith('\\]')) return true
  if (last === '<' && /[a-z/!?]/i.test(first)) return true
  if (last === '&' && /[#a-z]/i.test(first)) return true
  if (/(?<!\\)(?:\\\\)*\\$/.test(tail) && /[!-/:-@[-`{-~]/.test(first)) return true
  const before = /[^\s`]*$/.exec(tail)![0]
  if (before === '' || /[\s`]/.test(first)) return false
  const joined = before + /^[^\s`]*/.exec(text)![0]
  for (const found of joined.matchAll(new RegExp(addressPattern, 'gi'))) {
    if (found.index < before.length && found.index + found[0].length > before.length) return true
  }
  return false
}

const newBlock = (): Block => ({ isTable: false, hasTilde: false, hasPipeInCode: false })

/** Code that would be more than text if it were not code. */
const mayHide = /[[<!@]|:\/\/|www\./i

const addressPattern =
  /(?:https?|ftp):\/\/|\/\/[\w-]+\.\w|(?:mailto|xmpp):|www\.|(?<![\w.+-])[\w.+-]+@[\w-]+\.\w/i

const harmlessEntities = /^&(?:amp|lt|gt|quot|apos|nbsp|mdash|ndash|hellip|rarr|larr|copy|times);/

const plainWord = (word: string): string =>
  word.replace(/&(?=#?\w*(?:;|$))/g, (mark, place: number) =>
    harmlessEntities.test(word.slice(place)) ? mark : '&amp;',
  )

/** The numbers of `[1]`, `[1, 2]`, `[^3]` or `[2-4]`; null where the brackets hold something else. */
function citedNumbers(text: string): number[] | null {
  if (!/^\s*\^?\d{1,3}(?:\s*[,;–-]\s*\^?\d{1,3})*\s*$/.test(text)) return null
  return text.split(/[,;]/).flatMap((piece) => {
    const [from, to] = piece
      .replaceAll('^', '')
      .split(/[–-]/)
      .map((part) => Number(part.trim()))
    if (from === undefined) return []
    if (to === undefined || to < from || to - from > 20) return [from]
    return Array.from({ length: to - from + 1 }, (_, step) => from + step)
  })
}

function findRun(text: string, length: number, from: number): number {
  for (let at = text.indexOf('`', from); at !== -1; at = text.indexOf('`', at)) {
    const run = /^`+/.exec(text.slice(at))![0].length
    if (run === length) return at
    at += run
  }
  return -1
}

/** The `]` that closes the `[` at `start`, over code and escapes; -1 where it has not come. */
function matchingBracket(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]!
    if (character === '\\') at += 1
    else if (character === '\n' && text[at + 1] === '\n') return -1
    else if (character === '`') {
      const run = /^`+/.exec(text.slice(at))![0].length
      const close = findRun(text, run, at + run)
      const lineEnd = text.indexOf('\n', at)
      at = close !== -1 && (lineEnd === -1 || close < lineEnd) ? close + run - 1 : at + run - 1
    } else if (character === '[') depth += 1
    else if (character === ']') {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return -1
}

/** The `)` that closes the `(` at `start`. */
function endOfDestination(text: string, start: number): number {
  let depth = 0
  let quote = ''
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]!
    if (character === '\n' && text[at + 1] === '\n') return -1
    if (character === '\\') at += 1
    else if (quote !== '') {
      if (character === quote) quote = ''
    } else if (/["']/.test(character) && /\s/.test(text[at - 1]!)) quote = character
    else if (character === '<' && text[at - 1] === '(') quote = '>'
    else if (character === '(') depth += 1
    else if (character === ')') {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return -1
}

const destinationOf = (target: string): string => {
  const bare = target.trim()
  return /^<([^<>]*)>/.exec(bare)?.[1] ?? bare.split(/\s/)[0] ?? ''
}

/** Whether the text holds this address whole, not only as the beginning of a longer one. */
function links(text: string, address: string): boolean {
  for (let at = text.indexOf(address); at !== -1; at = text.indexOf(address, at + 1)) {
    const after = text.slice(at + address.length, at + address.length + 2)
    const before = text[at - 1] ?? ' '
    if (/[\w/.@-]/.test(before)) continue
    if (after === '' || /^[\s<>()"'`\]*]/.test(after) || /^[.,;:!?](?:\s|$)/.test(after)) return true
  }
  return false
}

const linkable = (url: string): string => url.replaceAll('(', '%28').replaceAll(')', '%29')

function columns(indentation: string): number {
  let column = 0
  for (const character of indentation) column += character === '\t' ? 4 - (column % 4) : 1
  return column
}

const htmlTags = new Set(
  `a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col
  colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form frame
  frameset h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map mark marquee
  math menu meta meter nav noscript object ol optgroup option output p param picture portal pre progress q rp rt ruby s
  samp script search section select slot small source span strike strong style sub summary sup svg table tbody td
  template textarea tfoot th thead time title tr track tt u ul var video wbr`.split(/\s+/),
)
