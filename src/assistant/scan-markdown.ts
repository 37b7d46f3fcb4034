/** Where a run of exactly `length` backticks begins; -1 where there is none. */
export function findRun(text: string, length: number, from: number): number {
  for (let at = text.indexOf('`', from); at !== -1; at = text.indexOf('`', at)) {
    const run = /^`+/.exec(text.slice(at))![0].length
    if (run === length) return at
    at += run
  }
  return -1
}

/** The `]` that closes the `[` at `start`, over code and escapes; -1 where it has not come. */
export function matchingBracket(text: string, start: number): number {
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
export function endOfDestination(text: string, start: number): number {
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

/** The address within a link's parentheses, without its title. */
export const destinationOf = (target: string): string => {
  const bare = target.trim()
  return /^<([^<>]*)>/.exec(bare)?.[1] ?? bare.split(/\s/)[0] ?? ''
}
