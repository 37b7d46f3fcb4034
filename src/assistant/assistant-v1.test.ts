import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { ModelError } from '../backends/index.ts'
import { modelFrom, scriptedModel } from '../backends/testing.ts'
import { ApiError } from '../http/index.ts'
import { askV1, readV1, startTestAssistant, textV1 } from './testing.ts'

type Tables = {
  assistant_messages: { thread_id: string; role: string; content: string; status: string; position: number }
}

test('answers with cited passages when there is no model', async (context) => {
  const assistant = await startTestAssistant(context)
  const response = await assistant.post(1, askV1('How do I install Kiln with npm?'))
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal(response.headers.get('x-vercel-ai-data-stream'), 'v1')
  const body = await response.text()
  assert.match(textV1(body), /npm install --global kiln-control/)
  assert.match(textV1(body), /\]\(https:\/\/kiln\.example\/guide\/install#with-npm\)/)
  assert.deepEqual(
    readV1(body)
      .filter((line) => line.code === 'h')
      .map((line) => line.value),
    [
      {
        sourceType: 'url',
        id: 'source-1',
        url: 'https://kiln.example/guide/install#with-npm',
        title: 'Install Kiln',
      },
    ],
  )
})

test('says so when the documentation does not cover the question', async (context) => {
  const assistant = await startTestAssistant(context)
  const body = await (await assistant.post(1, askV1('How do I bake a chocolate cake on Mars?'))).text()
  assert.match(textV1(body), /does not seem to say/)
  assert.equal(
    readV1(body).some((line) => line.code === 'h'),
    false,
  )
})

test('carries the thread in the header, in 2:, in 8: and in d:', async (context) => {
  const assistant = await startTestAssistant(context)
  const response = await assistant.post(1, askV1('How do I install Kiln with npm?'))
  const threadId = response.headers.get('x-thread-id')
  const lines = readV1(await response.text())
  assert.ok(threadId)
  assert.deepEqual(lines.slice(-3), [
    { code: '2', value: [{ type: 'finish', threadId }] },
    { code: '8', value: [{ type: 'finish', threadId }] },
    {
      code: 'd',
      value: { finishReason: 'stop', usage: { promptTokens: 0, completionTokens: 0 }, threadId },
    },
  ])
})

test('streams the model, its tool steps and its citations as links', async (context) => {
  const model = scriptedModel(
    [{ toolName: 'read_page', input: { path: 'guide/schedules' } }],
    ['Climb to 1000 degrees ', '[4', ']', ', says nobody [99].'],
  )
  const assistant = await startTestAssistant(context, { model })
  const body = await (await assistant.post(1, askV1('What is a bisque firing?'))).text()
  const lines = readV1(body)
  assert.equal(
    lines.map((line) => line.code).join(''),
    `f9aef9aef${'h'.repeat(lines.filter((line) => line.code === 'h').length)}${'0'.repeat(lines.filter((line) => line.code === '0').length)}e28d`,
  )
  const used = lines.filter((line) => line.code === 'h').length
  assert.ok(used >= 2)
  assert.doesNotMatch(textV1(body), /99/)
  const asked = model.requests[1]!
  assert.equal(asked.messages.at(-1)?.role, 'tool')
})

test('goes on with a thread whose earlier turns the request does not repeat', async (context) => {
  const model = scriptedModel(['Use npm [1].'])
  const assistant = await startTestAssistant(context, { model })
  const first = await assistant.post(1, askV1('How do I install Kiln?'))
  await first.text()
  const threadId = first.headers.get('x-thread-id')
  const second = await assistant.post(1, askV1('and from source?', { threadId }))
  await second.text()
  assert.equal(second.headers.get('x-thread-id'), threadId)
  const prompt = JSON.stringify(model.requests[1]!.messages)
  assert.match(prompt, /How do I install Kiln\?/)
  assert.match(prompt, /Use npm/)
})

test('finds the thread in the annotations that v4 clients send back', async (context) => {
  const assistant = await startTestAssistant(context)
  const first = await assistant.post(1, askV1('How do I install Kiln?'))
  await first.text()
  const threadId = first.headers.get('x-thread-id')
  const ask = askV1('How do I install Kiln?')
  const second = await assistant.post(1, {
    ...ask,
    messages: [
      ...ask.messages,
      { role: 'assistant', content: 'Use npm.', annotations: [{ type: 'finish', threadId }] },
      { role: 'user', content: 'and from source?' },
    ],
  })
  await second.text()
  assert.equal(second.headers.get('x-thread-id'), threadId)
})

test('starts a new thread for another fingerprint and for an unknown id', async (context) => {
  const assistant = await startTestAssistant(context)
  const first = await assistant.post(1, askV1('How do I install Kiln?'))
  await first.text()
  const threadId = first.headers.get('x-thread-id')
  for (const body of [
    askV1('and from source?', { threadId, fp: 'someone else' }),
    askV1('and from source?', { threadId: 'thread_nobody_knows' }),
    askV1('and from source?', { threadId: "' or 1=1 \u0000" }),
  ]) {
    const response = await assistant.post(1, body)
    await response.text()
    assert.equal(response.status, 200)
    assert.notEqual(response.headers.get('x-thread-id'), threadId)
  }
})

test('accepts what real clients leave in and out', async (context) => {
  const assistant = await startTestAssistant(context)
  const bodies = [
    { fp: 'a', messages: [{ role: 'user', content: 'install' }] },
    { fp: 'a', messages: [{ role: 'user', parts: [{ type: 'text', text: 'install' }] }] },
    { fp: 'a', messages: [{ role: 'user', content: '', parts: [] }] },
    askV1('install', { threadId: null, filter: null, id: 'chat-1', data: { a: 1 }, threadKey: 'x' }),
    askV1('install', { retrievalPageSize: 1000, filter: { version: null } }),
    {
      fp: 'a',
      messages: [
        { role: 'user', content: 'one' },
        {
          role: 'assistant',
          content: '',
          revisionId: 'r',
          reasoning: 'x',
          toolInvocations: [],
          parts: [
            { type: 'step-start' },
            { type: 'reasoning', reasoning: 'x', details: [{ type: 'text', text: 'x', signature: 's' }] },
            {
              type: 'tool-invocation',
              toolInvocation: { state: 'partial-call', step: 0, toolCallId: 'c', toolName: 'search' },
            },
            { type: 'source', source: { sourceType: 'url', id: 's', url: 'https://kiln.example' } },
            { type: 'file', mimeType: 'text/plain', data: 'aGk=' },
          ],
        },
        { role: 'data', content: '', data: [1] },
        { role: 'system', content: 'Be rude.' },
        { role: 'user', content: 'two', experimental_attachments: [{ url: 'data:text/plain,hi' }] },
      ],
    },
    {
      fp: 'a',
      messages: [
        { id: 'u', role: 'user', content: 'one' },
        { id: 'assistant-7', role: 'assistant', content: 'half' },
      ],
    },
  ]
  for (const body of bodies) {
    const response = await assistant.post(1, body)
    const text = await response.text()
    assert.equal(response.status, 200, text)
    assert.match(text, /^d:\{"finishReason":"stop"/m)
  }
})

test('keeps the id of an assistant message that is continued', async (context) => {
  const assistant = await startTestAssistant(context)
  const response = await assistant.post(1, {
    fp: 'a',
    messages: [
      { id: 'u', role: 'user', content: 'install' },
      { id: 'assistant-7', role: 'assistant', content: 'half' },
    ],
  })
  assert.match(await response.text(), /^f:\{"messageId":"assistant-7"\}$/m)
})

test('refuses bodies that no client could send, naming every fault', async (context) => {
  const assistant = await startTestAssistant(context)
  const faulty: [unknown, string][] = [
    ['{', ''],
    ['[]', ''],
    [{}, 'fp'],
    [{ fp: 1, messages: [] }, 'fp'],
    [{ fp: 'a', messages: [] }, 'messages'],
    [{ fp: 'a', messages: [{ role: 'admin', content: 'x' }] }, 'messages.0.role'],
    [{ fp: 'a', messages: [{ role: 'user' }] }, 'messages.0.content'],
    [{ fp: 'a', messages: [{ role: 'system', content: 'x' }] }, 'messages'],
    [{ fp: 'a', messages: [{ role: 'user', parts: [{ type: 'text' }] }] }, 'messages.0.parts.0.text'],
    [askV1('x', { currentPath: 'p'.repeat(201) }), 'currentPath'],
    [askV1('x', { context: [{ type: 'image', value: 'x' }] }), 'context.0.type'],
    [askV1('x', { retrievalPageSize: 'five' }), 'retrievalPageSize'],
    [askV1('x', { filter: { version: 2 } }), 'filter.version'],
  ]
  for (const [body, path] of faulty) {
    const response = await assistant.post(1, body)
    const answer = (await response.json()) as { code: string; details: { path: string }[] }
    assert.equal(response.status, 400, JSON.stringify(body))
    assert.equal(answer.code, 'invalid_request')
    if (path !== '') {
      assert.ok(
        answer.details.some((detail) => detail.path === path),
        `${JSON.stringify(body)} → ${JSON.stringify(answer.details)}`,
      )
    }
    assert.match(response.headers.get('deprecation') ?? '', /^@\d+$/)
  }
})

test('marks every v1 answer as deprecated, errors included', async (context) => {
  const assistant = await startTestAssistant(context)
  const answers = [
    await assistant.post(1, askV1('install')),
    await assistant.post(1, askV1('install'), { headers: { authorization: 'Bearer wrong' } }),
    await fetch(assistant.v1, { method: 'DELETE' }),
    await fetch(assistant.v1, { method: 'POST', body: 'x', headers: { 'content-type': 'text/csv' } }),
  ]
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [200, 401, 405, 401],
  )
  for (const answer of answers) {
    await answer.text()
    const since = Number(/^@(\d+)$/.exec(answer.headers.get('deprecation') ?? '')?.[1]) * 1000
    assert.ok(since > 0)
    assert.ok(Date.parse(answer.headers.get('sunset') ?? '') > since)
    assert.equal(
      answer.headers.get('link'),
      '</discovery/v2/assistant/kiln/message>; rel="successor-version"',
    )
  }
})

test('lets pages of other origins read the thread and the errors', async (context) => {
  const assistant = await startTestAssistant(context)
  const headers = { origin: 'https://app.example' }
  const preflight = await fetch(assistant.v1, {
    method: 'OPTIONS',
    headers: {
      ...headers,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  })
  assert.equal(preflight.status, 204)
  for (const answer of [
    await assistant.post(1, askV1('install'), { headers }),
    await assistant.post(1, '{', { headers }),
  ]) {
    await answer.text()
    assert.equal(answer.headers.get('access-control-allow-origin'), 'https://app.example')
    assert.match(answer.headers.get('access-control-expose-headers') ?? '', /x-thread-id/i)
  }
})

test('answers without the prefix too', async (context) => {
  const assistant = await startTestAssistant(context)
  const response = await fetch(assistant.v1.replace('/discovery', ''), {
    method: 'POST',
    headers: { authorization: `Bearer ${assistant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(askV1('install')),
  })
  assert.match(await response.text(), /^d:/m)
})

test('does not start an answer when a limit is used up', async (context) => {
  const model = scriptedModel(['never'])
  const assistant = await startTestAssistant(context, {
    model,
    countRequest: async () => {
      throw new ApiError(429, 'rate_limited', 'Too many.', { headers: { 'retry-after': '60' } })
    },
  })
  const response = await assistant.post(1, askV1('install'))
  assert.equal(response.status, 429)
  assert.equal(response.headers.get('retry-after'), '60')
  assert.equal(model.requests.length, 0)
})

test('gives a status when the model fails before the first byte', async (context) => {
  for (const [fault, status] of [
    ['unreachable', 503],
    ['timeout', 504],
    ['failed', 502],
  ] as const) {
    const model = scriptedModel([{ fail: new ModelError(fault, 'secret host name') }])
    const assistant = await startTestAssistant(context, { model, settings: { holdFirstByteMs: 10_000 } })
    const response = await assistant.post(1, askV1('install'))
    const body = await response.text()
    assert.equal(response.status, status)
    assert.match(body, /model_/)
    assert.doesNotMatch(body, /secret/)
  }
})

test('writes an error part and ends when the model fails on its way', async (context) => {
  const model = scriptedModel(['Half ', { fail: new ModelError('failed', 'secret host name') }])
  const assistant = await startTestAssistant(context, { model })
  const response = await assistant.post(1, askV1('install'))
  const threadId = response.headers.get('x-thread-id')
  const body = await response.text()
  assert.deepEqual(readV1(body).slice(-4), [
    { code: '2', value: [{ type: 'finish', threadId }] },
    { code: '8', value: [{ type: 'finish', threadId }] },
    { code: '3', value: 'The assistant could not finish this answer. Please ask again.' },
    {
      code: 'd',
      value: { finishReason: 'error', usage: { promptTokens: 0, completionTokens: 0 }, threadId },
    },
  ])
  assert.match(textV1(body), /Half/)
  assert.doesNotMatch(body, /secret/)
  assert.deepEqual(await stored(assistant.database), [
    ['user', 'complete', 'install'],
    ['assistant', 'failed', 'Half'],
  ])
})

test('tells of a failure at each of 300 tokens, and never ends in silence', async (context) => {
  let failAt = 0
  const words = Array.from({ length: 300 }, (_, word) => `w${word} `)
  const model = modelFrom(() => [...words.slice(0, failAt), { fail: new ModelError('failed', 'upstream') }])
  const assistant = await startTestAssistant(context, { model })
  for (failAt = 1; failAt <= 300; failAt += 1) {
    const body = await (await assistant.post(1, askV1('install'))).text()
    assert.match(body, /^3:"The assistant could not finish this answer\. Please ask again\."\nd:.*\n$/m)
    assert.equal(textV1(body), words.slice(0, failAt).join('').trim())
  }
})

test('tells of an answer that is empty', async (context) => {
  const assistant = await startTestAssistant(context, {
    model: scriptedModel([]),
    settings: { holdFirstByteMs: 10_000 },
  })
  assert.equal((await assistant.post(1, askV1('install'))).status, 502)
})

test('aborts the model and keeps the part when the reader leaves', async (context) => {
  const model = scriptedModel(['Half of ', 'it ', { wait: new Promise(() => {}) }])
  const assistant = await startTestAssistant(context, { model })
  const leaving = new AbortController()
  const response = await assistant.post(1, askV1('install'), { signal: leaving.signal })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  while (!seen.includes('0:" it"')) seen += (await reader.read()).value ?? ''
  const signal = model.requests[0]!.signal
  const aborted = once(signal, 'abort')
  leaving.abort()
  await aborted
  const rows = await until(async () => {
    const found = await stored(assistant.database)
    return found.length > 0 ? found : undefined
  })
  assert.deepEqual(rows, [
    ['user', 'complete', 'install'],
    ['assistant', 'left', 'Half of it'],
  ])
})

test('keeps an idle stream alive with empty lines that clients skip', async (context) => {
  let release = () => {}
  const wait = new Promise<void>((resolve) => {
    release = resolve
  })
  const model = scriptedModel(['Slow ', { wait }, 'answer.'])
  const assistant = await startTestAssistant(context, { model, settings: { keepAliveMs: 5 } })
  const response = await assistant.post(1, askV1('install'))
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  while (!seen.includes('\n\n\n')) seen += (await reader.read()).value ?? ''
  release()
  for (let next = await reader.read(); !next.done; next = await reader.read()) seen += next.value
  assert.equal(textV1(seen), 'Slow answer.')
})

test('pulls no more from the model than a stalled reader takes', async (context) => {
  let produced = 0
  const model = {
    name: 'endless',
    async *stream() {
      for (; produced < 20_000; produced += 1)
        yield { type: 'text-delta' as const, text: `${'x'.repeat(1000)} ` }
    },
  }
  const assistant = await startTestAssistant(context, {
    model,
    settings: { stallTimeoutMs: 300, maxOutputTokens: 10_000_000 },
  })
  const body = JSON.stringify(askV1('install'))
  const { hostname, port, pathname } = new URL(assistant.v1)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.pause()
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${assistant.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  const rows = await until(async () => {
    const found = await stored(assistant.database)
    return found.length > 0 ? found : undefined
  })
  assert.equal(rows[1]?.[1], 'left')
  assert.ok(produced < 20_000, `produced ${produced}`)
  socket.destroy()
})

test('stops at the cap of tokens for the day and says so', async (context) => {
  const model = scriptedModel(['ok [1]'])
  const assistant = await startTestAssistant(context, { model, settings: { tokensPerDay: 20 } })
  const statuses: number[] = []
  for (let turn = 0; turn < 4; turn += 1) {
    const response = await assistant.post(1, askV1('install'))
    await response.text()
    statuses.push(response.status)
  }
  assert.deepEqual(statuses, [200, 200, 429, 429])
})

async function stored(database: Awaited<ReturnType<typeof startTestAssistant>>['database']) {
  const rows = await database
    .tables<Tables>()
    .selectFrom('assistant_messages')
    .select(['role', 'status', 'content'])
    .orderBy('position')
    .execute()
  return rows.map((row) => [row.role, row.status, row.content.trim()])
}

/** Asks again each millisecond until there is an answer; the test's own timeout is the limit. */
async function until<Value>(ask: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await ask()
    if (value !== undefined) return value
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

test('cuts off a model that does not keep to its limit, and hangs up on it', async (context) => {
  let isLeft = false
  const model = {
    name: 'endless',
    async *stream() {
      try {
        for (;;) yield { type: 'text-delta' as const, text: 'on and on ' }
      } finally {
        isLeft = true
      }
    },
  }
  const assistant = await startTestAssistant(context, { model, settings: { maxOutputTokens: 10 } })
  const body = await (await assistant.post(1, askV1('How do I install Kiln?'))).text()
  assert.ok(textV1(body).length < 300)
  assert.match(body, /^d:\{"finishReason":"length"/m)
  assert.equal(isLeft, true)
})
