/** What a reader's program may turn into a link by itself. */
export const addressPattern =
  /(?:https?|ftp):\/\/|\/\/[\w-]+\.\w|(?:mailto|xmpp):|www\.|(?<![\w.+-])[\w.+-]+@[\w-]+\.\w/i

/** Code that would be more than text if it were not code. */
export const mayHide = /[[<!@]|:\/\/|www\./i

/** A word with the marks of entities written out, save those that everyone writes. */
export const plainWord = (word: string): string =>
  word.replace(/&(?=#?\w*(?:;|$))/g, (mark, place: number) =>
    harmlessEntities.test(word.slice(place)) ? mark : '&amp;',
  )

const harmlessEntities = /^&(?:amp|lt|gt|quot|apos|nbsp|mdash|ndash|hellip|rarr|larr|copy|times);/
