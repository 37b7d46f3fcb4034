/** A page that is too large or too deeply nested to be read safely. */
export class UnreadablePage extends Error {
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.name = 'UnreadablePage'
    this.hint = hint
  }
}

const largestPage = 4_000_000
const deepestNesting = 1000

/** Refuses, before any parser sees it, a text that is nested so deeply that parsers run out of stack or time. */
export function guardNesting(text: string): void {
  if (text.length > largestPage) {
    throw new UnreadablePage('The page is larger than 4 MB.', 'Split it into several pages.')
  }
  let brackets = 0
  let tags = 0
  let quotes = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 40 || code === 91 || code === 123) brackets += 1
    else if (code === 41 || code === 93 || code === 125) brackets = Math.max(0, brackets - 1)
    else if (code === 60) {
      const next = text.charCodeAt(index + 1)
      if (next === 47) tags = Math.max(0, tags - 1)
      else if ((next >= 65 && next <= 90) || (next >= 97 && next <= 122)) tags += 1
    } else if (code === 47 && text.charCodeAt(index + 1) === 62) tags = Math.max(0, tags - 1)
    else if (code === 10) quotes = 0
    else if (code === 62) quotes += 1
    if (brackets > deepestNesting || (tags > deepestNesting && deepTags(text)) || quotes > 5000) {
      throw new UnreadablePage(
        'The page is nested too deeply to be read.',
        'Close what is opened, and nest less.',
      )
    }
  }
}

/** Tags that HTML lets stand open do not nest; without them the count has to be as high. */
function deepTags(text: string): boolean {
  const counted =
    text.match(
      /<(?!(?:br|img|hr|input|source|wbr|col|area|track|link|meta)\b)[A-Za-z][^<>]*[^/<>]>|<[A-Za-z]>/gi,
    )?.length ?? 0
  const closed = text.match(/<\//g)?.length ?? 0
  return (
    (counted > deepestNesting && counted - closed > deepestNesting / 2) ||
    /(?:<[A-Za-z][^<>]*>\s*){800}/.test(text)
  )
}
