export type AssistantSettings = {
  /** How many times the model is called for one answer. */
  maxSteps: number
  maxOutputTokens: number
  /** A hard cap per organization and day (UTC); null for none. */
  tokensPerDay: number | null
  /** What is set aside for one answer before it begins, and settled when it ends. */
  tokensReserved: number
  bodyLimitBytes: number
  keepAliveMs: number
  /** How long a reader may take nothing before it is given up. */
  stallTimeoutMs: number
  /** How long the first byte waits for the model's first words, so that a failure can still have a status. */
  holdFirstByteMs: number
  /** The same after the model has failed. */
  holdFailingMs: number
  /** How long a resumable answer goes on when its reader has left. */
  abandonAfterMs: number
  /** Since when v1 is deprecated, and when it may end, in milliseconds. */
  deprecatedAt: number
  sunsetAt: number
}

export const defaultAssistantSettings: AssistantSettings = {
  maxSteps: 4,
  maxOutputTokens: 2000,
  tokensPerDay: null,
  tokensReserved: 8000,
  bodyLimitBytes: 1024 * 1024,
  keepAliveMs: 15_000,
  stallTimeoutMs: 60_000,
  holdFirstByteMs: 150,
  holdFailingMs: 10_000,
  abandonAfterMs: 600,
  deprecatedAt: Date.UTC(2026, 10, 1),
  sunsetAt: Date.UTC(2027, 10, 1),
}
