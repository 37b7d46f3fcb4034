/** Where an offset lies in a text, counted from 1. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  let line = 1
  let lineStart = 0
  for (let next = text.indexOf('\n'); next !== -1 && next < offset; next = text.indexOf('\n', next + 1)) {
    line += 1
    lineStart = next + 1
  }
  return { line, column: offset - lineStart + 1 }
}

/** Where a word first stands in a text; the beginning when it does not. */
export function positionOf(text: string, word: string): { line: number; column: number } {
  return positionAt(text, Math.max(0, text.indexOf(word)))
}
