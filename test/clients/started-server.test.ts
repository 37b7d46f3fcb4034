import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fakeOpenAi } from '../../src/backends/testing.ts'
import { startQuire } from '../journeys/support.ts'
import { clientsMissing, openBrowser, serveExample } from './browser.ts'
import { askWithV4, userV4 } from './client-v4.ts'
import { openChatV5, sourcesOfV5, textOfV5 } from './client-v5.ts'

const skip = clientsMissing

async function start(context: TestContext, flags: string[] = []) {
  const data = await mkdtemp(join(tmpdir(), 'quire-clients-'))
  context.after(() => rm(data, { recursive: true, force: true }))
  return startQuire(context, { environment: {}, data }, flags, {})
}

test('real clients of both versions ask a started server about its own documentation', {
  skip,
}, async (context) => {
  const quire = await start(context)
  const ask = { packageName: '@ai-sdk/ui-utils', key: quire.assistantKey }
  const api = (version: 1 | 2) => `${quire.url}/discovery/v${version}/assistant/docs/message`
  const question = userV4('u1', 'How do I publish a site?')
  const first = await askWithV4({ ...ask, api: api(1), messages: [question] })
  assert.match(first.message.content, /quire publish/)
  assert.ok(first.message.parts.some((part) => part.type === 'source'))
  const threadId = first.headers.get('x-thread-id')
  const messages = [question, first.message, userV4('u2', 'and from another machine?')]
  const second = await askWithV4({ ...ask, api: api(1), messages })
  assert.equal(second.headers.get('x-thread-id'), threadId)

  const chat = await openChatV5({ packageName: 'ai-7.0.169', api: api(2), key: quire.assistantKey })
  await chat.sendMessage({ text: 'How do I publish a site?' })
  assert.equal(chat.error, undefined)
  assert.equal(textOfV5(chat.messages.at(-1)), first.message.content)
  assert.ok(sourcesOfV5(chat.messages.at(-1)).length > 0)
})

test('the examples chat with a started server and its model from pages of their own origin', {
  skip,
}, async (context) => {
  const model = await fakeOpenAi(context, ['You publish with ', '`quire publish` [1].'])
  const quire = await start(context, ['--model', 'm', '--model-url', model.url])
  const browser = await openBrowser(context)
  for (const [example, aliases] of [
    ['chat-v4', {}],
    ['chat-v5', { '@ai-sdk/react': 'ai-sdk-react-5', ai: 'ai-5.0.277' }],
  ] as const) {
    const origin = await serveExample(context, example, aliases)
    const page = await browser.newPage()
    await page.goto(
      `${origin}/?server=${encodeURIComponent(quire.url)}&domain=docs&key=${quire.assistantKey}`,
    )
    await page.getByLabel('Question').fill('How do I publish a site?')
    await page.getByRole('button').click()
    await page.locator('footer[data-status="ready"]:not([data-thread=""])').waitFor()
    const text = (await page.locator('article[data-role="assistant"] pre').textContent()) ?? ''
    assert.match(text, /You publish with `quire publish` \[1\]\(http:\/\/127\.0\.0\.1:\d+\/sites\/docs\//)
    const link = /\]\((.+?)\)/.exec(text)?.[1] ?? ''
    assert.equal((await fetch(link)).status, 200) // A citation leads to a page that is there.
  }
})
