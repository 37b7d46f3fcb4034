/** A text of its own. What is cut out of a page keeps the whole page in memory, and a plan knows every page. */
export function ownText(part: string): string {
  return Buffer.from(part).toString()
}
