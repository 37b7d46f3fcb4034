import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type GuardedFetchOptions, GuardedFetchError, guardedFetch } from './guarded-fetch.ts'
import { isPublicAddress } from './public-address.ts'

/** A server that must never be reached, on all addresses of this machine. */
let canary: Server
let port = 0
let connections = 0
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined

before(async () => {
  canary = createServer((request, response) => answer(request, response))
  canary.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => canary.listen(0, '0.0.0.0', resolve))
  port = portOf(canary)
})

beforeEach(() => {
  connections = 0
  answer = (_request, response) => response.end('reached')
})

after(() => {
  canary.closeAllConnections()
  canary.close()
})

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function codeOf(address: string, options: GuardedFetchOptions = {}): Promise<string> {
  try {
    const response = await guardedFetch(address, { timeoutMs: 3000, ...options })
    return `reached ${response.status}`
  } catch (error) {
    if (error instanceof GuardedFetchError) return error.code
    throw error
  }
}

const internalAddresses = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.254',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.254',
  '127.0.0.1',
  '127.0.1.1',
  '127.127.127.127',
  '127.255.255.254',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.20.10.5',
  '172.31.255.254',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.5',
  '192.168.0.1',
  '192.168.255.254',
  '198.18.0.1',
  '198.19.255.254',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
]

const internalAddresses6 = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::7f00:1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'fc00::1',
  'fd00::1',
  'fd00:ec2::254',
  'fd12:3456:789a::1',
  'ff02::1',
  'ff05::2',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '2001::1',
  '2001:0:53aa:64c:0:7a0b:5601:5602',
  '100::1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '3fff::1',
  '::ffff:0:127.0.0.1',
  '5f00::1',
  '4000::1',
]

/** The ways in which one IPv4 address can be written. */
function writings(ip: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number)
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const hexadecimal = [a, b, c, d].map((part) => part.toString(16).padStart(2, '0'))
  return [
    ip,
    `${ip}.`,
    String(number),
    `0x${number.toString(16)}`,
    `0${number.toString(8)}`,
    [a, b, c, d].map((part) => `0x${part.toString(16)}`).join('.'),
    [a, b, c, d].map((part) => `0${part.toString(8)}`).join('.'),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `[::ffff:${ip}]`,
    `[::ffff:${hexadecimal[0]}${hexadecimal[1]}:${hexadecimal[2]}${hexadecimal[3]}]`,
    `[64:ff9b::${ip}]`,
    `[::${ip}]`,
    `[2002:${hexadecimal[0]}${hexadecimal[1]}:${hexadecimal[2]}${hexadecimal[3]}::1]`,
  ]
}

const internalNames = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'localhost.localdomain',
  'metadata',
  'metadata.google.internal',
  'metadata.google.internal.',
  'instance-data',
  'kubernetes.default.svc.cluster.local',
  'printer.local',
  'router.lan',
  'db.internal',
  'intranet',
  'host.docker.internal',
  'gateway.docker.internal',
  'nas.home.arpa',
  'wiki.corp',
]

test('refuses internal addresses in every notation, before any connection', async () => {
  const hosts = [
    ...internalAddresses.flatMap(writings),
    ...internalAddresses6.map((ip) => `[${ip}]`),
    ...internalNames,
  ]
  assert.ok(hosts.length >= 400, String(hosts.length))
  for (const host of hosts) {
    const asked: string[] = []
    const resolveName = async (name: string) => {
      asked.push(name)
      return ['127.0.0.1']
    }
    const code = await codeOf(`http://${host}:${port}/`, { resolveName })
    assert.ok(['forbidden_address', 'invalid_address'].includes(code), `${host}: ${code}`)
    assert.deepEqual(asked, [], host)
  }
  assert.equal(connections, 0)
})

test('refuses names that lead to an internal address, also among public ones', async () => {
  const lists = [...internalAddresses, ...internalAddresses6].flatMap((ip) => [[ip], ['93.184.216.34', ip]])
  for (const list of lists) {
    const code = await codeOf(`http://docs.example.com:${port}/`, { resolveName: async () => list })
    assert.equal(code, 'forbidden_address', list.join())
  }
  assert.equal(connections, 0)
})

test('knows public addresses', () => {
  for (const ip of [
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '192.167.1.1',
    '11.0.0.1',
    '223.255.255.254',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '2001:4860:4860::8888',
  ]) {
    assert.ok(isPublicAddress(ip), ip)
  }
  for (const text of ['', 'localhost', '1.2.3', 'fe80::1%eth0', '2606:4700::1111%1', '999.1.1.1']) {
    assert.ok(!isPublicAddress(text), text)
  }
})

test('refuses other schemes, credentials, odd ports and addresses that cannot be read', async () => {
  for (const address of [
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com/',
    'data:text/plain,x',
    'javascript:1',
    'blob:x',
    'ws://example.com',
    'unix:/run/docker.sock',
    'jar:http://example.com!/',
  ]) {
    assert.equal(await codeOf(address), 'forbidden_scheme', address)
  }
  for (const address of [
    'http://user@example.com/',
    'http://user:pw@example.com/',
    'http://example.com@127.0.0.1/',
    'http://',
    'http://exa mple.com/',
    '//example.com',
    '',
    'http://[::1',
    'http://1.2.3.4.5.6/',
  ]) {
    assert.equal(await codeOf(address), 'invalid_address', address)
  }
  for (const odd of [1, 21, 22, 23, 25, 53, 110, 135, 139, 143, 445, 465, 587, 993, 6000, 6667, 2049]) {
    assert.equal(await codeOf(`http://example.com:${odd}/`), 'forbidden_port', String(odd))
  }
  assert.equal(connections, 0)
})

