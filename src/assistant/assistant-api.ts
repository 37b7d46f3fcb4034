import { z } from 'zod'

/** The shapes of section 2 of the API: what v1 takes, field by field. Clients' leftovers are repaired before, in read-request. */

export const contextItemSchema = z
  .object({
    type: z.enum(['code', 'textSelection']).describe('What the value is.'),
    value: z.string().describe('The code snippet or selected text.'),
    path: z.string().optional().describe('Path of the source file or page.'),
    elementId: z.string().optional().describe('Identifier of the UI element holding the context.'),
  })
  .meta({ id: 'AssistantContext' })

export const searchFilterSchema = z
  .object({
    version: z.string().optional().describe("Only pages of this version of the site's navigation."),
    language: z.string().optional().describe("Only pages of this language of the site's navigation."),
  })
  .meta({ id: 'AssistantFilter' })

const attachmentSchema = z.object({
  name: z.string().optional(),
  contentType: z.string().optional(),
  url: z.string(),
})

const reasoningDetailSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), signature: z.string().optional() }),
  z.object({ type: z.literal('redacted'), data: z.string() }),
])

const toolCallFields = {
  step: z.number().optional(),
  toolCallId: z.string(),
  toolName: z.string(),
  args: z.unknown().nonoptional(),
}

const toolInvocationSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('partial-call'), ...toolCallFields }),
  z.object({ state: z.literal('call'), ...toolCallFields }),
  z.object({ state: z.literal('result'), ...toolCallFields, result: z.unknown().nonoptional() }),
])

const sourceSchema = z.object({
  sourceType: z.literal('url'),
  id: z.string(),
  url: z.string(),
  title: z.string().optional(),
})

export const partV1Schema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({
      type: z.literal('reasoning'),
      reasoning: z.string(),
      details: z.array(reasoningDetailSchema),
    }),
    z.object({ type: z.literal('step-start') }),
    z.object({ type: z.literal('source'), source: sourceSchema }),
    z.object({ type: z.literal('tool-invocation'), toolInvocation: toolInvocationSchema }),
  ])
  .meta({ id: 'MessagePart' })

export const messageV1Schema = z
  .object({
    id: z.string().describe('Unique message identifier.'),
    role: z.enum(['system', 'assistant', 'data', 'user']).describe('Who speaks.'),
    createdAt: z.iso.datetime({ offset: true }).optional().describe('Creation timestamp.'),
    content: z.string().describe('Message content.'),
    annotations: z.array(z.unknown()).optional().describe('Annotations attached to the message.'),
    parts: z.array(partV1Schema).describe('Typed parts of the message.'),
    experimental_attachments: z.array(attachmentSchema).optional().describe('Attachments.'),
  })
  .meta({ id: 'Message' })

const threadId = z
  .string()
  .nullable()
  .default(null)
  .describe(
    'Keeps continuity across several messages; when sent, later messages are associated with the same thread. Returned in the response on the finish event.',
  )

const retrievalPageSize = z
  .number()
  .default(5)
  .describe(
    'Number of search results used to generate the answer. Higher values give more context and may slow the response. Recommended value 5. Taken as a whole number from 1 to 20.',
  )

const filter = searchFilterSchema
  .nullable()
  .default(null)
  .describe('Search filter. An unknown value gives no results.')

const context = z
  .array(contextItemSchema)
  .optional()
  .describe('Contextual information given to the assistant.')

const currentPath = z
  .string()
  .max(200)
  .optional()
  .describe(
    'Path of the page the user is viewing; when present the assistant uses it for more relevant answers.',
  )

export const requestV1Schema = z
  .object({
    fp: z
      .string()
      .describe(
        'Fingerprint identifier used to track conversation sessions: `anonymous`, or a unique user identifier.',
      ),
    messages: z.array(messageV1Schema).min(1).describe('The conversation.'),
    threadId,
    retrievalPageSize,
    filter,
    context,
    currentPath,
  })
  .meta({ id: 'AssistantRequest' })

export type RequestV1 = z.infer<typeof requestV1Schema>

/** A message of AI SDK 5, 6 and 7. Only text is read from its parts; all others are accepted as they come. */
export const messageV2Schema = z
  .object({
    id: z.string().optional().describe('Unique message identifier.'),
    role: z.enum(['system', 'user', 'assistant']).describe('Who speaks.'),
    metadata: z
      .unknown()
      .optional()
      .describe('What the server said about the message, such as its threadId.'),
    parts: z
      .array(z.looseObject({ type: z.string(), text: z.string().optional() }))
      .describe('Typed parts of the message.'),
  })
  .meta({ id: 'UIMessage' })

export const requestV2Schema = z
  .object({
    id: z.string().optional().describe("The client's name of the chat, by which a stream can be resumed."),
    messages: z.array(messageV2Schema).min(1).describe('The conversation.'),
    trigger: z
      .enum(['submit-message', 'regenerate-message'])
      .optional()
      .describe('Whether the newest question is new or asked again.'),
    messageId: z.string().nullish().describe('The message that is edited or made again.'),
    fp: z
      .string()
      .default('anonymous')
      .describe(
        'Fingerprint identifier used to track conversation sessions: `anonymous`, or a unique user identifier.',
      ),
    threadId,
    retrievalPageSize,
    filter,
    context,
    currentPath,
  })
  .meta({ id: 'AssistantRequestV2' })

export type RequestV2 = z.infer<typeof requestV2Schema>
export type ContextItem = z.infer<typeof contextItemSchema>

export const assistantInfoSchema = z
  .object({
    starterQuestions: z.array(z.string()).describe('Questions to offer before the first one is asked.'),
    supportUrl: z
      .string()
      .nullable()
      .describe('Where readers find help; null where the site names no place.'),
  })
  .meta({ id: 'AssistantInfo' })

export type AssistantInfo = z.infer<typeof assistantInfoSchema>
