import { once } from 'node:events'
import { createServer, request as httpRequest, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { TestContext } from 'node:test'
import { standaloneSettings } from '../bundle/index.ts'
import { type BundleServer, openBundleServer, type ServeOptions } from './bundle-server.ts'

/** Serves a bundle folder as both the main server and the self-hosted one do, on a free port. */
export async function serveTestBundle(
  context: TestContext,
  folder: string,
  options: Partial<ServeOptions> & { compressedFolder?: string } = {},
): Promise<{ port: number; bundle: BundleServer; errors: unknown[] }> {
  const { compressedFolder } = options
  const bundle = await openBundleServer({
    folder,
    ...(compressedFolder === undefined ? {} : { compressedFolder }),
  })
  const errors: unknown[] = []
  const basePath = options.basePath ?? ''
  const port = await listen(context, (request, response) => {
    const path = (request.url ?? '').replace(/[?#].*$/s, '').slice(basePath.length)
    bundle
      .handle(request, response, { settings: standaloneSettings, basePath, ...options, path })
      .catch((error) => {
        errors.push(error)
        response.writeHead(500).end()
      })
  })
  return { port, bundle, errors }
}

export async function listen(context: TestContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

export type TestAnswer = {
  status: number
  headers: Record<string, string | undefined>
  body: Buffer
  text: string
}

/** Asks for a path exactly as given: nothing is normalised on the way, as a browser or fetch would do. */
export async function ask(
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<TestAnswer> {
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    path,
    method: options.method ?? 'GET',
    headers: options.headers ?? {},
    agent: false,
  })
  request.end()
  const [response] = await once(request, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  return { status: response.statusCode, headers: response.headers, body, text: body.toString('utf8') }
}

/** Sends a request line byte by byte as given and answers with the raw response. */
export async function askRaw(port: number, target: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.end(
    Buffer.concat([
      Buffer.from('GET '),
      target,
      Buffer.from(' HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    ]),
  )
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}
