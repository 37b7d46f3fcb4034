export type { AnswerEvent, AnswerOutcome, SearchEntry, Source, Usage } from './answer-event.ts'
export { type AnswerInput, answerQuestion } from './answer-question.ts'
export {
  type AssistantDependencies,
  type AuthorizedSite,
  assistantRoutes,
} from './assistant-routes.ts'
export { type AssistantSettings, defaultAssistantSettings } from './assistant-settings.ts'
export { assistantMigrations } from './assistant-store.ts'
export { type AnswerSite, effectiveFilter } from './passages.ts'
export { findPagePath, pageUrl } from './site-address.ts'
export { threadsRoutes } from './threads-routes.ts'
export { eraseThreads, forgetOldThreads, listThreads, readWholeThread } from './threads-store.ts'
