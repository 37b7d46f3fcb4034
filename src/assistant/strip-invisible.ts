/** Leaves out what a reader cannot see but a terminal or a renderer may obey: escape sequences, controls, bidi and hidden characters. */
export function stripInvisible(): { push(text: string): string; end(): string } {
  let held = ''
  let last = ''
  const clean = (text: string): string => {
    const output = plain.test(text) ? text : withoutHidden(text)
    last = (last + output).slice(-2)
    return output
  }
  const withoutHidden = (text: string): string =>
    text
      .replace(/\r\n?/g, '\n')
      .replace(escapeSequences, '')
      .replace(invisible, '')
      .replace(/[\u200c\u200d]/g, (joiner, place: number, whole: string) =>
        joins.test((last + whole.slice(0, place)).slice(-2)) ? joiner : '',
      )
      .toWellFormed()
  return {
    push: (text) => {
      const all = held + text
      const cut = undecidedFrom(all)
      held = all.slice(cut)
      return clean(all.slice(0, cut))
    },
    end: () => {
      const rest = clean(held)
      held = ''
      return rest
    },
  }
}

/** What nearly all text is made of, where nothing can hide. */
const plain = /^[ -~\n\t]*$/

/** The same for a text that is there whole. */
export function withoutInvisible(text: string): string {
  const strip = stripInvisible()
  return strip.push(text) + strip.end()
}

const escapeCharacter = String.fromCharCode(27)
const bell = String.fromCharCode(7)

const escapeSequences = new RegExp(
  `${escapeCharacter}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${bell}${escapeCharacter}\\n]*(?:${bell}|${escapeCharacter}\\\\)?|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]`,
  'g',
)

const wholeSequence = new RegExp(
  `^${escapeCharacter}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${bell}${escapeCharacter}\\n]*(?:${bell}|${escapeCharacter}\\\\|\\n)|[ -/]*[0-OQ-WY-Z\\\\\`-~])`,
)

const invisible =
  /[\p{Cc}--[\t\n]]|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]/gv

/** Zero-width joiners belong to emoji and to scripts that shape their letters by them. */
const joins =
  /(?:\p{Extended_Pictographic}|\ufe0f|\p{Emoji_Modifier}|[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Gujarati}\p{Script=Gurmukhi}])$/u

/** Where an escape sequence, a line end or a surrogate pair begins that the next piece may complete. */
function undecidedFrom(text: string): number {
  const begin = text.lastIndexOf(escapeCharacter)
  if (begin !== -1 && text.length - begin < 200 && !wholeSequence.test(text.slice(begin))) {
    const before = begin > 0 ? undecidedBefore(text, begin) : begin
    return before
  }
  const last = text.charCodeAt(text.length - 1) // Not by a pattern, which would look at the whole text for its end.
  const isUndecided = last === 0x0d || (last >= 0xd800 && last <= 0xdbff)
  return isUndecided ? text.length - 1 : text.length
}

/** An escape may end the sequence of an earlier one. */
function undecidedBefore(text: string, begin: number): number {
  const earlier = text.lastIndexOf(escapeCharacter, begin - 1)
  return earlier !== -1 && begin - earlier < 200 && !wholeSequence.test(text.slice(earlier, begin))
    ? earlier
    : begin
}
