import { type Allowance, allowedLink, linkable } from './allowed-link.ts'
import { citedNumbers } from './cited-numbers.ts'
import { type Block, CleanedOutput, newBlock } from './cleaned-output.ts'
import { closingLine, columns, type Fence, openingLine } from './code-fences.ts'
import { htmlTags } from './html-tags.ts'
import type { AnswerSite, Passages } from './passages.ts'
import { addressPattern, mayHide, plainWord } from './plain-word.ts'
import { destinationOf, endOfDestination, findRun, matchingBracket } from './scan-markdown.ts'
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

/** How much may be held back while it is undecided what it will be. */
const longestHold = 2000

/** Words that are no more than words, each with the space after it: most of what a model writes, taken in one step. */
const plainWords = /^(?:[a-zA-Z]+[,;]? )+/

class Cleaning {
  citations = 0
  readonly #allowance: Allowance
  /** Inside a link's text there are no blocks, no links and no citations. */
  readonly #insideLink: boolean
  readonly #output: CleanedOutput
  #pending = ''
  #atEnd = false
  #atLineStart: boolean
  #fence: Fence | null = null
  #skippingTo: RegExp | null = null

  constructor(allowance: Allowance, insideLink: boolean, block: Block = newBlock()) {
    this.#allowance = allowance
    this.#output = new CleanedOutput(block)
    this.#insideLink = insideLink
    this.#atLineStart = !insideLink
  }

