/** One turn of a real AI SDK 4 client, of whichever release. */
export type TurnV4 = {
  message: {
    id: string
    role: string
    content: string
    parts: Record<string, unknown>[]
    annotations?: unknown[]
  }
  data: unknown[]
  finishReason: string
  headers: Headers
}

type Message = Record<string, unknown>

/** Asks through `callChatApi`, the function that useChat of every framework calls. */
export async function askWithV4({
  packageName,
  api,
  key,
  messages,
  body = {},
  fetch: ownFetch = fetch,
  onText,
}: {
  packageName: string
  api: string
  key: string
  messages: Message[]
  body?: Record<string, unknown>
  fetch?: typeof fetch
  /** Told of the answer as it grows. */
  onText?: (text: string) => void
}): Promise<TurnV4> {
  const { callChatApi } = await import(packageName)
  let data: unknown[] = []
  let headers = new Headers()
  const finished = Promise.withResolvers<Omit<TurnV4, 'data' | 'headers'>>()
  await callChatApi({
    api,
    body: { id: 'chat', messages, fp: 'anonymous', retrievalPageSize: 5, ...body },
    streamProtocol: 'data',
    credentials: undefined,
    headers: { Authorization: `Bearer ${key}` },
    abortController: undefined,
    restoreMessagesOnFailure: () => {},
    onResponse: (response: Response) => {
      headers = response.headers
    },
    onUpdate: (update: { data?: unknown[]; message: { content: string } }) => {
      onText?.(update.message.content)
      data = update.data ?? data
    },
    onFinish: (message: TurnV4['message'], options: { finishReason: string }) =>
      finished.resolve({ message, finishReason: options.finishReason }),
    onToolCall: undefined,
    generateId: () => crypto.randomUUID(),
    fetch: ownFetch,
    lastMessage: messages.at(-1),
  })
  return { ...(await finished.promise), data, headers }
}

export const userV4 = (id: string, text: string): Message => ({
  id,
  createdAt: new Date(0).toISOString(),
  role: 'user',
  content: text,
  parts: [{ type: 'text', text }],
})
