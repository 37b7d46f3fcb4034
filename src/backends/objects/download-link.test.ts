import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Agent, get as httpGet, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { signingKeysFile } from './disk-object-store.ts'
import { hideSignature, verifyDownload } from './download-link.ts'
import { revokeSigningKey, rotateSigningKey } from './signing-keys.ts'
import { digestOf, diskStoreWithServer, send } from './testing.ts'

const startMs = Date.UTC(2026, 10, 15, 12)

test('a link works in its last second and not in the next, and says what time the server has', async (context) => {
  const { link, clock } = await sample(context)
  clock.nowMs = startMs + 3_599_999
  assert.equal((await send(link)).status, 200)
  clock.nowMs = startMs + 3_600_000
  const expired = await send(link)
  assert.equal(expired.status, 403)
  const body = JSON.parse(String(expired.body))
  assert.equal(body.code, 'link_expired')
  assert.match(body.message, /expired at 2026-11-15T13:00:00.000Z .* 2026-11-15T13:00:00.000Z/)
})

test('every altered byte of path and query is refused', async (context) => {
  const { link, origin, store } = await sample(context)
  const target = Buffer.from(link.slice(origin.length))
  let tried = 0
  for (let index = 0; index < target.length; index++) {
    for (let bit = 0; bit < 8; bit++) {
      const altered = Buffer.from(target)
      altered[index]! ^= 1 << bit
      const verdict = await verifyDownload({
        method: 'GET',
        target: altered.toString('latin1'),
        nowMs: startMs,
        signingKeys: store.linkKeys!,
      })
      assert.equal(verdict.type, 'link-invalid', altered.toString('latin1'))
      tried++
    }
  }
  assert.ok(tried >= 1000)
})

test('every altered byte that HTTP can carry is answered with 403', async (context) => {
  const { link, origin } = await sample(context)
  const agent = new Agent({ keepAlive: true })
  context.after(() => agent.destroy())
  const target = link.slice(origin.length)
  for (let index = '/objects/'.length; index < target.length; index++) {
    for (const letter of ['%', '?', '&', '/', ';', '~', target[index] === 'x' ? 'y' : 'x']) {
      if (target[index] === letter) continue
      const altered = `${target.slice(0, index)}${letter}${target.slice(index + 1)}`
      const answer = await send(origin + altered, { agent })
      assert.equal(answer.status, 403, altered)
    }
  }
})

test('other spellings of the same address are refused over HTTP', async (context) => {
  const { link } = await sample(context)
  for (const altered of [
    link.replace('/bundle', '%2fbundle'),
    link.replace('bundle', '%62undle'),
    link.replace('/objects/', '/objects//'),
    link.replace('/objects/', '/objects/./'),
    link.replace('?', '?a=b&'),
    `${link}&a=b`,
    `${link}=`,
    `${link}%20`,
    link.replace(/expires=(\d+)/, 'expires=0$1'),
  ]) {
    const answer = await send(altered)
    assert.equal(answer.status, 403, altered)
    assert.equal(JSON.parse(String(answer.body)).code, 'link_invalid')
  }
})

test('a link is for GET alone', async (context) => {
  const { link } = await sample(context)
  for (const method of ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const headers = { 'content-type': 'text/x-unknown', 'content-length': '0' }
    assert.equal((await send(link, { method, headers })).status, 403, method)
  }
})

test('a running download outlives the expiry of its link', async (context) => {
  const { store, clock } = await sample(context)
  const bytes = randomBytes(24 * 1024 * 1024)
  await store.put('large', Readable.from([bytes]), { contentType: 'application/gzip' })
  const link = await store.presignDownload('large', {
    expiresInSeconds: 60,
    fileName: 'large',
    nowMs: startMs,
  })
  clock.nowMs = startMs + 59_000
  const response = await new Promise<IncomingMessage>((resolve) => httpGet(link, { agent: false }, resolve))
  clock.nowMs = startMs + 61_000
  assert.equal((await send(link)).status, 403)
  assert.equal(digestOf(await buffer(response)), digestOf(bytes))
})

test('links of an older key live on when a new key signs, and die with their key', async (context) => {
  const { link: oldLink, store, folder } = await sample(context)
  const file = signingKeysFile(folder)
  const newKey = await rotateSigningKey(file)
  const newLink = await presign(store)
  assert.ok(newLink.includes(`&key=${newKey.id}&`))
  assert.equal((await send(oldLink)).status, 200)
  assert.equal((await send(newLink)).status, 200)
  await revokeSigningKey(file, /&key=(\w+)/.exec(oldLink)![1]!)
  assert.equal((await send(oldLink)).status, 403)
  assert.equal((await send(newLink)).status, 200)
  await revokeSigningKey(file, newKey.id)
  assert.equal((await send(newLink)).status, 403)
  assert.equal((await send(await presign(store))).status, 200)
})