  push(text: string): string {
    this.#pending += text
    while (this.#pending !== '' && this.#step()) {}
    return this.#output.take()
  }

  end(): string {
    this.#atEnd = true
    const output = this.push('')
    if (!this.#fence) return output
    const close = this.#output.upToLineStart() + closingLine(this.#fence)
    this.#fence = null
    return output + close
  }

  /** Consumes one piece of what is pending; false where more text must come first. */
  #step(): boolean {
    if (this.#skippingTo) return this.#skip(this.#skippingTo)
    if (this.#fence) return this.#atLineStart ? this.#fencedLineStart(this.#fence) : this.#fencedLine()
    if (this.#atLineStart) return this.#lineStart()
    const words = plainWords.exec(this.#pending)?.[0]
    if (words !== undefined) {
      this.#take(words.length)
      this.#output.write(words.slice(0, -1))
      this.#output.space(' ')
      return true
    }
    const first = this.#pending[0]!
    switch (first) {
      case '\n':
        this.#take(1)
        this.#output.endLine()
        this.#atLineStart = true
        return true
      case ' ':
      case '\t':
        this.#output.space(first)
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
    if (this.#output.block.hasPipeInCode && /^[|:-]/.test(rest)) this.#output.write('\n') // No table head may split that code.
    this.#output.write(prefix)
    return true
  }

  /** A blank line stands before every fence, so that no paragraph can swallow it. */
  #openFence(prefix: string, run: string, info: string): void {
    this.#output.dropSpace()
    this.#output.write(this.#output.upToBlankLine() + openingLine(prefix, run, info))
    this.#fence = { mark: run[0]!, length: run.length, indent: columns(prefix) }
    this.#atLineStart = true
  }

  #fencedLineStart(fence: Fence): boolean {
    const indentation = /^[ \t]*/.exec(this.#pending)![0]
    const rest = this.#pending.slice(indentation.length)
    if (rest === '' && !this.#atEnd && indentation.length < longestHold) return false
    if (rest !== '' && rest[0] !== '\n' && columns(indentation) < fence.indent) {
      this.#fence = null // The list that held the code has ended, and the code with it.
      this.#output.write(`${closingLine(fence)}\n`)
      return true
    }
    const run = new RegExp(`^\\${fence.mark}{${fence.length},}[ \\t]*`).exec(rest)?.[0]
    const mayClose = run === undefined ? fence.mark.repeat(fence.length).startsWith(rest) : run === rest
    if (mayClose && !this.#atEnd && rest.length < 300 && columns(indentation) < fence.indent + 4) return false
    const ends = run !== undefined && (rest.length === run.length || rest[run.length] === '\n')
    if (ends && columns(indentation) < fence.indent + 4) {
      this.#take(indentation.length + run.length + (rest.length === run.length ? 0 : 1))
      this.#fence = null
      this.#output.write(closingLine(fence))
      return true
    }
    this.#atLineStart = false
    return true
  }

  #fencedLine(): boolean {
    const lineEnd = this.#pending.indexOf('\n')
    const line = lineEnd === -1 ? this.#pending : this.#pending.slice(0, lineEnd + 1)
    this.#take(line.length)
    this.#output.write(line, { isCode: true })
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
        !(this.#output.block.hasTilde && code.includes('~')) && !code.slice(run.length, close).includes('`')
      if (!isRead && mayHide.test(code)) {
        this.#take(run.length) // Some readers take tildes and backticks inside code for more than they are.
        this.#output.write('\\`'.repeat(run.length))
        return true
      }
      this.#take(end)
      if (code.includes('|') && mayHide.test(code)) this.#output.block.hasPipeInCode = true
      this.#output.write(this.#output.block.isTable ? code.replace(/(?<!\\)\|/g, '\\|') : code)
      return true
    }
    if (lineEnd === -1 && !this.#atEnd && this.#pending.length < longestHold) return false
    this.#take(run.length)
    this.#output.write('\\`'.repeat(run.length))
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
      this.#output.write(`${isImage ? '!' : ''}\\[`)
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
        else this.#link(text, isImage ? null : allowedLink(destinationOf(target), this.#allowance))
        return true
      }
    }
    this.#take(close + 1)
    if (isImage) this.#link(text, null)
    else if (numbers && next !== ':') this.#cite(numbers)
    else if (next === '(' || next === ':' || next === '[')
      this.#output.write(`\\[${this.#cleanInside(text)}\\]`)
    else this.#output.write(`[${this.#cleanInside(text)}]`)
    return true
  }

  #cornerBracket(): boolean {
    const close = this.#pending.indexOf('】')
    if (close === -1 && !this.#atEnd && this.#pending.length < 60) return false
    const numbers = close === -1 ? null : citedNumbers(this.#pending.slice(1, close).replace(/†.*$/s, ''))
    if (!numbers || this.#insideLink) {
      this.#take(1)
      this.#output.write('【')
    } else {
      this.#take(close + 1)
      this.#cite(numbers)
    }
    return true
  }

  #cite(numbers: number[]): void {
    const cited = numbers.flatMap((number) => this.#allowance.passages.get(number) ?? [])
    if (cited.length === 0) {
      this.#output.dropSpace()
      return
    }
    this.citations += cited.length
    this.#output.write(cited.map((passage) => `[${passage.number}](${linkable(passage.url)})`).join(' '))
  }

  #link(text: string, url: string | null): void {
    const inside = this.#cleanInside(text)
    if (inside.trim() === '') this.#output.gap()
    else if (url && !this.#insideLink) this.#output.write(`[${inside}](${linkable(url)})`)
    else this.#output.write(inside)
  }

  #cleanInside(text: string): string {
    const inner = new Cleaning(this.#allowance, true, this.#output.block)
    const cleaned = (inner.push(text.replace(/\s*\n\s*/g, ' ')) + inner.end()).trim()
    return cleaned === '' && text !== '' && text.trim() === '' ? ' ' : cleaned
  }

  #angle(): boolean {
    const next = this.#pending[1]
    if (next === undefined && !this.#atEnd) return false
    if (next === undefined || !/[a-z/!?<]/i.test(next)) {
      this.#take(1)
      this.#output.write(next !== undefined && /[\s\d=-]/.test(next) ? '<' : '&lt;')
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
    if (tag && (isHtml || next === '!' || next === '?')) this.#output.gap()
    else this.#output.write('&lt;')
    return true
  }

  #startSkipping(end: RegExp): boolean {
    this.#output.gap()
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
      this.#output.write(next === '<' ? '&lt;' : `\\${next}`)
    } else {
      this.#take(1)
      this.#output.write('\\')
    }
    return true
  }

  /** A run of plain characters. ASCII runs are held to their end, since they may be addresses. */
  #word(): boolean {
    const other = /^[\u0080-\uffff]+/.exec(this.#pending)?.[0].replace(/【.*$/s, '')
    if (other) {
      this.#take(other.length)
      this.#output.write(other)
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
      this.#output.write(plainWord(word))
      return true
    }
    const from = address.index
    if (from > 0) this.#output.write(plainWord(word.slice(0, from)))
    const link = /^[^|~]*/.exec(word.slice(from))![0].replace(/[.,;:!?'"*_)\]]+$/, '')
    this.#bareAddress(link)
    const after = word.slice(from + link.length)
    const marks = /^[^\w]+/.exec(after)?.[0] ?? ''
    this.#output.write(plainWord(marks))
    this.#pending = after.slice(marks.length) + this.#pending
    return true
  }

  /** An address that may be linked is, with its end marked; another is shown as code, which nothing turns into a link. */
  #bareAddress(address: string): void {
    const allowed = this.#insideLink ? null : allowedLink(address, this.#allowance)
    const shown = address.replace(/[`|~]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
    this.#output.write(allowed === null ? `\`${shown}\`` : `<${allowed}>`)
  }

  #take(length: number): void {
    this.#pending = this.#pending.slice(length)
  }
}
