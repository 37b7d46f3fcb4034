import { isCovered } from './judge-coverage.ts'
import type { Passage } from './passages.ts'
import { splitSentences, subjectWords } from './question-words.ts'
import { splitPassage } from './split-passage.ts'

export type Quotation = {
  /** Whether the documentation covers the question, or only comes near it. */
  covered: boolean
  /** The answer's text in the pieces in which it is streamed. */
  pieces: string[]
  /** The passages that are quoted. */
  quoted: Passage[]
}

export type QuotationInput = {
  /** As it stands alone. */
  question: string
  /** Best first. */
  passages: Passage[]
  siteName: string
  pageCount: number
  language: string | undefined
  /** Where readers find help; null where the site names no place. */
  supportUrl: string | null
}

/** Without a model: the best sentences and code of the best passages, quoted and cited; or an honest no with the nearest pages. */
export function quotePassages(input: QuotationInput): Quotation {
  const { passages, siteName, question } = input
  if (!isCovered(input)) {
    return { covered: false, pieces: notCovered(input), quoted: [] }
  }
  const best = passages[0]!
  const quoted = passages.slice(0, 3).filter((passage) => passage.score >= best.score * 0.5)
  const asked = weigh(subjectWords(question), passages)
  const wantsCode = asksHow.test(question)
  const said = new Set<string>()
  const pieces = [
    `Passages from the documentation of ${escapeMarkdown(siteName)} that match the question, quoted as they stand:\n\n`,
    ...quoted.flatMap((passage, place) =>
      quote(passage, asked, said, {
        sentences: place === 0 ? 3 : 2,
        codeBlocks: place === 0 || wantsCode ? 1 : 0,
      }),
    ),
  ]
  return { covered: true, pieces, quoted }
}

const asksHow =
  /\b(?:how|example|code|command|install|run|configure|set ?up|use|call|write|create|add|enable|snippet|syntax|script)\b/i

function notCovered({ siteName, passages, supportUrl }: QuotationInput): string[] {
  const nearest = passages.slice(0, 3)
  const pieces = [`The documentation of ${escapeMarkdown(siteName)} does not seem to say.`]
  if (nearest.length > 0) {
    pieces.push(' The nearest pages are:\n\n')
    pieces.push(...nearest.map((passage) => `- ${linkTo(passage)}\n`))
  }
  if (supportUrl !== null) pieces.push(supportHint(supportUrl))
  return pieces
}

/** What follows an answer that could not help. */
export const supportHint = (supportUrl: string) =>
  `\n\nIf you need more help, [ask for support](${linkable(supportUrl)}).`

function quote(
  passage: Passage,
  asked: Map<string, number>,
  said: Set<string>,
  limits: { sentences: number; codeBlocks: number },
): string[] {
  const { paragraphs, codeBlocks } = splitPassage(passage.content)
  const chosen = bestSentences(passage, paragraphs, asked, limits.sentences).filter((line) => !said.has(line))
  for (const line of chosen) said.add(line)
  const blocks = bestBlocks(codeBlocks, asked, chosen.length > 0 ? limits.codeBlocks : 1)
  if (chosen.length === 0 && blocks.length === 0) return []
  const pieces = [`**${linkTo(passage)}** [${passage.number}](${linkable(passage.url)})\n\n`]
  if (chosen.length > 0) pieces.push(`${chosen.map((line) => `> ${escapeQuoted(line)}`).join('\n>\n')}\n\n`)
  for (const block of blocks) pieces.push(`${block}\n\n`)
  return pieces
}

/** Rare words of the question weigh more; rarity is counted over what was found. */
function weigh(asked: Set<string>, passages: Passage[]): Map<string, number> {
  const found = passages.map((passage) => subjectWords(`${passage.heading} ${passage.content}`))
  return new Map(
    [...asked].map((word) => {
      const count = found.filter((words) => words.has(word)).length
      return [word, Math.log(1 + (found.length + 1) / (count + 0.5))]
    }),
  )
}

/** The sentences that share most with the question, in reading order; those of one paragraph stay together. */
function bestSentences(
  passage: Passage,
  paragraphs: string[],
  asked: Map<string, number>,
  limit: number,
): string[] {
  const headings = new Set([passage.title, ...passage.heading.split(' › ')])
  const sentences = paragraphs
    .flatMap((paragraph, place) => splitSentences(paragraph).map((text) => ({ text, place, weight: 0 })))
    .filter((sentence) => !headings.has(sentence.text))
  for (const [order, sentence] of sentences.entries()) {
    const { length } = sentence.text
    sentence.weight =
      ((shared(sentence.text, asked) + 0.1) / Math.sqrt(60 + length)) *
      (isProse(sentence.text) ? 1 : 0.2) *
      (pointsElsewhere.test(sentence.text) ? 0.4 : 1) *
      (1 + 0.3 / (1 + order)) *
      (length > 400 ? 0.5 : 1)
  }
  const ranked = sentences.toSorted((a, b) => b.weight - a.weight).slice(0, limit)
  const kept = new Set(ranked.filter((sentence) => sentence.weight > ranked[0]!.weight * 0.35))
  const lines: string[] = []
  let last = -1
  for (const sentence of sentences) {
    if (!kept.has(sentence)) continue
    if (sentence.place === last) lines[lines.length - 1] += ` ${sentence.text}`
    else lines.push(sentence.text)
    last = sentence.place
  }
  return lines
}

/** A whole sentence, not a label or the row of a table. */
const isProse = (text: string) => text.length > 20 && /[.!?:。！？؟…]["'”’)\]]*$/.test(text)

const pointsElsewhere = /^(?:see|for more|for details|to learn more|learn|read|check out|refer to)\b/i

function bestBlocks(blocks: string[], asked: Map<string, number>, limit: number): string[] {
  return blocks
    .map((block, order) => ({ block, weight: shared(block, asked) - order * 0.1 }))
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, limit)
    .map(({ block }) => shortened(block))
}

function shared(text: string, asked: Map<string, number>): number {
  let sum = 0
  for (const word of subjectWords(text)) sum += asked.get(word) ?? 0
  return sum
}

const longestBlock = 2500

function shortened(block: string): string {
  if (block.length <= longestBlock) return block
  const fence = /^(?:`{3,}|~{3,})/.exec(block)?.[0] ?? '```'
  return `${block.slice(0, block.lastIndexOf('\n', longestBlock))}\n…\n${fence}`
}

const linkTo = (passage: Passage) =>
  `[${escapeMarkdown(passage.heading || passage.title)}](${linkable(passage.url)})`

const linkable = (url: string) => url.replaceAll('(', '%28').replaceAll(')', '%29')

const escapeMarkdown = (text: string) =>
  text
    .replace(/\{\s*#[\w-]+\s*\}/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>]/g, '\\$&')

/** What a page says in prose is text, also where it looks like a tag. */
const escapeQuoted = (text: string) =>
  text.replace(/(`+)(?:(?!`).)+\1|[<>[\]]/g, (piece) => (piece.startsWith('`') ? piece : `\\${piece}`))
