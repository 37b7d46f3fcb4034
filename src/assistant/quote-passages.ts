import type { Passage } from './passages.ts'

export type Quotation = {
  /** Whether the documentation covers the question, or only comes near it. */
  covered: boolean
  /** The answer's text in the pieces in which it is streamed. */
  pieces: string[]
  /** The passages that are quoted. */
  quoted: Passage[]
}

/** Below this share of the question's weight a passage is taken to be about something else. */
const coverageNeeded = 0.5

/** Without a model: the best sentences and code of the best passages, quoted and cited; or an honest no with the nearest pages. */
export function quotePassages({
  question,
  passages,
  siteName,
}: {
  question: string
  passages: Passage[]
  siteName: string
}): Quotation {
  const best = passages[0]
  if (!best || Math.max(...passages.slice(0, 3).map((passage) => passage.coverage)) < coverageNeeded) {
    return { covered: false, pieces: notCovered(siteName, passages.slice(0, 3)), quoted: [] }
  }
  const quoted = passages
    .filter((passage) => passage.score >= best.score * 0.6 && passage.coverage >= coverageNeeded * 0.8)
    .slice(0, 3)
  if (quoted.length === 0) quoted.push(best)
  const words = wordsOf(question)
  const asksForCode =
    /\b(how|example|code|command|install|run|configure|set up|use|call|snippet|syntax)\b/i.test(question)
  const pieces = [
    `Passages from the documentation of ${escapeMarkdown(siteName)}, quoted as they stand:\n\n`,
    ...quoted.flatMap((passage, place) =>
      quote(passage, words, { sentences: place === 0 ? 4 : 2, code: place === 0 || asksForCode ? 1 : 0 }),
    ),
  ]
  return { covered: true, pieces, quoted }
}

function notCovered(siteName: string, nearest: Passage[]): string[] {
  const pieces = [`The documentation of ${escapeMarkdown(siteName)} does not seem to say.`]
  if (nearest.length > 0) {
    pieces.push(' The nearest pages are:\n\n')
    pieces.push(
      ...nearest.map(
        (passage) => `- [${escapeMarkdown(passage.heading || passage.title)}](${passage.url})\n`,
      ),
    )
  }
  return pieces
}

function quote(
  passage: Passage,
  words: Set<string>,
  { sentences, code }: { sentences: number; code: number },
): string[] {
  const { prose, codeBlocks } = splitContent(passage.content)
  const chosen = bestSentences(prose, words, sentences)
  const pieces = [`**[${escapeMarkdown(passage.heading || passage.title)}](${passage.url})**\n\n`]
  if (chosen.length > 0) {
    pieces.push(`${chosen.map((line) => `> ${line}`).join('\n>\n')} [${passage.number}](${passage.url})\n\n`)
  }
  const blocks =
    chosen.length > 0 ? bestBlocks(codeBlocks, words, code) : codeBlocks.slice(0, Math.max(1, code))
  pieces.push(...blocks.map((block) => `${block}\n\n`))
  return pieces
}

function splitContent(content: string): { prose: string[]; codeBlocks: string[] } {
  const codeBlocks: string[] = []
  const rest = content.replace(/^([ \t]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1?[ \t]*\2[ \t]*$/gm, (block) => {
    codeBlocks.push(block.trim())
    return '\n\n'
  })
  const prose = rest
    .split(/\n{2,}|\n(?=\s*(?:[-*+]|\d+[.)])\s)/)
    .map((paragraph) =>
      paragraph
        .replace(/\s+/g, ' ')
        .replace(/^([-*+]|#+|>)\s+/, '')
        .trim(),
    )
    .filter((paragraph) => paragraph !== '')
  return { prose, codeBlocks }
}

/** The sentences that share most with the question, in reading order; neighbours count for each other. */
function bestSentences(paragraphs: string[], words: Set<string>, limit: number): string[] {
  const sentences = paragraphs.flatMap((paragraph, place) =>
    splitSentences(paragraph).map((text, inside) => ({ text, place, inside, weight: 0 })),
  )
  for (const [order, sentence] of sentences.entries()) {
    const shared = [...wordsOf(sentence.text)].filter((word) => words.has(word)).length
    sentence.weight =
      shared / Math.sqrt(8 + sentence.text.length / 12) + (order === 0 ? 0.15 : 0) - order * 0.01
  }
  const kept = new Set(sentences.toSorted((a, b) => b.weight - a.weight).slice(0, limit))
  const lines: string[] = []
  let lastPlace = -1
  for (const sentence of sentences.filter((one) => kept.has(one))) {
    if (sentence.place === lastPlace) lines[lines.length - 1] += ` ${sentence.text}`
    else lines.push(sentence.text)
    lastPlace = sentence.place
  }
  return lines
}

function bestBlocks(blocks: string[], words: Set<string>, limit: number): string[] {
  const weighed = blocks.map((block, order) => ({
    block,
    weight: [...wordsOf(block)].filter((word) => words.has(word)).length - order * 0.1,
  }))
  return weighed
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, limit)
    .map(({ block }) => (block.length > 3000 ? `${block.slice(0, 3000)}\n\`\`\`` : block))
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })
const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

const splitSentences = (paragraph: string): string[] =>
  [...segmenter.segment(paragraph)].map(({ segment }) => segment.trim()).filter((text) => text !== '')

const common = new Set(
  'a an and are as at be by can do does for from how i if in is it my of on or should that the this to was what when where which who why will with you your'.split(
    ' ',
  ),
)

function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  for (const { segment, isWordLike } of wordSegmenter.segment(text.toLowerCase())) {
    if (isWordLike && !common.has(segment)) words.add(segment.replace(/(?<=\w{3})(ing|ed|es|s)$/, ''))
  }
  return words
}

const escapeMarkdown = (text: string) => text.replace(/[\\`*_[\]<>]/g, '\\$&').replace(/\s+/g, ' ')
