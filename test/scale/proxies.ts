import {
  type IncomingMessage,
  createServer,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A plain balancer: each request goes to the next node that says it is ready, and on to another one only if it cannot connect. */
export type Balancer = {
  url: string
  /** The nodes that may be asked, by address. */
  nodes: Map<string, string>
  close(): Promise<void>
}

export async function startBalancer(): Promise<Balancer> {
  const nodes = new Map<string, string>()
  const leaving = new Set<string>()
  let turn = 0
  const probe = setInterval(() => {
    for (const url of nodes.values()) {
      fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
        async (response) => {
          const text = await response.text()
          if (text.includes('shutting down')) leaving.add(url)
          else leaving.delete(url)
        },
        () => {},
      )
    }
  }, 250)
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing))
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await buffer(incoming).catch(() => Buffer.alloc(0))
    const ready = [...nodes.values()].filter((url) => !leaving.has(url))
    turn += 1
    const order = ready.map((_, index) => ready[(turn + index) % ready.length]!)
    for (const url of order) if (await forward(url, incoming, body, outgoing)) return
    outgoing.writeHead(502).end('no node can be reached')
  }
  return {
    url: await listen(server),
    nodes,
    close: async () => {
      clearInterval(probe)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** False where the node could not be reached at all, so that the request may go elsewhere. */
function forward(
  url: string,
  incoming: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
): Promise<boolean> {
  return new Promise((resolve) => {
    const { method, url: path, headers } = incoming
    let connected = false
    const request = httpRequest(url + path, { method, headers, agent: false }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.on('error', () => outgoing.destroy())
      response.pipe(outgoing)
      resolve(true)
    })
    request.on('socket', (socket) => socket.once('connect', () => (connected = true)))
    request.on('error', (error) => {
      if (!connected) return resolve(false)
      if (!outgoing.headersSent) outgoing.writeHead(502).end(`the node went away: ${error.message}`)
      else outgoing.destroy()
      resolve(true)
    })
    request.end(body)
  })
}

/** A wire to a server that can be cut and mended. */
export type Wire = { port: number; cut(): void; mend(): void; close(): Promise<void> }

export async function startWire(target: { host: string; port: number }): Promise<Wire> {
  let isCut = false
  const sockets = new Set<Socket>()
  const server = createTcpServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(target)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut,
    mend: () => {
      isCut = false
    },
    close: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}
