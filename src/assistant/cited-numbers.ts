/** The numbers of `[1]`, `[1, 2]`, `[^3]` or `[2-4]`; null where the brackets hold something else. */
export function citedNumbers(text: string): number[] | null {
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
