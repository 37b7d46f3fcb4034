import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { ScriptedStep } from './testing.ts'

export type FakeOpenAi = {
  url: string
  /** The bodies that were posted, parsed. */
  requests: { messages: { role: string; content: unknown }[]; tools?: unknown[]; max_tokens?: number }[]
  /** How many calls the other side left before their end. */
  left: number
  connections: number
}

export type FakeAnswer = ScriptedStep[] | { status: number; body?: string } | 'hang' | 'drop'

/** A server that speaks the OpenAI chat API over HTTP, playing one answer per call, the last again and again. */
export async function fakeOpenAi(context: TestContext, ...answers: FakeAnswer[]): Promise<FakeOpenAi> {
  const fake: FakeOpenAi = { url: '', requests: [], left: 0, connections: 0 }
  const server = createServer(async (request, response) => {
    fake.requests.push(JSON.parse(await readBody(request)))
    response.on('close', () => {
      if (!response.writableFinished) fake.left += 1
    })
    const answer = answers[Math.min(fake.requests.length, answers.length) - 1] ?? []
    if (answer === 'hang') return
    if (answer === 'drop') return void request.socket.destroy()
    if ('status' in answer) return void response.writeHead(answer.status).end(answer.body ?? '{}')
    await play(answer, response)
  })
  server.on('connection', () => {
    fake.connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return fake
}

async function play(steps: ScriptedStep[], response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (delta: object, more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`,
    )
  let calls = 0
  let words = 0
  for (const step of steps) {
    if (typeof step === 'string') {
      words += 1
      send({ role: 'assistant', content: step })
    } else if ('toolName' in step) {
      send({
        tool_calls: [
          {
            index: calls,
            id: `scripted-${calls + 1}`,
            type: 'function',
            function: { name: step.toolName, arguments: JSON.stringify(step.input) },
          },
        ],
      })
      calls += 1
    } else if ('fail' in step) return void response.destroy()
    else
      await Promise.race([
        typeof step.wait === 'function' ? step.wait() : step.wait,
        new Promise((resolve) => response.once('close', resolve)),
      ])
  }
  send({}, { finish_reason: calls > 0 ? 'tool_calls' : 'stop' })
  response.write(
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: { prompt_tokens: 10, completion_tokens: words, total_tokens: 10 + words } })}\n\n`,
  )
  response.end('data: [DONE]\n\n')
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const piece of request) body += piece
  return body
}
