/** A passage's prose by paragraph, cleaned of list marks and heading ids, and its code blocks as they stand. */
export function splitPassage(content: string): { paragraphs: string[]; codeBlocks: string[] } {
  const codeBlocks: string[] = []
  const prose = content.replace(/^([ \t]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^[ \t]*\2[ \t]*$/gm, (block) => {
    codeBlocks.push(block.trim())
    return '\n\n'
  })
  const paragraphs = prose
    .split(/\n{2,}|\n(?=\s*(?:[-*+]|\d+[.)])\s)/)
    .map((paragraph) =>
      paragraph
        .replace(/\s+/g, ' ')
        .replace(/\{\s*#[\w-]+\s*\}/g, '')
        .replace(/^(?:[-*+]|#+|>|\d+[.)])\s+/, '')
        .trim(),
    )
    .filter((paragraph) => paragraph !== '')
  return { paragraphs, codeBlocks }
}
