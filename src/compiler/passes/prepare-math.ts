import type { PageFormat } from '../plan-pages.ts'
import { proseOf } from './prose-of.ts'

/**
 * Single dollars are formulas only on pages that clearly hold some; there, those of prices and shell variables are
 * escaped, each pair judged by itself.
 */
export function prepareMath(text: string, format: PageFormat): { text: string; singleDollars: boolean } {
  if (!mayHoldFormula(text)) return { text, singleDollars: false }
  let isSure = false
  const escaped = proseOf(text, format, (prose) => {
    const { text: judged, hasFormula } = judge(prose)
    isSure ||= hasFormula
    return judged
  })
  return isSure ? { text: escaped, singleDollars: true } : { text, singleDollars: false }
}

/** Whether any two dollars enclose what makes a formula sure. */
function mayHoldFormula(text: string): boolean {
  return text
    .split('$')
    .slice(1, -1)
    .some((inside) => /[\\^_]/.test(inside))
}

/** Escapes every dollar that begins or ends no formula. */
function judge(prose: string): { text: string; hasFormula: boolean } {
  let output = ''
  let hasFormula = false
  let at = 0
  while (at < prose.length) {
    const character = prose[at] ?? ''
    if (character === '\\') {
      output += prose.slice(at, at + 2)
      at += 2
    } else if (prose.startsWith('$$', at)) {
      const end = prose.indexOf('$$', at + 2)
      const next = end === -1 ? prose.length : end + 2
      output += prose.slice(at, next)
      at = next
    } else if (character === '$') {
      const formula = formulaAt(prose, at)
      if (formula !== undefined && /[\\^_]/.test(formula)) hasFormula = true
      output += formula === undefined ? '\\$' : `$${formula}$`
      at += formula === undefined ? 1 : formula.length + 2
    } else {
      output += character
      at += 1
    }
  }
  return { text: output, hasFormula }
}

/** What stands between this dollar and the next, if the two enclose a formula. */
function formulaAt(prose: string, start: number): string | undefined {
  if (/[\w$]/.test(prose[start - 1] ?? ' ')) return undefined
  const inside = /^\$((?:\\[\s\S]|[^$\\\n`]|\n(?!\s*\n))+)\$(?![\w$])/.exec(
    prose.slice(start, start + 600),
  )?.[1]
  if (inside === undefined || /^\s|\s$/.test(inside)) return undefined
  return looksLikeFormula(inside) ? inside : undefined
}

function looksLikeFormula(inside: string): boolean {
  if (/\\[a-zA-Z{},;!]|[\^_]/.test(inside)) return true
  if (/^\d[\d.,]*\s+[a-z]/i.test(inside)) return false // A price and the words after it.
  return !/[A-Za-z]{4,}/.test(inside) && !/[a-z]{2,}\s+[a-z]{2,}/i.test(inside)
}
