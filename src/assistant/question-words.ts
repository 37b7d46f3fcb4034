const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Words that say nothing about what a question is about. */
const common = new Set(
  `a about also am an and any are as at be been but by can could did do does doing for from get gets getting go had has
  have having how i if in into is it its just like make me my need no not of on one or our out possible should so some
  that the their them then there these they this to up us use used using want was way we what when where which while
  who why will with without would you your`.split(/\s+/),
)

/** The words of a text that carry its subject, each cut to its stem; names such as `read_page` count by their parts. */
export function subjectWords(text: string): Set<string> {
  const words = new Set<string>()
  for (const { segment, isWordLike } of segmenter.segment(text.toLowerCase().replace(/[_./:-]/g, ' '))) {
    if (isWordLike && !common.has(segment) && (segment.length > 1 || /[^a-z]/.test(segment)))
      words.add(stem(segment))
  }
  return words
}

const stem = (word: string): string =>
  word.length > 4
    ? word.replace(/(?:ings?|edly|ed|ies|es|s|ly|ions?|ers?|ment)$/, '').replace(/(.)\1$/, '$1')
    : word

/** The share of the wanted words that are there, 0 to 1. */
export function shareOf(wanted: Set<string>, there: Set<string>): number {
  if (wanted.size === 0) return 0
  let shared = 0
  for (const word of wanted) if (there.has(word)) shared += 1
  return shared / wanted.size
}

const sentenceSegmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

export const splitSentences = (paragraph: string): string[] =>
  [...sentenceSegmenter.segment(paragraph)].map(({ segment }) => segment.trim()).filter((text) => text !== '')
