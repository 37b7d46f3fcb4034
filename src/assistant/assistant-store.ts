import type { Database, Migration } from '../backends/index.ts'
import type { AnswerOutcome, Source, Usage } from './answer-event.ts'
import type { Turn } from './read-request.ts'

/** Read by threads-store too; nobody else knows these tables. */
export type AssistantTables = {
  assistant_threads: {
    id: string
    site_id: string
    fp: string
    created_at: number
    updated_at: number
  }
  assistant_messages: {
    id: string
    thread_id: string
    position: number
    role: 'user' | 'assistant'
    content: string
    status: MessageStatus
    outcome: AnswerOutcome | null
    sources: string
    input_tokens: number
    output_tokens: number
    first_byte_ms: number | null
    duration_ms: number | null
    model: string | null
    api_version: number
    current_path: string | null
    feedback: string | null
    /** Names the chat of a v2 client to whoever may resume it; of answers alone. */
    chat: string | null
    created_at: number
  }
  assistant_tokens: { organization_id: string; day: number; tokens: number }
}

/** `left`: the reader went before the end. `failed`: the model did. */
export type MessageStatus = 'complete' | 'left' | 'failed'

export const assistantMigrations: Migration[] = [
  {
    name: '400-assistant-threads',
    up: async (database) => {
      const { schema } = database.tables<AssistantTables>()
      await schema
        .createTable('assistant_threads')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('site_id', 'text', (column) => column.notNull())
        .addColumn('fp', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .execute()
      await schema
        .createIndex('assistant_threads_by_site')
        .on('assistant_threads')
        .columns(['site_id', 'updated_at'])
        .execute()
      await schema
        .createTable('assistant_messages')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('thread_id', 'text', (column) =>
          column.notNull().references('assistant_threads.id').onDelete('cascade'),
        )
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('role', 'text', (column) => column.notNull())
        .addColumn('content', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('outcome', 'text')
        .addColumn('sources', 'text', (column) => column.notNull())
        .addColumn('input_tokens', 'integer', (column) => column.notNull())
        .addColumn('output_tokens', 'integer', (column) => column.notNull())
        .addColumn('first_byte_ms', 'integer')
        .addColumn('duration_ms', 'integer')
        .addColumn('model', 'text')
        .addColumn('api_version', 'integer', (column) => column.notNull())
        .addColumn('current_path', 'text')
        .addColumn('feedback', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute()
      await schema
        .createIndex('assistant_messages_by_thread')
        .on('assistant_messages')
        .columns(['thread_id', 'position'])
        .execute()
      await schema
        .createTable('assistant_tokens')
        .addColumn('organization_id', 'text', (column) => column.notNull())
        .addColumn('day', 'integer', (column) => column.notNull())
        .addColumn('tokens', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('assistant_tokens_key', ['organization_id', 'day'])
        .execute()
    },
  },
  {
    name: '410-assistant-chats',
    up: async (database) => {
      const { schema } = database.tables<AssistantTables>()
      await schema.alterTable('assistant_messages').addColumn('chat', 'text').execute()
      await schema
        .createIndex('assistant_messages_by_chat')
        .on('assistant_messages')
        .columns(['chat', 'created_at'])
        .execute()
    },
  },
]

export type StoredThread = { id: string; turns: Turn[] }

/** Only the newest turns: a conversation of days does not fit a prompt anyway. */
const turnsKept = 40

/** The thread of this site and fingerprint with its earlier turns, or null where they know none of that id. */
export async function readThread({
  database,
  threadId,
  siteId,
  fp,
}: {
  database: Database
  threadId: string
  siteId: string
  fp: string
}): Promise<StoredThread | null> {
  const tables = database.tables<AssistantTables>()
  const thread = await tables
    .selectFrom('assistant_threads')
    .select('id')
    .where('id', '=', threadId)
    .where('site_id', '=', siteId)
    .where('fp', '=', fp)
    .executeTakeFirst()
  if (!thread) return null
  const rows = await tables
    .selectFrom('assistant_messages')
    .select(['role', 'content'])
    .where('thread_id', '=', threadId)
    .orderBy('position', 'desc')
    .limit(turnsKept)
    .execute()
  return {
    id: thread.id,
    turns: rows
      .reverse()
      .filter((row) => row.content !== '')
      .map((row) => ({ role: row.role, text: row.content })),
  }
}

export type StoredExchange = {
  siteId: string
  organizationId: string
  fp: string
  threadId: string
  questionId: string
  question: string
  answerId: string
  answer: string
  status: MessageStatus
  outcome: AnswerOutcome | null
  sources: Source[]
  usage: Usage
  /** What reserveTokens set aside for this answer. */
  reservedTokens: number
  firstByteMs: number | null
  durationMs: number
  model: string | null
  apiVersion: 1 | 2
  currentPath: string | null
  /** Of a v2 answer that may be resumed; null for others. */
  chat: string | null
  askedAt: number
  answeredAt: number
}

/** Writes questions and their answers, the threads that are new, and the tokens they cost, all or nothing. */
export async function storeExchanges(database: Database, exchanges: StoredExchange[]): Promise<void> {
  await database.transaction(async (inside) => {
    for (const exchange of exchanges) await writeExchange(inside, exchange)
  })
}

async function writeExchange(inside: Database, exchange: StoredExchange): Promise<void> {
  const tables = inside.tables<AssistantTables>()
  await tables
    .insertInto('assistant_threads')
    .values({
      id: exchange.threadId,
      site_id: exchange.siteId,
      fp: exchange.fp,
      created_at: exchange.askedAt,
      updated_at: exchange.answeredAt,
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ updated_at: exchange.answeredAt }))
    .execute()
  const { last } = await tables
    .selectFrom('assistant_messages')
    .select(({ fn }) => fn.max('position').as('last'))
    .where('thread_id', '=', exchange.threadId)
    .executeTakeFirstOrThrow()
  const position = last === null ? 0 : Number(last) + 1
  const common = {
    thread_id: exchange.threadId,
    api_version: exchange.apiVersion,
    current_path: exchange.currentPath,
    feedback: null,
  }
  const question = {
    id: exchange.questionId,
    position,
    role: 'user' as const,
    content: storable(exchange.question),
    status: 'complete' as const,
    outcome: null,
    sources: '[]',
    input_tokens: 0,
    output_tokens: 0,
    first_byte_ms: null,
    duration_ms: null,
    model: null,
    chat: null,
    created_at: exchange.askedAt,
    ...common,
  }
  const answer = {
    id: exchange.answerId,
    position: position + 1,
    role: 'assistant' as const,
    content: storable(exchange.answer),
    status: exchange.status,
    outcome: exchange.outcome,
    sources: storable(JSON.stringify(exchange.sources)),
    input_tokens: exchange.usage.inputTokens,
    output_tokens: exchange.usage.outputTokens,
    first_byte_ms: exchange.firstByteMs,
    duration_ms: exchange.durationMs,
    model: exchange.model,
    chat: exchange.chat,
    created_at: exchange.answeredAt,
    ...common,
  }
  await tables.insertInto('assistant_messages').values([question, answer]).execute()
  await addTokens(inside, exchange)
}

/** PostgreSQL refuses NUL in text, and both refuse half a surrogate pair. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed()

/** Puts the answer's true cost in the place of what was set aside for it. */
async function addTokens(database: Database, exchange: StoredExchange): Promise<void> {
  const tokens = exchange.usage.inputTokens + exchange.usage.outputTokens - exchange.reservedTokens
  if (tokens === 0) return
  await database
    .tables<AssistantTables>()
    .insertInto('assistant_tokens')
    .values({ organization_id: exchange.organizationId, day: dayOf(exchange.askedAt), tokens })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'day'])
        .doUpdateSet((set) => ({ tokens: set('assistant_tokens.tokens', '+', tokens) })),
    )
    .execute()
}

/** Sets tokens of this day (UTC) aside; false where the limit leaves none. Exact when many ask at once. */
export async function reserveTokens({
  database,
  organizationId,
  now,
  tokens,
  limit,
}: {
  database: Database
  organizationId: string
  now: number
  tokens: number
  limit: number
}): Promise<boolean> {
  if (limit <= 0) return false
  const row = await database
    .tables<AssistantTables>()
    .insertInto('assistant_tokens')
    .values({ organization_id: organizationId, day: dayOf(now), tokens })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'day'])
        .doUpdateSet((set) => ({ tokens: set('assistant_tokens.tokens', '+', tokens) }))
        .where('assistant_tokens.tokens', '<', limit),
    )
    .returning('tokens')
    .executeTakeFirst()
  return row !== undefined
}

const dayOf = (time: number) => Math.floor(time / 86_400_000)
