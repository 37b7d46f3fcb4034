import { addressPattern } from './plain-word.ts'

/** What is known of the lines since the last blank one. */
export type Block = {
  /** A row of dashes has been seen, so that a pipe may end a cell. */
  isTable: boolean
  hasTilde: boolean
  hasPipeInCode: boolean
}

export const newBlock = (): Block => ({ isTable: false, hasTilde: false, hasPipeInCode: false })

/** The text that goes on to the reader, put together so that no two pieces become a construct that neither is. */
export class CleanedOutput {
  readonly block: Block
  #text = ''
  /** Spaces not yet passed on, since a dropped citation takes the one before it along. */
  #space = ''
  /** The end of what was passed on, to see what would grow together with it. */
  #tail = '\n\n'
  #isGap = false
  #line = ''

  constructor(block: Block) {
    this.block = block
  }

  /** What was written since it was last taken. */
  take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

  write(text: string, { isCode = false }: { isCode?: boolean } = {}): void {
    if (text === '') return
    let written = this.#space + text
    this.#space = ''
    this.#isGap = false
    if (!isCode && growsTogether(this.#tail, written)) written = ` ${written}`
    this.#text += written
    this.#line = (this.#line + written).slice(0, 500)
    if (written.includes('~')) this.block.hasTilde = true
    this.#tail = (this.#tail + written).slice(-64)
  }

  space(character: string): void {
    if (!this.#isGap || !/\s$/.test(this.#tail + this.#space)) this.#space += character
  }

  dropSpace(): void {
    this.#space = ''
  }

  /** Something was left out here; the spaces on both of its sides become one. */
  gap(): void {
    this.#isGap = true
  }

  endLine(): void {
    this.#space = ''
    if (this.#line.trim() === '') Object.assign(this.block, newBlock())
    else if (/^[\s>|:*+-]*-[\s|:-]*$/.test(this.#line)) this.block.isTable = true
    this.write('\n')
    this.#line = ''
  }

  /** What has to come before a construct that needs a blank line above it. */
  upToBlankLine(): string {
    return this.#tail.endsWith('\n\n') ? '' : this.#tail.endsWith('\n') ? '\n' : '\n\n'
  }

  upToLineStart(): string {
    return this.#tail.endsWith('\n') ? '' : '\n'
  }
}

/** Whether the end of what was written and what comes next would become a construct that neither is. */
function growsTogether(tail: string, text: string): boolean {
  const last = tail.at(-1)!
  const first = text[0]!
  if (isSpace(first) || isSpace(last)) return false // A space parts everything, and stands between most words.
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

const isSpace = (character: string): boolean => character === ' ' || character === '\n'
