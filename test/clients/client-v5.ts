/** A chat of a real AI SDK 5, 6 or 7 client, of whichever release. */
export type ChatV5 = {
  readonly status: string
  readonly error: Error | undefined
  readonly messages: MessageV5[]
  sendMessage(message: { text: string }, options?: { body?: Record<string, unknown> }): Promise<void>
  regenerate(): Promise<void>
  resumeStream(): Promise<void>
  stop(): Promise<void>
}

export type MessageV5 = {
  id: string
  role: string
  metadata?: { threadId?: string }
  parts: ({ type: string } & Record<string, unknown>)[]
}

/** Opens a chat over `AbstractChat` and `DefaultChatTransport`, which useChat of every framework is built on. */
export async function openChatV5({
  packageName,
  api,
  key,
  id,
  messages = [],
  fetch: ownFetch = fetch,
}: {
  packageName: string
  api: string
  key: string
  id?: string
  messages?: MessageV5[]
  fetch?: typeof fetch
}): Promise<ChatV5> {
  const { AbstractChat, DefaultChatTransport } = await import(packageName)
  const state = {
    status: 'ready',
    error: undefined,
    messages,
    pushMessage(message: MessageV5) {
      state.messages = [...state.messages, message]
    },
    popMessage() {
      state.messages = state.messages.slice(0, -1)
    },
    replaceMessage(index: number, message: MessageV5) {
      state.messages = state.messages.with(index, structuredClone(message))
    },
    snapshot: <Value>(thing: Value): Value => structuredClone(thing),
  }
  class Chat extends AbstractChat {}
  return new Chat({
    ...(id ? { id } : {}),
    state,
    onError: () => {}, // The chat's own `error` and `status` are looked at.
    transport: new DefaultChatTransport({
      api,
      headers: { Authorization: `Bearer ${key}` },
      body: { fp: 'anonymous', retrievalPageSize: 5 },
      fetch: ownFetch,
    }),
  })
}

export const textOfV5 = (message: MessageV5 | undefined): string =>
  (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')

export const sourcesOfV5 = (message: MessageV5 | undefined): unknown[] =>
  (message?.parts ?? []).flatMap((part) => (part.type === 'source-url' ? [part.url] : []))
