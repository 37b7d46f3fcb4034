import assert from 'node:assert/strict'
import { fixture, journey, json, post } from './support.ts'

type Source = { url: string; title: string }

/** Reads the lines of a v1 stream into what a client makes of them. */
function readStream(body: string) {
  const lines = body.split('\n').filter(Boolean)
  const values = (code: string) =>
    lines.filter((line) => line.startsWith(`${code}:`)).map((line) => JSON.parse(line.slice(2)))
  return {
    text: (values('0') as string[]).join(''),
    sources: values('h') as Source[],
    finish: values('d').at(-1) as { finishReason: string; threadId: string },
    data: values('2').flat() as { type: string; threadId: string }[],
  }
}

const question = (content: string, more: object = {}) => ({
  fp: 'anonymous',
  messages: [{ id: 'm1', role: 'user', content, parts: [{ type: 'text', text: content }] }],
  ...more,
})

journey('ask and get sources', async (start) => {
  const quire = await start()
  assert.equal((await quire.command('publish', fixture('acme'), '--site', 'docs')).code, 0)
  const ask = (body: object, key = quire.assistantKey) =>
    quire.api('/discovery/v1/assistant/docs/message', { ...post(body), key })

  const response = await ask(question('How do I mount the booster?'))
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('x-vercel-ai-data-stream'), 'v1')
  assert.match(response.headers.get('deprecation') ?? '', /^@\d+$/)
  assert.match(response.headers.get('link') ?? '', /v2\/assistant\/docs\/message>; rel="successor-version"/)
  const answer = readStream(await response.text())
  assert.match(answer.text, /four hex bolts/)
  assert.equal(answer.sources[0]?.url, `${quire.url}/sites/docs/guide/install#mount-the-booster`)
  assert.equal(answer.sources[0]?.title, 'Install a rocket')
  const { threadId } = answer.finish
  assert.equal(response.headers.get('x-thread-id'), threadId)
  assert.ok(answer.data.some((item) => item.type === 'finish' && item.threadId === threadId))
  assert.doesNotMatch(answer.text, /SECRET-INSTRUCTIONS/)

  const followUp = await ask(question('And the fuse?', { threadId }))
  assert.equal(followUp.headers.get('x-thread-id'), threadId)
  assert.match(readStream(await followUp.text()).text, /ten metres/)
  const stranger = await ask({ ...question('And the fuse?', { threadId }), fp: 'somebody-else' })
  assert.notEqual(stranger.headers.get('x-thread-id'), threadId)
  await stranger.text()

  const results = await json<{ path: string; content: string; metadata: Source }[]>(
    quire.api('/discovery/v1/search/docs', { ...post({ query: '--dry-run' }), key: quire.assistantKey }),
  )
  assert.equal(results[0]?.path, 'reference/flags')
  const page = await json<{ path: string; content: string }>(
    quire.api('/discovery/v1/page/docs', { ...post({ path: '/guide/install' }), key: quire.assistantKey }),
  )
  assert.match(page.content, /Torque each bolt to 40 newton metres/)
  const secret = await quire.api('/discovery/v1/search/docs', {
    ...post({ query: 'SECRET-INSTRUCTIONS-4711' }),
    key: quire.assistantKey,
  })
  assert.doesNotMatch(await secret.text(), /SECRET/)

  assert.equal(
    (await json<{ code: string }>(ask(question('hello'), quire.adminKey), 403)).code,
    'wrong_key_type',
  )
  assert.equal((await json<{ code: string }>(ask(question('hello'), 'nonsense'), 401)).code, 'invalid_key')
  await json(quire.api('/v1/sites', post({ domain: 'other' })), 201)
  const foreign = await json<{ code: string }>(
    quire.api('/discovery/v1/assistant/other/message', {
      ...post(question('hello')),
      key: quire.assistantKey,
    }),
    404,
  )
  assert.equal(foreign.code, 'site_not_found')
})

journey('count requests to the limit exactly', async (start) => {
  const quire = await start([], { QUIRE_ORGANIZATION_HOURLY_LIMIT: '25' })
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const response = await quire.api('/discovery/v1/assistant/docs/message', {
        ...post(question('publish')),
        key: quire.assistantKey,
      })
      await response.text()
      if (response.status === 429) assert.ok(Number(response.headers.get('retry-after')) > 0)
      return response.status
    }),
  )
  assert.equal(statuses.filter((status) => status === 200).length, 25)
  assert.equal(statuses.filter((status) => status === 429).length, 15)
})
