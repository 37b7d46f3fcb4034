import type { ContextItem } from './assistant-api.ts'
import type { Turn } from './read-request.ts'

/** A question as the search takes it: standing alone, with what its conversation and the page around it add. */
export function understandQuestion({
  question,
  history,
  context,
}: {
  question: string
  history: Turn[]
  context: ContextItem[]
}): string {
  const parts = [question]
  if (leansOnConversation(question)) {
    const earlier = history.filter((turn) => turn.role === 'user').map((turn) => turn.text)
    const standing = earlier.findLast((text) => !leansOnConversation(text))
    const newest = earlier.at(-1)
    for (const text of new Set([standing, newest])) if (text) parts.unshift(shorten(text))
  }
  if (context.length > 0 && (leansOnConversation(question) || pointsAtSomething(question))) {
    for (const item of context.slice(0, 3)) parts.push(shorten(item.value))
  }
  return parts.join('\n').slice(0, 1000)
}

/** Words that a follow-up begins with in the languages that docs are most often read in. */
const followUpStarts =
  /^(and|also|but|or|so|then|what about|how about|what if|why|why not|how so|ok|okay|yes|no|same|instead|more|another|could you|can you (also|show|explain)|et|mais|aussi|pourquoi|und|aber|auch|warum|wieso|y|pero|también|por qué|e|ma|anche|perché|mas|também|por quê|那|还有|为什么|じゃあ|では|なぜ|그럼|그리고|왜)(?=$|[\s?!.,，。？])/iu

const pointers =
  /(^|[\s(])(it|its|that|this|these|those|they|them|their|one|ones|there|here|above|previous|former|latter|same|cela|ça|celui|das|dies|diese[rsm]?|eso|esto|ello|questo|isso|isto)(?=$|[\s?!.,;:)'’])|这|那个|它|これ|それ|그것|이것/iu

function leansOnConversation(question: string): boolean {
  const words = question.split(/\s+/).filter((word) => word !== '')
  if (followUpStarts.test(question.trim()) && words.length <= 12) return true
  if (words.length <= 3 && !/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}/u.test(question))
    return words.length < 3
  return words.length <= 14 && pointers.test(question)
}

const pointsAtSomething = (question: string) => pointers.test(question) || question.length < 40

const shorten = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 300)
