import type { Database } from '../backends/index.ts'
import type { AnswerOutcome, Source, Usage } from './answer-event.ts'
import type { AssistantTables } from './assistant-store.ts'

export type EndedAnswer = {
  threadId: string
  messageId: string
  text: string
  sources: Source[]
  usage: Usage
  outcome: AnswerOutcome
}

/** The last answer of a chat, whichever node wrote it; null where there is none since then that came to its end. */
export async function readEndedAnswer({
  database,
  siteId,
  chat,
  since,
}: {
  database: Database
  siteId: string
  chat: string
  since: number
}): Promise<EndedAnswer | null> {
  const row = await database
    .tables<AssistantTables>()
    .selectFrom('assistant_messages as message')
    .innerJoin('assistant_threads as thread', 'thread.id', 'message.thread_id')
    .selectAll('message')
    .where('message.chat', '=', chat)
    .where('message.created_at', '>=', since)
    .where('thread.site_id', '=', siteId)
    .orderBy('message.created_at', 'desc')
    .orderBy('message.position', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row?.status !== 'complete') return null
  return {
    threadId: row.thread_id,
    messageId: row.id,
    text: row.content,
    sources: JSON.parse(row.sources) as Source[],
    usage: { inputTokens: row.input_tokens, outputTokens: row.output_tokens },
    outcome: row.outcome ?? 'answered',
  }
}