test('the links of a revoked object die at once', async (context) => {
  const revoked = new Set<string>()
  const { link } = await sample(context, async (key) => revoked.has(key))
  assert.equal((await send(link)).status, 200)
  revoked.add('site/bundle.tar.gz')
  const answer = await send(link)
  assert.equal(answer.status, 403)
  assert.equal(JSON.parse(String(answer.body)).code, 'link_revoked')
})

test('conditional requests follow the digest', async (context) => {
  const { link, bytes } = await sample(context)
  const etag = `"${digestOf(bytes)}"`
  const whole = await send(link)
  assert.equal(whole.headers.etag, etag)
  assert.equal(whole.headers['accept-ranges'], 'bytes')
  const cases: [Record<string, string>, number, Buffer][] = [
    [{ 'if-none-match': etag }, 304, Buffer.alloc(0)],
    [{ 'if-none-match': '"other", W/"more"' }, 200, bytes],
    [{ 'if-match': '"other"' }, 412, Buffer.alloc(0)],
    [{ range: 'bytes=10-', 'if-range': etag }, 206, bytes.subarray(10)],
    [{ range: 'bytes=10-', 'if-range': '"other"' }, 200, bytes],
    [{ range: 'bytes=10-', 'if-range': 'Sun, 15 Nov 2026 12:00:00 GMT' }, 200, bytes],
    [{ range: 'bytes=0-0' }, 206, bytes.subarray(0, 1)],
    [{ range: `bytes=-${bytes.length + 5}` }, 206, bytes],
    [{ range: 'bytes=-0' }, 416, Buffer.alloc(0)],
    [{ range: 'bytes=9-3' }, 200, bytes],
    [{ range: 'bytes=-' }, 200, bytes],
    [{ range: 'lines=1-2' }, 200, bytes],
    [{ range: 'bytes=0-1,4-5' }, 200, bytes],
  ]
  for (const [headers, status, body] of cases) {
    const answer = await send(link, { headers })
    assert.equal(answer.status, status, JSON.stringify(headers))
    assert.ok(answer.body.equals(body), JSON.stringify(headers))
  }
  const behind = await send(link, { headers: { range: `bytes=${bytes.length}-` } })
  assert.equal(behind.headers['content-range'], `bytes */${bytes.length}`)
})

test('a download keeps a name of any language', async (context) => {
  const { store } = await sample(context)
  const link = await store.presignDownload('site/bundle.tar.gz', {
    expiresInSeconds: 60,
    fileName: 'Übersicht "1".tar.gz',
    nowMs: startMs,
  })
  const answer = await send(link)
  assert.equal(
    answer.headers['content-disposition'],
    `attachment; filename="_bersicht _1_.tar.gz"; filename*=UTF-8''%C3%9Cbersicht%20%221%22.tar.gz`,
  )
})

test('no signature reaches a log or an error', async (context) => {
  const { link, log } = await sample(context)
  const signature = /signature=(.*)$/.exec(link)![1]!
  assert.equal((await send(link)).status, 200)
  const refused = await send(link.replace('site', 'sita'))
  assert.ok(!String(refused.body).includes(signature))
  assert.ok(log.some((line) => line.includes('/objects/site/bundle.tar.gz')))
  assert.ok(!log.join('').includes(signature.slice(0, 10)))
  assert.ok(!hideSignature(link).includes(signature))
  assert.equal(hideSignature('/x?a=1&X-Amz-Signature=abc&b=2'), '/x?a=1&X-Amz-Signature=…&b=2')
})

async function sample(context: TestContext, isRevoked = async (_key: string) => false) {
  const clock = { nowMs: startMs }
  const { store, folder, origin, log } = await diskStoreWithServer(context, {
    nowMs: () => clock.nowMs,
    isRevoked,
  })
  const bytes = randomBytes(20_000)
  await store.put('site/bundle.tar.gz', Readable.from([bytes]), { contentType: 'application/gzip' })
  return { store, folder, origin, log, clock, bytes, link: await presign(store) }
}

function presign(store: Awaited<ReturnType<typeof diskStoreWithServer>>['store']): Promise<string> {
  return store.presignDownload('site/bundle.tar.gz', {
    expiresInSeconds: 3600,
    fileName: 'bundle.tar.gz',
    nowMs: startMs,
  })
}
