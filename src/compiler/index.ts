export { type CompileOptions, type CompileResult, checkSite, compileSite } from './compile-site.ts'
export type { FailedPage, Problem } from './compiler-api.ts'
export { folderSpecCache, type SpecCache, specFetcher } from './openapi/index.ts'
export { CompileError } from './problems.ts'
