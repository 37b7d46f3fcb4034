import { createServer, type Socket } from 'node:net'

/**
 * A language model that plays: an OpenAI-compatible server in a process of its own, over bare sockets, so that it costs the
 * machine as little as it can. Each answer is 200 tokens in 4 seconds; a prompt that holds "everything" gets 4 MB as fast
 * as they are taken. Tells its parent its port, and on request how many calls are open and how many were left.
 */
const tokens = 200
const tokenMs = 20
const floodBytes = 4 * 1024 * 1024

const answer =
  'To install it, run the command line tool once [1]. It needs **Node 20** or newer, and a folder that you may write to.\n\n' +
  '```bash\nnpm install --global tool\ntool start --port 4000\n```\n\n' +
  '- Set `server.port` in the settings file where the port is taken [2].\n- Read the log when it does not answer, see ' +
  '[the guide](/guide) for each message, and restart it afterwards [1][2].\n\nWith several machines, give each the same ' +
  'settings; they agree by the database, so that it does not matter which one of them answers a reader [3]. '

/** Words as models part them. */
const pieces = answer.match(/\s*\S{1,6}/g) ?? []

const frame = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const common = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'scripted',
}
const delta = (content: string) =>
  frame(event({ ...common, choices: [{ index: 0, delta: { content }, finish_reason: null }] }))
const frames = Array.from({ length: tokens }, (_, index) => delta(pieces[index % pieces.length]!))
const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
const ending = `${frame(
  event({ ...common, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
    event({
      ...common,
      choices: [],
      usage: { prompt_tokens: 900, completion_tokens: tokens, total_tokens: 900 + tokens },
    }) +
    'data: [DONE]\n\n',
)}0\r\n\r\n`

type Call = { socket: Socket; startedAt: number; sent: number }

const calls = new Set<Call>()
let left = 0

const server = createServer({ noDelay: true }, (socket) => {
  let received = ''
  let call: Call | null = null
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
    const bodyAt = received.indexOf('\r\n\r\n') + 4
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN)
    if (bodyAt === 3 || received.length < bodyAt + length) return
    const isFlood = received.includes('everything', bodyAt)
    received = ''
    socket.write(head)
    if (isFlood) return flood(socket)
    call = { socket, startedAt: performance.now(), sent: 0 }
    calls.add(call)
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    if (call && calls.delete(call)) left += 1
  })
})

setInterval(() => {
  const now = performance.now()
  for (const call of calls) {
    const due = Math.min(tokens, Math.floor((now - call.startedAt) / tokenMs))
    while (call.sent < due) call.socket.write(frames[call.sent++]!)
    if (call.sent < tokens) continue
    calls.delete(call)
    call.socket.write(ending)
  }
}, 4)

function flood(socket: Socket): void {
  const text = delta('word '.repeat(200))
  let sent = 0
  const go = () => {
    while (sent < floodBytes && !socket.destroyed) {
      sent += text.length
      if (!socket.write(text)) return void socket.once('drain', go)
    }
    socket.write(ending)
  }
  go()
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 })
})
process.on('message', () => process.send?.({ open: calls.size, left }))
process.on('disconnect', () => process.exit())
