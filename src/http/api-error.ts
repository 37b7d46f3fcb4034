export type ErrorDetail = { path: string; message: string }

/** The caller's mistake, or a state of ours that the caller can act on: an HTTP status, a stable code and a sentence. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: ErrorDetail[]
  readonly headers: Record<string, string>

  constructor(
    status: number,
    code: string,
    sentence: string,
    extra: { details?: ErrorDetail[]; headers?: Record<string, string> } = {},
  ) {
    super(sentence)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.details = extra.details ?? []
    this.headers = extra.headers ?? {}
  }
}
