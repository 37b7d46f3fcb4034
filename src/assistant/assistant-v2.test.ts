import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { ModelError } from '../backends/index.ts'
import { scriptedModel } from '../backends/testing.ts'
import { askV1, askV2, readV1, readV2, startTestAssistant, textV1, textV2 } from './testing.ts'

const known = new Set([
  'start',
  'start-step',
  'text-start',
  'text-delta',
  'text-end',
  'tool-input-available',
  'tool-output-available',
  'source-url',
  'finish-step',
  'finish',
  'error',
])

test('speaks only what 5.0.0 already understood', async (context) => {
  const model = scriptedModel([{ toolName: 'search', input: { query: 'glaze' } }], ['Ten minutes [1].'])
  const assistant = await startTestAssistant(context, { model })
  const response = await assistant.post(2, askV2('How long does a glaze firing hold?'))
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  assert.equal(response.headers.get('x-vercel-ai-ui-message-stream'), 'v1')
  const threadId = response.headers.get('x-thread-id')
  const body = await response.text()
  assert.ok(body.endsWith('data: [DONE]\n\n'))
  const chunks = readV2(body)
  for (const chunk of chunks) assert.ok(known.has(String(chunk.type)), String(chunk.type))
  assert.deepEqual(Object.keys(chunks[0]!).sort(), ['messageId', 'messageMetadata', 'type'])
  assert.deepEqual(chunks[0]!.messageMetadata, { threadId })
  assert.deepEqual(chunks.at(-1), { type: 'finish', messageMetadata: { threadId } })
})

test('says the same as v1 to the same question', async (context) => {
  const model = scriptedModel(['The hold takes **ten minutes** [1], ', 'as [2] says.'])
  const assistant = await startTestAssistant(context, { model })
  for (const question of ['How long does a glaze firing hold?', 'ERR_4012', 'install from source', '']) {
    const one = await (await assistant.post(1, askV1(question))).text()
    const two = await (await assistant.post(2, askV2(question))).text()
    assert.equal(textV1(one), textV2(two))
    assert.deepEqual(
      readV1(one).flatMap((line) => (line.code === 'h' ? [(line.value as { url: string }).url] : [])),
      readV2(two).flatMap((chunk) => (chunk.type === 'source-url' ? [chunk.url] : [])),
    )
  }
})

test('needs no fingerprint and finds the thread in the metadata that clients send back', async (context) => {
  const model = scriptedModel(['Yes [1].'])
  const assistant = await startTestAssistant(context, { model })
  const user = (text: string) => ({ id: text, role: 'user', parts: [{ type: 'text', text }] })
  const first = await assistant.post(2, { messages: [user('What is a glaze firing?')] })
  await first.text()
  const threadId = first.headers.get('x-thread-id')
  const second = await assistant.post(2, {
    messages: [
      user('What is a glaze firing?'),
      {
        id: 'a',
        role: 'assistant',
        metadata: { threadId },
        parts: [
          { type: 'step-start' },
          { type: 'tool-search', toolCallId: 'c', state: 'input-streaming' },
          { type: 'data-anything', data: { a: 1 } },
          { type: 'source-url', sourceId: 's', url: 'https://kiln.example' },
          { type: 'text', text: 'Yes.', state: 'done' },
        ],
      },
      user('and how long?'),
    ],
  })
  await second.text()
  assert.equal(second.headers.get('x-thread-id'), threadId)
})

test('leaves out the stored answer that is made again', async (context) => {
  const model = scriptedModel(['First try [1].'], ['Second try [1].'])
  const assistant = await startTestAssistant(context, { model })
  const first = await assistant.post(2, askV2('What is a glaze firing?'))
  await first.text()
  const threadId = first.headers.get('x-thread-id')
  await (
    await assistant.post(2, askV2('What is a glaze firing?', { threadId, trigger: 'regenerate-message' }))
  ).text()
  assert.doesNotMatch(JSON.stringify(model.requests[1]!.messages), /First try/)
})

test('writes an error chunk and ends when the model fails on its way', async (context) => {
  const model = scriptedModel(['Half ', { fail: new ModelError('failed', 'secret') }])
  const assistant = await startTestAssistant(context, { model })
  const body = await (await assistant.post(2, askV2('What is a glaze firing?'))).text()
  assert.ok(
    body.endsWith(
      'data: {"type":"text-end","id":"text-1"}\n\ndata: {"type":"error","errorText":"The assistant could not finish this answer. Please ask again."}\n\ndata: [DONE]\n\n',
    ),
  )
})

test('has nothing to resume for a chat it does not know or whose name can be guessed', async (context) => {
  const assistant = await startTestAssistant(context)
  await (await assistant.post(2, askV2('What is Kiln?', { id: 'chat-1' }))).text()
  for (const chatId of ['chat-1', 'nobody-knows-this-chat']) {
    const response = await resume(assistant, chatId)
    assert.equal(response.status, 204)
  }
})