/** The machine's own address stands for the public internet. */
const local: GuardedFetchOptions = {
  resolveName: async () => ['127.0.0.1'],
  isAllowedAddress: (ip) => ip === '127.0.0.1',
}

test('connects to the address it checked, however often a name server changes its mind', async () => {
  const seen = new Set<string>()
  answer = (request, response) => {
    seen.add(request.socket.localAddress ?? '')
    response.end('ok')
  }
  const once = async () => {
    let asked = 0
    const resolveName = async () => {
      asked += 1
      return asked === 1 ? ['127.0.0.1'] : ['127.0.0.2']
    }
    assert.equal(await codeOf(`http://flip.example.com:${port}/`, { ...local, resolveName }), 'reached 200')
    assert.equal(asked, 1)
  }
  for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 50 }, once))
  assert.deepEqual([...seen], ['127.0.0.1'])
})

test('checks every redirect again', async () => {
  const targets = [
    'http://169.254.169.254/latest/meta-data/',
    `http://127.0.0.2:${port}/`,
    'http://[::1]/',
    'http://localhost/',
    '//10.0.0.1/',
    'file:///etc/passwd',
    'http://user@docs.example.com/',
    'http://docs.example.com:22/',
  ]
  for (const target of targets) {
    answer = (_request, response) => {
      response.writeHead(302, { location: target })
      response.end()
    }
    const code = await codeOf(`http://docs.example.com:${port}/`, local)
    assert.match(code, /^(forbidden|invalid)_/, target)
  }
})

test('follows five redirects and no more', async () => {
  answer = (request, response) => {
    const step = Number(new URL(request.url ?? '/', 'http://x').searchParams.get('step') ?? 0)
    const limit = Number(new URL(request.url ?? '/', 'http://x').searchParams.get('limit') ?? 0)
    if (step >= limit) {
      response.end('there')
      return
    }
    response.writeHead(301, { location: `/?step=${step + 1}&limit=${limit}` })
    response.end()
  }
  assert.equal(await codeOf(`http://docs.example.com:${port}/?limit=5`, local), 'reached 200')
  assert.equal(await codeOf(`http://docs.example.com:${port}/?limit=20`, local), 'too_many_redirects')
})

test('keeps credentials from another host', async () => {
  const seen: (string | undefined)[] = []
  answer = (request, response) => {
    seen.push(request.headers.authorization)
    if (request.headers.host?.startsWith('one.') === true) {
      response.writeHead(302, { location: `http://two.example.com:${port}/` })
    }
    response.end()
  }
  await guardedFetch(`http://one.example.com:${port}/`, { ...local, headers: { authorization: 'Bearer x' } })
  assert.deepEqual(seen, ['Bearer x', undefined])
})

test('cuts a body without end, announced or not, packed or not', async () => {
  const options = { ...local, maximumBytes: 100_000 }
  answer = (_request, response) => {
    response.writeHead(200, { 'content-length': '10000000000' })
    response.write('x')
  }
  assert.equal(await codeOf(`http://docs.example.com:${port}/`, options), 'too_large')
  answer = (_request, response) => {
    const block = Buffer.alloc(16_384)
    const pour = () => {
      while (!response.destroyed && response.write(block));
    }
    response.on('drain', pour)
    pour()
  }
  assert.equal(await codeOf(`http://docs.example.com:${port}/`, options), 'too_large')
  answer = (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.end(gzipSync(Buffer.alloc(5_000_000)))
  }
  assert.equal(await codeOf(`http://docs.example.com:${port}/`, options), 'too_large')
})

test('stops waiting for a slow answer, slow headers and a slow name server', async () => {
  const options = { ...local, timeoutMs: 50 }
  answer = (_request, response) => void response.write('begin')
  assert.equal(await codeOf(`http://docs.example.com:${port}/`, options), 'too_slow')
  answer = () => undefined
  assert.equal(await codeOf(`http://docs.example.com:${port}/`, options), 'too_slow')
  const never = { ...options, resolveName: () => new Promise<string[]>(() => undefined) }
  assert.equal(await codeOf(`http://docs.example.com:${port}/`, never), 'too_slow')
})

test('takes only the types that are asked for', async () => {
  const options = { ...local, acceptType: (type: string) => type === 'application/json' }
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end('<p>')
  }
  assert.equal(await codeOf(`http://docs.example.com:${port}/`, options), 'wrong_type')
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
    response.end('{}')
  }
  assert.equal(await codeOf(`http://docs.example.com:${port}/`, options), 'reached 200')
})

test('unpacks an answer and gives its last address', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' })
    response.end(gzipSync('hello'))
  }
  const response = await guardedFetch(`http://docs.example.com:${port}/a`, local)
  assert.equal(response.body.toString(), 'hello')
  assert.equal(response.url, `http://docs.example.com:${port}/a`)
})

test('says when a host is not known or not there', async () => {
  const nobody = { ...local, resolveName: async () => [] }
  assert.equal(await codeOf('http://docs.example.com/', nobody), 'unknown_host')
  const failing = { ...local, resolveName: async () => Promise.reject(new Error('ENOTFOUND')) }
  assert.equal(await codeOf('http://docs.example.com/', failing), 'unknown_host')
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const free = portOf(server)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  assert.equal(await codeOf(`http://docs.example.com:${free}/`, local), 'unreachable')
})

test('ends when the caller gives up', async () => {
  const controller = new AbortController()
  answer = () => controller.abort(new Error('enough'))
  const call = guardedFetch(`http://docs.example.com:${port}/`, { ...local, signal: controller.signal })
  await assert.rejects(call, /enough/)
})
