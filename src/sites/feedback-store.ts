import type { Database, Migration } from '../backends/index.ts'

export type FeedbackValue = 'up' | 'down'

/** What readers of a page said, counted by day; nothing is kept of who said it. */
export type PageFeedback = { path: string; up: number; down: number }

type FeedbackTables = {
  page_feedback: { site_id: string; path: string; day: number; value: string; count: number }
}

export const feedbackMigrations: Migration[] = [
  {
    name: 'sites-002-page-feedback',
    up: async (database) => {
      await database
        .tables<FeedbackTables>()
        .schema.createTable('page_feedback')
        .addColumn('site_id', 'text', (column) => column.notNull())
        .addColumn('path', 'text', (column) => column.notNull())
        .addColumn('day', 'integer', (column) => column.notNull())
        .addColumn('value', 'text', (column) => column.notNull())
        .addColumn('count', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('page_feedback_key', ['site_id', 'path', 'day', 'value'])
        .execute()
    },
  },
]

const dayMs = 86_400_000

export async function recordFeedback(
  database: Database,
  said: { siteId: string; path: string; value: FeedbackValue; now: number },
): Promise<void> {
  await database
    .tables<FeedbackTables>()
    .insertInto('page_feedback')
    .values({
      site_id: said.siteId,
      path: said.path,
      day: Math.floor(said.now / dayMs),
      value: said.value,
      count: 1,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'path', 'day', 'value'])
        .doUpdateSet((update) => ({ count: update('page_feedback.count', '+', 1) })),
    )
    .execute()
}

/** Pages with what was said of them since a moment, the most spoken of first. */
export async function readFeedback(
  database: Database,
  siteId: string,
  since: number,
): Promise<PageFeedback[]> {
  const rows = await database
    .tables<FeedbackTables>()
    .selectFrom('page_feedback')
    .select(['path', 'value', (select) => select.fn.sum<number>('count').as('count')])
    .where('site_id', '=', siteId)
    .where('day', '>=', Math.floor(since / dayMs))
    .groupBy(['path', 'value'])
    .execute()
  const pages = new Map<string, PageFeedback>()
  for (const { path, value, count } of rows) {
    const page = pages.get(path) ?? { path, up: 0, down: 0 }
    pages.set(path, { ...page, [value]: Number(count) })
  }
  return [...pages.values()].sort((one, other) => other.up + other.down - one.up - one.down)
}