test('replays an ended answer to who began it, byte by byte', async (context) => {
  const assistant = await startTestAssistant(context)
  const body = await (await assistant.post(2, askV2('How do I install Kiln?'))).text()
  const again = await resume(assistant, askV2('').id)
  assert.equal(again.status, 200)
  assert.equal(await again.text(), body)
  const other = await resume(assistant, askV2('').id, { 'user-agent': 'someone else' })
  assert.equal(other.status, 204)
  const keyless = await fetch(`${assistant.v2}/${askV2('').id}/stream`)
  assert.equal(keyless.status, 401)
})

test('replays an ended answer on a node that did not write it, for five minutes', async (context) => {
  let now = 1_800_000_000_000
  const clock = () => now
  const model = scriptedModel(['Install it with npm [1]. ', 'Then fire.'])
  const writer = await startTestAssistant(context, { model, clock })
  const other = await startTestAssistant(context, { clock, database: writer.database })
  const response = await writer.post(2, askV2('How do I install Kiln?'))
  const body = await response.text()
  const again = await resume(other, askV2('').id)
  assert.equal(again.status, 200)
  assert.equal(again.headers.get('x-thread-id'), response.headers.get('x-thread-id'))
  const replayed = await again.text()
  const sources = (text: string) => readV2(text).filter((chunk) => chunk.type === 'source-url')
  assert.equal(textV2(replayed), textV2(body))
  assert.deepEqual(sources(replayed), sources(body))
  assert.ok(replayed.endsWith('data: [DONE]\n\n'))
  assert.equal((await resume(other, askV2('').id, { 'user-agent': 'someone else' })).status, 204)
  now += 5 * 60_000 + 1
  assert.equal((await resume(other, askV2('').id)).status, 204)
})

test('answers 204 on a node that did not write a stream which is still running or was broken off', async (context) => {
  const model = scriptedModel(['Half of it, ', { wait: new Promise(() => {}) }])
  const writer = await startTestAssistant(context, { model, settings: { abandonAfterMs: 20 } })
  const other = await startTestAssistant(context, { database: writer.database })
  const leaving = new AbortController()
  const response = await writer.post(2, askV2('What is Kiln?'), { signal: leaving.signal })
  await response.body!.getReader().read()
  assert.equal((await resume(other, askV2('').id)).status, 204)
  const aborted = once(model.requests[0]!.signal, 'abort')
  leaving.abort()
  await aborted
  assert.equal((await resume(other, askV2('').id)).status, 204)
  assert.equal((await resume(writer, askV2('').id)).status, 204)
})

test('goes on when a reader that was cut off comes back in time', async (context) => {
  let release = () => {}
  const wait = new Promise<void>((resolve) => {
    release = resolve
  })
  const model = scriptedModel(['Half of it, ', { wait }, 'and the rest.'])
  const assistant = await startTestAssistant(context, { model, settings: { abandonAfterMs: 60_000 } })
  const leaving = new AbortController()
  const response = await assistant.post(2, askV2('What is Kiln?'), { signal: leaving.signal })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  while (!seen.includes(' it')) seen += (await reader.read()).value ?? ''
  leaving.abort()
  const again = await resume(assistant, askV2('').id)
  release()
  assert.equal(textV2(await again.text()), 'Half of it, and the rest.')
  assert.equal(model.requests[0]!.signal.aborted, false)
})

test('aborts the model when no reader comes back', async (context) => {
  const model = scriptedModel(['Half of it, ', { wait: new Promise(() => {}) }])
  const assistant = await startTestAssistant(context, { model, settings: { abandonAfterMs: 20 } })
  const leaving = new AbortController()
  const response = await assistant.post(2, askV2('What is Kiln?'), { signal: leaving.signal })
  const reader = response.body!.getReader()
  await reader.read()
  const aborted = once(model.requests[0]!.signal, 'abort')
  leaving.abort()
  await aborted
})

test('refuses what no client could send', async (context) => {
  const assistant = await startTestAssistant(context)
  for (const body of [
    {},
    { messages: [] },
    { messages: [{ role: 'user' }] },
    { messages: [{ role: 'user', parts: 'hello' }] },
    { messages: [{ role: 'tool', parts: [] }] },
    { messages: [{ role: 'user', parts: [{ text: 'no type' }] }] },
    askV2('x', { trigger: 'explode' }),
  ]) {
    const response = await assistant.post(2, body)
    assert.equal(response.status, 400)
    assert.equal(response.headers.get('deprecation'), null)
  }
})

const resume = (
  assistant: Awaited<ReturnType<typeof startTestAssistant>>,
  chatId: string,
  headers: Record<string, string> = {},
) =>
  fetch(`${assistant.v2}/${chatId}/stream`, {
    headers: { authorization: `Bearer ${assistant.key}`, ...headers },
  })
