/** Words as a piece of an id, in any script. */
export function slug(words: string, fallback: string): string {
  return (
    words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-+|-+$/g, '') || fallback
  )
}
