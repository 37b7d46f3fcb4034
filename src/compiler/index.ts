export type { FailedPage, Problem } from './compiler-api.ts'
