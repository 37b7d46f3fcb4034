import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder, testArchive, writeTestBundle } from '../bundle/testing.ts'
import { parseRequest } from './fast-lane.ts'
import { readHostSettings, startHost } from './index.ts'

async function site(context: TestContext): Promise<number> {
  const home = await temporaryFolder(context)
  await writeTestBundle(join(home, 'site'), {
    'index.html': 'home',
    'a.html': 'page a '.repeat(2000),
    'b.html': 'page b '.repeat(2000),
    'large.bin': 'x'.repeat(600_000),
  })
  await writeFile(join(home, 'bundle.tar.gz'), await testArchive(join(home, 'site')))
  const yaml = `{ staticExport: { bundleUrl: "${home}/bundle.tar.gz" }, server: { port: 0, drainSeconds: 1 } }`
  const running = await startHost({
    settings: { ...readHostSettings(yaml, {}), data: join(home, 'data') },
    now: Date.now,
    log: () => {},
  })
  context.after(() => running.stop())
  await running.check()
  return running.address.port
}

/** Writes the pieces one after the other and answers with everything that came back until the server closed. */
async function talk(port: number, pieces: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  for (const piece of pieces) {
    socket.write(piece, 'latin1')
    await new Promise((resolve) => setImmediate(resolve))
  }
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => match[1])
const get = (path: string, ...headers: string[]) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`

test('many requests in one packet are answered in their order', async (context) => {
  const port = await site(context)
  const answer = await talk(port, [
    get('/a') +
      get('/b') +
      get('/nowhere') +
      get('/') +
      get('/a', 'Accept-Encoding: br') +
      get('/b', 'Connection: close'),
  ])
  assert.deepEqual(statuses(answer), ['200', '200', '404', '200', '200', '200'])
  assert.ok(answer.indexOf('page a') < answer.indexOf('page b'))
})

test('a request cut into single bytes is answered', async (context) => {
  const port = await site(context)
  const answer = await talk(port, [...get('/a', 'Connection: close')])
  assert.deepEqual(statuses(answer), ['200'])
  assert.ok(answer.endsWith('page a '.repeat(10)))
})

test('a connection that asks for something else goes on with the HTTP server, and nothing is lost', async (context) => {
  const port = await site(context)
  for (const other of [
    get('/a', 'Range: bytes=0-9'),
    get('/large.bin'),
    get('/readyz'),
    'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello',
    'GET /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nGET /\r\n0\r\n\r\n',
  ]) {
    const answer = await talk(port, [get('/b') + other + get('/a', 'Connection: close')])
    assert.equal(statuses(answer).length, 3, other)
    assert.equal(statuses(answer)[0], '200')
    assert.ok(answer.endsWith('page a '), other)
  }
})

test('requests that could be read in two ways are left to the HTTP server', () => {
  const plain = parseRequest(
    'GET /a?b=c HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br\r\nX-Forwarded-Proto: https',
  )
  assert.deepEqual(plain?.path, '/a')
  assert.deepEqual(plain?.question.query, '?b=c')
  assert.equal(plain?.question.acceptEncoding, 'br')
  assert.equal(plain?.isSecure, true)
  for (const head of [
    'GET /a HTTP/1.0\r\nHost: x',
    'GET /a HTTP/1.1',
    'GET /a HTTP/1.1\r\nHost: x\r\nHost: y',
    'GET  /a HTTP/1.1\r\nHost: x',
    'GET a HTTP/1.1\r\nHost: x',
    'get /a HTTP/1.1\r\nHost: x',
    'GET http://y/a HTTP/1.1\r\nHost: x',
    'GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 0',
    'GET /a HTTP/1.1\r\nHost: x\r\ncontent-length : 3',
    'GET /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked',
    'GET /a HTTP/1.1\r\nHost: x\r\n folded: y',
    'GET /a HTTP/1.1\r\nHost: x\r\nA: b\nC: d',
    'GET /a HTTP/1.1\nHost: x',
    'GET /a\0 HTTP/1.1\r\nHost: x',
    'GET /a HTTP/1.1\r\nHost: x\r\nA: \0',
    'GET /a HTTP/1.1\r\nHost: x\r\nConnection: close',
    'GET /a HTTP/1.1\r\nHost: x\r\nUpgrade: h2c',
    'GET /a#b HTTP/1.1\r\nHost: x',
    'GET /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue',
    'GET /ä HTTP/1.1\r\nHost: x',
    'GET /a HTTP/1.1\r\nHost: x\r\n: y',
    'OPTIONS * HTTP/1.1\r\nHost: x',
  ]) {
    assert.equal(parseRequest(head), undefined, head)
  }
})

test('a reader who takes the answers slowly gets all of them', async (context) => {
  const port = await site(context)
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.pause()
  socket.write(get('/a').repeat(400) + get('/b', 'Connection: close'))
  let text = ''
  for (let waits = 0; waits < 50; waits++) await new Promise((resolve) => setImmediate(resolve))
  for await (const chunk of socket) text += chunk.toString('latin1')
  assert.equal(statuses(text).length, 401)
  assert.ok(text.endsWith('page b '))
})
