import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestAssistant } from '../../src/assistant/testing.ts'
import { scriptedModel } from '../../src/backends/testing.ts'
import { clientsMissing, openBrowser, serveExample } from './browser.ts'
import { openChatV5, textOfV5 } from './client-v5.ts'

const skip = clientsMissing

test('a page of another origin chats through useChat of AI SDK 5', { skip }, async (context) => {
  const assistant = await startTestAssistant(context)
  const origin = await serveExample(context, 'chat-v5', {
    '@ai-sdk/react': 'ai-sdk-react-5',
    ai: 'ai-5.0.277',
  })
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
  assert.equal(posts.length, 2)
  assert.equal(posts[1]!.threadId, threadId)
})

for (const version of ['5.0.277', '6.0.326', '7.0.169']) {
  test(`a chat of ai ${version} is resumed after a cut, whole and only once`, { skip }, async (context) => {
    const rest = Promise.withResolvers<void>()
    const model = scriptedModel(['One, ', 'two, ', { wait: rest.promise }, 'three.'])
    const assistant = await startTestAssistant(context, { model, settings: { abandonAfterMs: 60_000 } })
    const open = {
      packageName: `ai-${version}`,
      api: assistant.v2,
      key: assistant.key,
      id: 'a-chat-of-this-test',
    }
    const first = await openChatV5(open)
    const sending = first.sendMessage({ text: 'Count.' })
    while (!textOfV5(first.messages.at(-1)).includes('two'))
      await new Promise((resolve) => setTimeout(resolve, 1))
    await first.stop()
    await sending
    const second = await openChatV5({ ...open, messages: first.messages.slice(0, 1) })
    const resuming = second.resumeStream()
    rest.resolve()
    await resuming
    assert.equal(second.error, undefined)
    assert.equal(textOfV5(second.messages.at(-1)), 'One, two, three.')
  })

  test(`a chat of ai ${version} with nothing to resume is ready`, { skip }, async (context) => {
    const assistant = await startTestAssistant(context)
    const chat = await openChatV5({
      packageName: `ai-${version}`,
      api: assistant.v2,
      key: assistant.key,
      id: 'a-chat-that-nobody-began',
    })
    await chat.resumeStream()
    assert.equal(chat.status, 'ready')
  })
}
