import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedModel } from '../../src/backends/testing.ts'
import { startTestAssistant } from '../../src/assistant/testing.ts'
import { clientsMissing, openBrowser, serveExample } from './browser.ts'
import { askWithV4, userV4 } from './client-v4.ts'

const skip = clientsMissing

test('the client of ai 4.3.19 asks, reads sources and thread, and goes on', { skip }, async (context) => {
  const model = scriptedModel(['Install it with ', '`npm install` [1].'])
  const assistant = await startTestAssistant(context, { model })
  const ask = { packageName: '@ai-sdk/ui-utils', api: assistant.v1, key: assistant.key }
  const question = userV4('u1', 'How do I install Kiln with npm?')
  const first = await askWithV4({ ...ask, messages: [question] })
  assert.equal(
    first.message.content,
    'Install it with `npm install` [1](https://kiln.example/guide/install#with-npm).',
  )
  assert.equal(first.finishReason, 'stop')
  const sources = first.message.parts.filter((part) => part.type === 'source')
  assert.equal(
    (sources[0] as { source: { url: string } }).source.url,
    'https://kiln.example/guide/install#with-npm',
  )
  const { threadId } = first.data.findLast(
    (event): event is { type: string; threadId: string } => (event as { type: string }).type === 'finish',
  )!
  assert.equal(threadId, first.headers.get('x-thread-id'))
  assert.deepEqual(first.message.annotations, [{ type: 'finish', threadId }])

  const second = await askWithV4({
    ...ask,
    messages: [question, first.message, userV4('u2', 'and from source?')],
    body: { threadId },
  })
  assert.equal(second.headers.get('x-thread-id'), threadId)
  const unaware = await askWithV4({
    ...ask,
    messages: [question, first.message, userV4('u3', 'and then?')],
  })
  assert.equal(unaware.headers.get('x-thread-id'), threadId)
})

test('the client shows an error of the server as its text', { skip }, async (context) => {
  const assistant = await startTestAssistant(context)
  await assert.rejects(
    askWithV4({
      packageName: '@ai-sdk/ui-utils',
      api: assistant.v1,
      key: 'wrong',
      messages: [userV4('u1', 'hello')],
    }),
    (error: Error) => JSON.parse(error.message).code === 'invalid_key',
  )
})

test('a page of another origin chats through useChat of @ai-sdk/react 1.2.12', { skip }, async (context) => {
  const assistant = await startTestAssistant(context)
  const origin = await serveExample(context, 'chat-v4', {})
  const page = await (await openBrowser(context)).newPage()
  const posts: Record<string, unknown>[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(request.postDataJSON())
  })
  await page.goto(
    `${origin}/?server=${encodeURIComponent(assistant.origin)}&domain=kiln&key=${assistant.key}`,
  )
  await page.getByLabel('Question').fill('How do I install Kiln with npm?')
  await page.getByRole('button').click()
  await page.locator('footer[data-status="ready"]:not([data-thread=""])').waitFor()
  assert.match(
    (await page.locator('article[data-role="assistant"] pre').textContent()) ?? '',
    /npm install --global/,
  )
  assert.equal(
    await page.locator('article[data-role="assistant"] li a').first().getAttribute('href'),
    'https://kiln.example/guide/install#with-npm',
  )
  const threadId = await page.locator('footer').getAttribute('data-thread')
  await page.getByLabel('Question').fill('and from source?')
  await page.getByRole('button').click()
  await page.locator('article[data-role="assistant"]').nth(1).waitFor()
  await page.locator('footer[data-status="ready"]').waitFor()
  assert.equal(await page.locator('footer').getAttribute('data-thread'), threadId)
  assert.equal(posts.length, 2) // One question, one request: no step makes the client ask again by itself.
  assert.equal(posts[1]!.threadId, threadId)
})

test('a page of another origin is told why its key is refused', { skip }, async (context) => {
  const assistant = await startTestAssistant(context)
  const origin = await serveExample(context, 'chat-v4', {})
  const page = await (await openBrowser(context)).newPage()
  await page.goto(`${origin}/?server=${encodeURIComponent(assistant.origin)}&domain=kiln&key=wrong`)
  await page.getByLabel('Question').fill('hello')
  await page.getByRole('button').click()
  assert.match((await page.getByRole('alert').textContent()) ?? '', /invalid_key/)
})
