import { z } from 'zod'

export const threadSummarySchema = z
  .object({
    threadId: z.string(),
    fp: z.string().describe('The fingerprint that the reader came with.'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    messageCount: z.number().int(),
    question: z.string().describe('The first question of the thread.'),
  })
  .meta({ id: 'ThreadSummary' })

export const threadMessageSchema = z
  .object({
    id: z.string(),
    role: z.enum(['user', 'assistant']),
    content: z.string(),
    createdAt: z.iso.datetime(),
    status: z
      .enum(['complete', 'left', 'failed'])
      .describe('Whether the answer is whole, or its reader left or the model failed before its end.'),
    outcome: z
      .enum(['answered', 'not-covered', 'no-question'])
      .nullable()
      .describe('Whether the documentation answered the question; null for questions and broken answers.'),
    sources: z.array(z.object({ url: z.string(), title: z.string() })),
    inputTokens: z.number().int(),
    outputTokens: z.number().int(),
    firstByteMs: z.number().int().nullable(),
    durationMs: z.number().int().nullable(),
    model: z.string().nullable(),
    apiVersion: z.number().int().describe('1 or 2: the endpoint that was asked.'),
    currentPath: z.string().nullable(),
    feedback: z.object({ helpful: z.boolean(), comment: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'ThreadMessage' })

export const threadSchema = z
  .object({
    threadId: z.string(),
    fp: z.string(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    messages: z.array(threadMessageSchema),
  })
  .meta({ id: 'Thread' })

export const feedbackSchema = z
  .object({
    threadId: z.string(),
    fp: z.string().default('anonymous').describe('The fingerprint that the thread began with.'),
    messageId: z.string().optional().describe('Which answer; the newest of the thread by default.'),
    helpful: z.boolean(),
    comment: z.string().max(2000).nullish(),
  })
  .meta({ id: 'AssistantFeedback' })

export type Thread = z.infer<typeof threadSchema>
export type ThreadSummary = z.infer<typeof threadSummarySchema>
export type Feedback = z.infer<typeof feedbackSchema>
