export { installAcceptCheck } from './accept.ts'
export { ApiError, type ErrorDetail } from './api-error.ts'
export { bearerKey } from './bearer.ts'
export { addressUnit } from './client-address.ts'
export { installCors } from './cors.ts'
export {
  guardedFetch,
  type GuardedFetchCode,
  GuardedFetchError,
  type GuardedFetchOptions,
  type GuardedResponse,
} from './guarded-fetch.ts'
export { isPublicAddress } from './public-address.ts'
export { errorBody, installErrorHandling, sendError } from './error-handling.ts'
export {
  countRequest,
  forgetOldWindows,
  type RateLimit,
  type RateLimitState,
  rateLimitHeaders,
  rateLimitMigrations,
} from './rate-limits.ts'
