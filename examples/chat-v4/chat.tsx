import { useChat } from '@ai-sdk/react'
import { createRoot } from 'react-dom/client'

// Where Quire runs, which site is asked, and its assistant key (public: it may stand in a page).
const settings = new URLSearchParams(location.search)
const server = settings.get('server') ?? 'http://127.0.0.1:4000'
const domain = settings.get('domain') ?? 'docs'
const key = settings.get('key') ?? ''

function Chat() {
  const { messages, input, handleInputChange, handleSubmit, status, error, data } = useChat({
    api: `${server}/discovery/v1/assistant/${domain}/message`,
    headers: { Authorization: `Bearer ${key}` },
    streamProtocol: 'data',
    sendExtraMessageFields: true,
    body: { fp: 'anonymous', retrievalPageSize: 5 },
  })
  const finish = (data as { type: string; threadId: string }[] | undefined)?.findLast(
    (event) => event.type === 'finish',
  )
  return (
    <>
      {messages.map((message) => (
        <article key={message.id} data-role={message.role}>
          <pre>{message.content}</pre>
          <ol>
            {message.parts.map(
              (part) =>
                part.type === 'source' && (
                  <li key={part.source.id}>
                    <a href={part.source.url}>{part.source.title}</a>
                  </li>
                ),
            )}
          </ol>
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={(event) => handleSubmit(event, { body: { threadId: finish?.threadId } })}>
        <input value={input} onChange={handleInputChange} placeholder="Ask the docs…" aria-label="Question" />
        <button type="submit" disabled={status === 'submitted' || status === 'streaming'}>
          Ask
        </button>
      </form>
      <footer data-status={status} data-thread={finish?.threadId ?? ''}>
        {finish ? `Thread ${finish.threadId}` : 'A new thread'}
      </footer>
    </>
  )
}

createRoot(document.getElementById('chat')!).render(<Chat />)
