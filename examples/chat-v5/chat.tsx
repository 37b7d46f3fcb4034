import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, type UIMessage } from 'ai'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

// Where Quire runs, which site is asked, and its assistant key (public: it may stand in a page).
const settings = new URLSearchParams(location.search)
const server = settings.get('server') ?? 'http://127.0.0.1:4000'
const domain = settings.get('domain') ?? 'docs'
const key = settings.get('key') ?? ''

const transport = new DefaultChatTransport<UIMessage<{ threadId: string }>>({
  api: `${server}/discovery/v2/assistant/${domain}/message`,
  headers: { Authorization: `Bearer ${key}` },
  body: { fp: 'anonymous', retrievalPageSize: 5 },
})

function Chat() {
  const [input, setInput] = useState('')
  const { messages, sendMessage, status, error } = useChat({ transport })
  const threadId = messages.findLast((message) => message.metadata?.threadId)?.metadata?.threadId
  return (
    <>
      {messages.map((message) => (
        <article key={message.id} data-role={message.role}>
          <pre>{message.parts.map((part) => (part.type === 'text' ? part.text : ''))}</pre>
          <ol>
            {message.parts.map(
              (part) =>
                part.type === 'source-url' && (
                  <li key={part.sourceId}>
                    <a href={part.url}>{part.title}</a>
                  </li>
                ),
            )}
          </ol>
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void sendMessage({ text: input }, { body: { threadId } })
          setInput('')
        }}
      >
        <input
          value={input}
          onChange={(event) => setInput(event.target.value)}
          placeholder="Ask the docs…"
          aria-label="Question"
        />
        <button type="submit" disabled={status === 'submitted' || status === 'streaming'}>
          Ask
        </button>
      </form>
      <footer data-status={status} data-thread={threadId ?? ''}>
        {threadId ? `Thread ${threadId}` : 'A new thread'}
      </footer>
    </>
  )
}

createRoot(document.getElementById('chat')!).render(<Chat />)
