/** What happens while a question is answered, in the order in which a reader learns of it; the encoders write it down. */
export type AnswerEvent =
  | { type: 'step-start' }
  | { type: 'tool-call'; callId: string; toolName: ToolName; input: Record<string, string> }
  | { type: 'tool-result'; callId: string; output: ToolOutput }
  | { type: 'step-end'; reason: EndReason; usage: Usage }
  | { type: 'source-found'; source: Source }
  | { type: 'text-delta'; text: string }
  | { type: 'answer-end'; reason: EndReason; usage: Usage; outcome: AnswerOutcome }
  | { type: 'answer-error'; message: string }

/** One protocol's way to write the events down, in their order. */
export type AnswerEncoder = {
  /** What stands before the first event. */
  begin: string
  encode(event: AnswerEvent): string
}

export type ToolName = 'search' | 'read_page'

/** The entries of a search, as the search endpoint has them, or a page's Markdown. */
export type ToolOutput = SearchEntry[] | { path: string; url: string; content: string } | { error: string }

export type SearchEntry = { path: string; url: string; content: string; metadata: { title: string } }

/** `url` is absolute and leads to the exact heading. */
export type Source = { id: string; url: string; title: string; path: string }

export type Usage = { inputTokens: number; outputTokens: number }

export type EndReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other'

/** `not-covered`: the documentation does not say. */
export type AnswerOutcome = 'answered' | 'not-covered' | 'no-question'
