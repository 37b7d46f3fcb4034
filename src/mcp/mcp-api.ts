import { z } from 'zod'

/** Revisions with the `initialize` handshake, the newest first. */
export const handshakeVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

/** Revisions in which each request says by itself which revision it speaks. */
export const statelessVersions = ['2026-07-28']

export const requestIdSchema = z.union([z.string().max(200), z.number()])

/** A request where it has an id, a notification where it has none. */
export const messageSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: requestIdSchema.optional(),
  method: z.string().max(200),
  params: z.looseObject({ _meta: z.looseObject({}).optional() }).optional(),
})

export type McpMessage = z.infer<typeof messageSchema>
export type RequestId = z.infer<typeof requestIdSchema>

export type JsonRpcError = { code: number; message: string; data?: Record<string, unknown> }

export type JsonRpcResponse =
  | { jsonrpc: '2.0'; id: RequestId; result: Record<string, unknown> }
  | { jsonrpc: '2.0'; id: RequestId | null; error: JsonRpcError }

/** What a tool found, as text for a model and as data for a program. */
export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

export const searchArgumentsSchema = z.strictObject({
  query: z.string().trim().min(1).max(2000),
  limit: z.int().min(1).max(20).default(5),
  version: z.string().max(200).optional(),
  language: z.string().max(200).optional(),
})

export const readPageArgumentsSchema = z.strictObject({
  path: z.string().min(1).max(1000),
  offset: z.int().min(0).default(0),
})
