import { ModelError } from '../../src/backends/index.ts'
import { modelFrom, type ScriptedStep } from '../../src/backends/testing.ts'
import { startTestAssistant } from '../../src/assistant/testing.ts'
import { askWithV4, userV4 } from './client-v4.ts'
import { openChatV5, sourcesOfV5, textOfV5 } from './client-v5.ts'

/** Every client release that Quire promises to serve, by the name under which this package installs it. */
export const clients: { version: string; packageName: string; endpoint: 1 | 2 }[] = [
  ...['4.1.35', '4.3.19'].map((version) => ({
    version,
    packageName: `ui-utils-${version}`,
    endpoint: 1 as const,
  })),
  ...[
    '5.0.0',
    '5.0.91',
    '5.0.92',
    '5.0.216',
    '5.0.217',
    '5.0.277',
    '6.0.0',
    '6.0.230',
    '6.0.231',
    '6.0.326',
    '7.0.0',
    '7.0.31',
    '7.0.32',
    '7.0.169',
  ].map((version) => ({ version, packageName: `ai-${version}`, endpoint: 2 as const })),
]

/** What a client made of a stream. */
export type Heard = {
  text: string
  sources: unknown[]
  threadId: string | undefined
  error: string | undefined
}

type Client = (typeof clients)[number]
type Server = { origin: string; key: string; v1: string; v2: string }

const failure = 'The assistant could not finish this answer. Please ask again.'

export const conversations: Record<string, { question: string; steps: ScriptedStep[][]; text: string }> = {
  'plain text': {
    question: 'What is Kiln?',
    steps: [['Kiln ', 'fires ', 'pots.']],
    text: 'Kiln fires pots.',
  },
  'tool steps and citations': {
    question: 'What is a bisque firing?',
    steps: [
      ['Let me look. ', { toolName: 'search', input: { query: 'bisque firing' } }],
      [{ toolName: 'read_page', input: { path: 'guide/schedules' } }],
      ['It climbs to 1000 degrees ', '[1].'],
    ],
    text: 'Let me look. It climbs to 1000 degrees [1](https://kiln.example/guide/schedules#bisque).',
  },
  'long text': {
    question: 'Tell me all about firing schedules.',
    steps: [Array.from({ length: 3000 }, (_, word) => `word${word} `)],
    text: Array.from({ length: 3000 }, (_, word) => `word${word}`).join(' '),
  },
  'emoji and many scripts': {
    question: 'What is Kiln?',
    steps: [
      [
        '🏺 ',
        '👩‍🔬',
        ' पॉट ',
        '焼成は',
        '千度です。',
        ' ñandú ',
        '🇯🇵',
        ' "quoted" \\ ',
        'line\n\n```sh\nkiln fire\n```\n',
      ],
    ],
    text: '🏺 👩‍🔬 पॉट 焼成は千度です。 ñandú 🇯🇵 "quoted" \\ line\n\n```sh\nkiln fire\n```\n',
  },
}

export type Verdict = { client: Client; checks: Record<string, string> }

/** Holds one client through all conversations; a check is `ok` or says what went wrong. */
export async function tryClient(client: Client): Promise<Verdict> {
  const endings: (() => unknown)[] = []
  const after = { after: (work: () => unknown) => void endings.push(work) }
  const checks: Record<string, string> = {}
  const check = async (name: string, work: () => Promise<string | undefined>) => {
    checks[name] = (await work().catch((error: unknown) => `threw ${error}`)) ?? 'ok'
  }
  try {
    for (const [name, conversation] of Object.entries(conversations)) {
      await check(name, async () => {
        const server = await startTestAssistant(after as never, { model: scriptOf(conversation.steps) })
        const heard = await hear(client, server, conversation.question)
        if (heard.error) return heard.error
        if (heard.text.trimEnd() !== conversation.text.trimEnd())
          return `other text: ${heard.text.slice(0, 200)}`
        if (heard.sources.length === 0) return 'no sources'
        if (!heard.threadId) return 'no threadId'
        return undefined
      })
    }
    await check('second turn', () => secondTurn(client, after))
    await check('failure at every token', () => failAtEveryToken(client, after, 40))
    await check('cuts at every byte', () => cutAtEveryByte(client, after))
  } finally {
    for (const end of endings.reverse()) await end()
  }
  return { client, checks }
}

const scriptOf = (steps: ScriptedStep[][]) =>
  modelFrom((request) => {
    const step = request.messages.filter((message) => message.role === 'tool').length
    return steps[Math.min(step, steps.length - 1)]!
  })

async function hear(
  client: Client,
  server: Server,
  question: string,
  ownFetch: typeof fetch = fetch,
): Promise<Heard> {
  if (client.endpoint === 1) {
    let text = ''
    try {
      const turn = await askWithV4({
        packageName: client.packageName,
        api: server.v1,
        key: server.key,
        messages: [userV4('u1', question)],
        fetch: ownFetch,
        onText: (written) => {
          text = written
        },
      })
      return {
        text: turn.message.content,
        sources: turn.message.parts.flatMap((part) =>
          part.type === 'source' ? [(part.source as { url: string }).url] : [],
        ),
        threadId: threadInData(turn.data),
        error: undefined,
      }
    } catch (error) {
      return { text, sources: [], threadId: undefined, error: (error as Error).message }
    }
  }
  const chat = await openChatV5({
    packageName: client.packageName,
    api: server.v2,
    key: server.key,
    fetch: ownFetch,
  })
  await chat.sendMessage({ text: question })
  const answer = chat.messages.find((message) => message.role === 'assistant')
  return {
    text: textOfV5(answer),
    sources: sourcesOfV5(answer),
    threadId: answer?.metadata?.threadId,
    error: chat.error?.message ?? (chat.status === 'ready' ? undefined : `status ${chat.status}`),
  }
}

