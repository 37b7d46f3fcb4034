/** A block of code that is open: its mark, how many of them, and the column where it begins. */
export type Fence = { mark: string; length: number; indent: number }

export const openingLine = (prefix: string, run: string, info: string): string =>
  `${prefix}${run}${info.replace(/[<>[\]\\&]/g, '').trimEnd()}\n`

export const closingLine = (fence: Fence): string =>
  `${' '.repeat(fence.indent)}${fence.mark.repeat(fence.length)}\n`

export function columns(indentation: string): number {
  let column = 0
  for (const character of indentation) column += character === '\t' ? 4 - (column % 4) : 1
  return column
}
