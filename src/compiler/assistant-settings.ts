import type { SiteIndex } from '../bundle/bundle-api.ts'
import { asObject, defined, type Json } from './loose-json.ts'
import { type ProblemList, placeOfText } from './problems.ts'

/** `assistant` of docs.json: what readers may begin with, and where they find help; other readers of docs.json ignore it. */
export function readAssistantSettings(
  value: Json | undefined,
  file: string,
  text: string,
  problems: ProblemList,
): SiteIndex['assistant'] {
  if (value === undefined || value === null) return undefined
  const report = (message: string, hint: string) => {
    problems.add(placeOfText(file, text, '"assistant"'), { code: 'invalid_setting', message, hint })
    return undefined
  }
  const object = asObject(value)
  if (object === undefined) return report('"assistant" is no object.', `Write ${example}.`)
  const given = object.starterQuestions ?? []
  const questions = Array.isArray(given) ? given.filter(isQuestion) : []
  if (!Array.isArray(given) || questions.length < given.length || questions.length > mostQuestions) {
    report(
      '"assistant.starterQuestions" is no list of questions.',
      `Write up to ${mostQuestions} texts of at most ${longestQuestion} characters: ${example}.`,
    )
  }
  const supportUrl = object.supportUrl ?? undefined
  if (supportUrl !== undefined && !isSupportUrl(supportUrl)) {
    report(
      `"assistant.supportUrl" ${JSON.stringify(supportUrl).slice(0, 100)} cannot be used.`,
      'Write an https address, a mailto: address, or a path of this site such as "/support".',
    )
  }
  const starterQuestions = questions.slice(0, mostQuestions).map((question) => question.trim())
  const usable = isSupportUrl(supportUrl) ? supportUrl : undefined
  if (starterQuestions.length === 0 && usable === undefined) return undefined
  return { starterQuestions, ...defined({ supportUrl: usable }) }
}

const mostQuestions = 10
const longestQuestion = 200
const example =
  '"assistant": { "starterQuestions": ["How do I install it?"], "supportUrl": "https://example.com/support" }'

const isQuestion = (value: Json): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= longestQuestion

const isSupportUrl = (value: Json | undefined): value is string =>
  typeof value === 'string' &&
  /^(?:https?:\/\/[^\s<>"]+|mailto:[^\s<>"@]+@[^\s<>"@]+|\/(?!\/)[^\s<>"]*)$/i.test(value)