const threadInData = (data: unknown[]): string | undefined =>
  data.findLast(
    (event): event is { type: string; threadId: string } => (event as { type?: string })?.type === 'finish',
  )?.threadId

/** The thread goes on, by the place that the client itself sends back. */
async function secondTurn(client: Client, after: object): Promise<string | undefined> {
  const server = await startTestAssistant(after as never, { model: scriptOf([['Yes [1].']]) })
  if (client.endpoint === 1) {
    const ask = { packageName: client.packageName, api: server.v1, key: server.key }
    const first = await askWithV4({ ...ask, messages: [userV4('u1', 'What is Kiln?')] })
    const messages = [userV4('u1', 'What is Kiln?'), first.message, userV4('u2', 'and a glaze firing?')]
    const second = await askWithV4({ ...ask, messages })
    const [one, two] = [threadInData(first.data), threadInData(second.data)]
    return one !== undefined && one === two ? undefined : `threads ${one} and ${two}`
  }
  const chat = await openChatV5({ packageName: client.packageName, api: server.v2, key: server.key })
  await chat.sendMessage({ text: 'What is Kiln?' })
  await chat.sendMessage({ text: 'and a glaze firing?' })
  if (chat.error) return chat.error.message
  const threads = chat.messages.flatMap((message) => message.metadata?.threadId ?? [])
  return threads.length === 2 && threads[0] === threads[1] ? undefined : `threads ${threads}`
}

/** The model fails after each number of tokens: the client is told, before the first by a status, and keeps what it has. */
async function failAtEveryToken(client: Client, after: object, length: number): Promise<string | undefined> {
  let failAt = 0
  const words = Array.from({ length }, (_, word) => `w${word} `)
  const model = modelFrom(() => [...words.slice(0, failAt), { fail: new ModelError('failed', 'upstream') }])
  const server = await startTestAssistant(after as never, { model, settings: { holdFirstByteMs: 5000 } })
  for (failAt = 0; failAt <= length; failAt += 1) {
    const heard = await hear(client, server, 'What is Kiln?')
    const told = failAt === 0 ? heard.error?.includes('model_unavailable') : heard.error === failure
    if (!told) return `after ${failAt} tokens: ${heard.error ?? 'a silent end'}`
    const expected = words.slice(0, failAt).join('').trim()
    if (heard.text !== expected) return `after ${failAt} tokens: text ${heard.text}`
  }
  return undefined
}

/** The same bytes, cut into two at every place, and once into single bytes. */
async function cutAtEveryByte(client: Client, after: object): Promise<string | undefined> {
  const server = await startTestAssistant(after as never, {
    model: scriptOf([['Küche 🏺 ', '焼成 [1].']]),
    site: { index: { search: async () => [shortHit] } },
  })
  let bytes = new Uint8Array()
  const whole = await hear(client, server, 'Kiln?', async (url, init) => {
    const response = await fetch(url, init)
    bytes = await response.bytes()
    return new Response(bytes, { headers: response.headers })
  })
  if (whole.error) return whole.error
  const expected = JSON.stringify(whole)
  const replay = (pieces: Uint8Array[]): Promise<Heard> =>
    hear(client, server, 'Kiln?', async () => new Response(streamOf(pieces), { headers: { 'x-cut': '1' } }))
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const heard = await replay([bytes.slice(0, cut), bytes.slice(cut)])
    if (JSON.stringify(heard) !== expected)
      return `cut at byte ${cut} of ${bytes.length}: ${JSON.stringify(heard)}`
  }
  const single = await replay(Array.from(bytes, (byte) => Uint8Array.of(byte)))
  return JSON.stringify(single) === expected ? undefined : `in single bytes: ${JSON.stringify(single)}`
}

const shortHit = {
  path: 'index',
  title: 'Kiln',
  description: '',
  heading: 'Kiln',
  content: 'Kiln fires.',
  score: 1,
  coverage: 1,
}

const streamOf = (pieces: Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull(controller) {
      const piece = pieces.shift()
      if (piece) controller.enqueue(piece)
      else controller.close()
    },
  })

if (import.meta.main) {
  const names = [...Object.keys(conversations), 'second turn', 'failure at every token', 'cuts at every byte']
  console.log(`| ai | endpoint | ${names.join(' | ')} |`)
  console.log(`|---|---|${names.map(() => '---|').join('')}`)
  for (const client of clients) {
    const { checks } = await tryClient(client)
    console.log(
      `| ${client.version} | v${client.endpoint} | ${names.map((name) => checks[name]).join(' | ')} |`,
    )
    if (Object.values(checks).some((verdict) => verdict !== 'ok')) process.exitCode = 1
  }
}
