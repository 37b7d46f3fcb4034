import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export type FakeEmbeddings = {
  url: string
  requests: { model: string; input: string[]; dimensions?: number; authorization: string | undefined }[]
  /** What the next calls get instead of vectors, until it is set back to null. */
  trouble: { status: number; body?: string; location?: string } | 'hang' | 'drop' | null
}

/**
 * A server that speaks the embeddings endpoint over HTTP. Its vectors have one direction for each group of words that
 * mean the same, and a word that is in no group has one of a few directions of its own.
 */
export async function fakeEmbeddings(context: TestContext, sameMeaning: string[][]): Promise<FakeEmbeddings> {
  const fake: FakeEmbeddings = { url: '', requests: [], trouble: null }
  const server = createServer(async (request, response) => {
    const posted = JSON.parse(await readBody(request)) as {
      model: string
      input: string[]
      dimensions?: number
    }
    fake.requests.push({ ...posted, authorization: request.headers.authorization })
    const { trouble } = fake
    if (trouble === 'hang') return
    if (trouble === 'drop') return void request.socket.destroy()
    if (trouble !== null) {
      const { status, body = '{}', location } = trouble
      return void response.writeHead(status, location === undefined ? {} : { location }).end(body)
    }
    const data = posted.input.map((text, index) => ({ index, embedding: vectorOf(text, sameMeaning) }))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ object: 'list', data: data.reverse(), model: posted.model }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return fake
}

const ownDirections = 16

function vectorOf(text: string, sameMeaning: string[][]): number[] {
  const vector = new Array<number>(sameMeaning.length + ownDirections).fill(0)
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const group = sameMeaning.findIndex((words) => words.includes(word))
    let hash = 7
    for (const letter of word) hash = (hash * 31 + letter.charCodeAt(0)) % 9973
    const place = group >= 0 ? group : sameMeaning.length + (hash % ownDirections)
    vector[place] = (vector[place] ?? 0) + (group >= 0 ? 4 : 0.5)
  }
  return vector
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const piece of request) body += piece
  return body
}
