import type { Database } from '../backends/index.ts'
import type { AssistantTables } from './assistant-store.ts'
import type { Feedback, Thread, ThreadSummary } from './threads-api.ts'

/** The site's threads, the one that was written to last first. */
export async function listThreads({
  database,
  siteId,
  before,
  limit,
}: {
  database: Database
  siteId: string
  /** Only threads that were last written to before this time. */
  before: number | null
  limit: number
}): Promise<ThreadSummary[]> {
  const rows = await database
    .tables<AssistantTables>()
    .selectFrom('assistant_threads as thread')
    .select((select) => [
      'thread.id',
      'thread.fp',
      'thread.created_at',
      'thread.updated_at',
      select
        .selectFrom('assistant_messages as message')
        .whereRef('message.thread_id', '=', 'thread.id')
        .select(({ fn }) => fn.countAll().as('count'))
        .as('messageCount'),
      select
        .selectFrom('assistant_messages as message')
        .whereRef('message.thread_id', '=', 'thread.id')
        .where('message.position', '=', 0)
        .select('message.content')
        .as('question'),
    ])
    .where('thread.site_id', '=', siteId)
    .$if(before !== null, (query) => query.where('thread.updated_at', '<', before!))
    .orderBy('thread.updated_at', 'desc')
    .orderBy('thread.id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    threadId: row.id,
    fp: row.fp,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    messageCount: Number(row.messageCount ?? 0),
    question: row.question ?? '',
  }))
}

/** One thread of the site with all that is known of its messages. */
export async function readWholeThread({
  database,
  siteId,
  threadId,
}: {
  database: Database
  siteId: string
  threadId: string
}): Promise<Thread | null> {
  const tables = database.tables<AssistantTables>()
  const thread = await tables
    .selectFrom('assistant_threads')
    .selectAll()
    .where('id', '=', threadId)
    .where('site_id', '=', siteId)
    .executeTakeFirst()
  if (!thread) return null
  const rows = await tables
    .selectFrom('assistant_messages')
    .selectAll()
    .where('thread_id', '=', threadId)
    .orderBy('position')
    .execute()
  return {
    threadId: thread.id,
    fp: thread.fp,
    createdAt: isoTime(thread.created_at),
    updatedAt: isoTime(thread.updated_at),
    messages: rows.map((row) => ({
      id: row.id,
      role: row.role,
      content: row.content,
      createdAt: isoTime(row.created_at),
      status: row.status,
      outcome: row.outcome,
      sources: JSON.parse(row.sources),
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      firstByteMs: row.first_byte_ms,
      durationMs: row.duration_ms,
      model: row.model,
      apiVersion: row.api_version,
      currentPath: row.current_path,
      feedback: row.feedback === null ? null : JSON.parse(row.feedback),
    })),
  }
}

/** Writes a reader's verdict on an answer; false where the site and the fingerprint know no such answer. */
export async function storeFeedback({
  database,
  siteId,
  feedback,
}: {
  database: Database
  siteId: string
  feedback: Feedback
}): Promise<boolean> {
  const tables = database.tables<AssistantTables>()
  const answer = await tables
    .selectFrom('assistant_messages as message')
    .innerJoin('assistant_threads as thread', 'thread.id', 'message.thread_id')
    .select('message.id')
    .where('thread.id', '=', feedback.threadId)
    .where('thread.site_id', '=', siteId)
    .where('thread.fp', '=', feedback.fp)
    .where('message.role', '=', 'assistant')
    .$if(feedback.messageId !== undefined, (query) => query.where('message.id', '=', feedback.messageId!))
    .orderBy('message.position', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!answer) return false
  await tables
    .updateTable('assistant_messages')
    .set({
      feedback: JSON.stringify({
        helpful: feedback.helpful,
        comment: feedback.comment?.replaceAll('\0', '') ?? null,
      }),
    })
    .where('id', '=', answer.id)
    .execute()
  return true
}

/** Erases all that a reader with this fingerprint has said on this site, and says how many threads it was. */
export async function eraseThreads({
  database,
  siteId,
  fp,
}: {
  database: Database
  siteId: string
  fp: string
}): Promise<number> {
  return deleteThreads(database, (threads) => threads.where('site_id', '=', siteId).where('fp', '=', fp))
}

/** Forgets threads that nobody has written to since `olderThan`. */
export async function forgetOldThreads({
  database,
  olderThan,
}: {
  database: Database
  olderThan: number
}): Promise<number> {
  return deleteThreads(database, (threads) => threads.where('updated_at', '<', olderThan))
}

type ThreadQuery = ReturnType<typeof selectThreadIds>

const selectThreadIds = (database: Database) =>
  database.tables<AssistantTables>().selectFrom('assistant_threads').select('id')

async function deleteThreads(
  database: Database,
  narrow: (query: ThreadQuery) => ThreadQuery,
): Promise<number> {
  return database.transaction(async (inside) => {
    const tables = inside.tables<AssistantTables>()
    const threads = narrow(selectThreadIds(inside))
    await tables.deleteFrom('assistant_messages').where('thread_id', 'in', threads).execute()
    const result = await tables.deleteFrom('assistant_threads').where('id', 'in', threads).executeTakeFirst()
    return Number(result.numDeletedRows)
  })
}

const isoTime = (time: number) => new Date(time).toISOString()
