import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { type Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import fastify from 'fastify'
import { z } from 'zod'
import { rewriteObjectUrl } from './download-link.ts'
import { ObjectDigestError, ObjectRangeError, type ObjectStore } from './object-store.ts'
import { objectRoutes } from './object-routes.ts'
import { openObjectStore } from './open-object-store.ts'

/** Runs one test on a folder and again on a real S3 server, where one is given; links work in both. */
export function testOnEveryStore(
  name: string,
  body: (store: ObjectStore, context: TestContext) => Promise<void>,
): void {
  test(`${name} (disk)`, async (context) => {
    const { store } = await diskStoreWithServer(context)
    await body(store, context)
  })
  const server = s3TestServer()
  const skip = server === null ? 'QUIRE_TEST_S3 names no S3 server' : false
  test(`${name} (S3)`, { skip }, async (context) => {
    const store = await openObjectStore({
      ...freshS3Objects(server!),
      publicUrl: () => 'http://unused.invalid',
      nowMs: Date.now(),
    })
    context.after(() => store.close())
    await body(store, context)
  })
}

/** A disk store in a folder of its own, and a server that serves its links. */
export async function diskStoreWithServer(
  context: TestContext,
  settings: { nowMs?: () => number; isRevoked?: (key: string) => Promise<boolean> } = {},
): Promise<{ store: ObjectStore; folder: string; origin: string; log: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-objects-'))
  const log: string[] = []
  let origin = ''
  const store = await openObjectStore({
    address: folder,
    publicUrl: () => origin,
    environment: {},
    nowMs: Date.now(),
  })
  const app = fastify({
    forceCloseConnections: true,
    rewriteUrl: rewriteObjectUrl,
    logger: { stream: { write: (line: string) => log.push(line) } },
  })
  objectRoutes(app, {
    store,
    nowMs: settings.nowMs ?? Date.now,
    refuse: ({ status, ...rest }) => Object.assign(new Error(rest.message), rest, { statusCode: status }),
    ...(settings.isRevoked === undefined ? {} : { isRevoked: settings.isRevoked }),
  })
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
  context.after(async () => {
    await app.close()
    await store.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { store, folder, origin, log }
}

const s3TestServerSchema = z.object({
  endpoint: z.url(),
  region: z.string(),
  bucket: z.string(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
})
type S3TestServer = z.infer<typeof s3TestServerSchema>

/** The S3 server that `scripts/services/start.ts` names in QUIRE_TEST_S3, or null. */
export function s3TestServer(): S3TestServer | null {
  const text = process.env.QUIRE_TEST_S3
  return text ? s3TestServerSchema.parse(JSON.parse(text)) : null
}

/** An address with a prefix of its own, so that tests never meet, and the environment that opens it. */
export function freshS3Objects(server: S3TestServer): {
  address: string
  environment: Record<string, string>
} {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = server
  const query = new URLSearchParams({ endpoint, region, pathStyle: 'true' })
  return {
    address: `s3://${bucket}/test-${randomBytes(6).toString('hex')}?${query}`,
    environment: { QUIRE_S3_ACCESS_KEY_ID: accessKeyId, QUIRE_S3_SECRET_ACCESS_KEY: secretAccessKey },
  }
}

/** The promises of an object store, whichever it is. */
export function objectStoreContract(): void {
  testOnEveryStore('gives back the bytes it was given, with their size, digest and type', async (store) => {
    const bytes = randomBytes(100_000)
    const put = await store.put('a/b.bin', chunksOf(bytes, 7_000), { contentType: 'application/x-test' })
    assert.deepEqual(put, { sizeBytes: 100_000, sha256: digestOf(bytes) })
    const got = await store.get('a/b.bin')
    assert.equal(got?.sizeBytes, 100_000)
    assert.equal(got.contentType, 'application/x-test')
    assert.ok((await buffer(got.stream)).equals(bytes))
    const head = await store.head('a/b.bin')
    assert.equal(head?.sizeBytes, 100_000)
    assert.ok(Math.abs(Date.now() - head.modifiedAtMs) < 600_000)
  })

  testOnEveryStore('keeps an empty object', async (store) => {
    await store.put('empty', Readable.from([]), { contentType: 'text/plain' })
    const got = await store.get('empty')
    assert.equal(got?.sizeBytes, 0)
    assert.equal((await buffer(got.stream)).length, 0)
  })

  testOnEveryStore(
    'says null for a key it does not know, and deletes it without complaint',
    async (store) => {
      assert.equal(await store.get('nothing/here'), null)
      assert.equal(await store.head('nothing/here'), null)
      await store.delete('nothing/here')
    },
  )

  testOnEveryStore('puts over an older object and deletes', async (store) => {
    for (const text of ['first', 'second']) {
      await store.put('doc', Readable.from([Buffer.from(text)]), { contentType: 'text/plain' })
    }
    const got = await store.get('doc')
    assert.equal(String(await buffer(got!.stream)), 'second')
    await store.delete('doc')
    assert.equal(await store.head('doc'), null)
  })

  testOnEveryStore('reads ranges, both ends included, and refuses one behind the end', async (store) => {
    await store.put('digits', Readable.from([Buffer.from('0123456789')]), { contentType: 'text/plain' })
    const read = async (range: { start: number; end?: number }) => {
      const got = await store.get('digits', { range })
      assert.equal(got?.sizeBytes, 10)
      return String(await buffer(got.stream))
    }
    assert.equal(await read({ start: 2, end: 4 }), '234')
    assert.equal(await read({ start: 7 }), '789')
    assert.equal(await read({ start: 8, end: 99 }), '89')
    await assert.rejects(
      read({ start: 10 }),
      (error) => error instanceof ObjectRangeError && error.sizeBytes === 10,
    )
  })

  testOnEveryStore('streams 18 MB without holding them', async (store) => {
    const block = randomBytes(1024 * 1024)
    const expected = createHash('sha256')
    async function* blocks() {
      for (let number = 0; number < 18; number++) {
        block.writeUInt32BE(number)
        expected.update(block)
        yield Uint8Array.from(block)
      }
    }
    const put = await store.put('large.tar.gz', blocks(), { contentType: 'application/gzip' })
    assert.equal(put.sizeBytes, 18 * 1024 * 1024)
    assert.equal(put.sha256, expected.digest('hex'))
    const got = await store.get('large.tar.gz')
    const read = createHash('sha256')
    for await (const chunk of got!.stream) read.update(chunk)
    assert.equal(read.digest('hex'), put.sha256)
  })

  testOnEveryStore('stores nothing of a stream that fails, and keeps what was there', async (store) => {
    await store.put('kept', Readable.from([Buffer.from('old')]), { contentType: 'text/plain' })
    for (const size of [10, 9 * 1024 * 1024]) {
      async function* failing() {
        yield Buffer.alloc(size)
        throw new Error('the source broke')
      }
      await assert.rejects(store.put('kept', failing(), { contentType: 'text/plain' }), /the source broke/)
      await assert.rejects(store.put('new', failing(), { contentType: 'text/plain' }), /the source broke/)
    }
    assert.equal(await store.head('new'), null)
    assert.equal(String(await buffer((await store.get('kept'))!.stream)), 'old')
  })

  testOnEveryStore('stores nothing of a put that was aborted', async (store) => {
    const controller = new AbortController()
    async function* endless() {
      for (let count = 0; ; count++) {
        yield Buffer.alloc(1024 * 1024)
        if (count === 9) controller.abort()
      }
    }
    await assert.rejects(
      store.put('aborted', endless(), { contentType: 'text/plain', signal: controller.signal }),
      (error) => error instanceof Error && error.name === 'AbortError',
    )
    assert.equal(await store.head('aborted'), null)
  })

  testOnEveryStore('ends an aborted put whose source keeps it waiting', async (store) => {
    const controller = new AbortController()
    async function* hanging() {
      yield Buffer.alloc(10)
      controller.abort()
      await new Promise(() => {})
    }
    await assert.rejects(
      store.put('a', hanging(), { contentType: 'text/plain', signal: controller.signal }),
      {
        name: 'AbortError',
      },
    )
  })

  testOnEveryStore('refuses bytes that are not those of the promised digest', async (store) => {
    const options = { contentType: 'text/plain', sha256: digestOf(Buffer.from('right')) }
    await assert.rejects(
      store.put('wrong', Readable.from([Buffer.from('wrong')]), options),
      ObjectDigestError,
    )
    assert.equal(await store.head('wrong'), null)
    await store.put('right', Readable.from([Buffer.from('right')]), options)
    assert.equal((await store.head('right'))?.sha256, options.sha256)
  })

  testOnEveryStore('lists by prefix in the order of the keys', async (store) => {
    const keys = ['a', 'a-b', 'a/b', 'a/c/d', 'ab', 'b/a']
    for (const key of keys.toReversed()) {
      await store.put(key, Readable.from([Buffer.from(key)]), { contentType: 'text/plain' })
    }
    const list = async (prefix: string) => (await all(store.list(prefix))).map((object) => object.key)
    assert.deepEqual(await list(''), keys)
    assert.deepEqual(await list('a/'), ['a/b', 'a/c/d'])
    assert.deepEqual(await list('a/c'), ['a/c/d'])
    assert.deepEqual(await list('none'), [])
    const [first] = await all(store.list('ab'))
    assert.equal(first?.sizeBytes, 2)
  })

  testOnEveryStore('refuses keys that leave the store or need escaping', async (store) => {
    const keys = [
      '',
      '/a',
      'a/',
      'a//b',
      '..',
      'a/../b',
      './a',
      '.partial/x',
      'a\\b',
      'a\0b',
      'ä',
      'a b',
      'a%2fb',
      'a,object',
    ]
    for (const key of [...keys, 'x'.repeat(901)]) {
      await assert.rejects(store.put(key, Readable.from([]), { contentType: 'text/plain' }), TypeError)
      await assert.rejects(store.get(key), TypeError)
      await assert.rejects(store.delete(key), TypeError)
      await assert.rejects(
        store.presignDownload(key, { expiresInSeconds: 60, fileName: 'x', nowMs: 0 }),
        TypeError,
      )
    }
  })

  testOnEveryStore('is reachable', async (store) => store.check())

  linkContract()
}

function linkContract(): void {
  testOnEveryStore('makes a link that downloads, whole, in parts and under its name', async (store) => {
    const bytes = await putSample(store)
    const link = await store.presignDownload('dir/bundle.tar.gz', fresh())
    const whole = await send(link)
    assert.equal(whole.status, 200)
    assert.ok(whole.body.equals(bytes))
    assert.equal(whole.headers['content-type'], 'application/gzip')
    assert.match(String(whole.headers['content-disposition']), /attachment; filename="bundle.tar.gz"/)
    const part = await send(link, { headers: { range: 'bytes=100-199' } })
    assert.equal(part.status, 206)
    assert.equal(part.headers['content-range'], `bytes 100-199/${bytes.length}`)
    assert.ok(part.body.equals(bytes.subarray(100, 200)))
    const tail = await send(link, { headers: { range: 'bytes=-5' } })
    assert.equal(tail.status, 206)
    assert.ok(tail.body.equals(bytes.subarray(-5)))
    const behind = await send(link, { headers: { range: `bytes=${bytes.length}-` } })
    assert.equal(behind.status, 416)
  })

  testOnEveryStore('resumes a download that was cut at 100 places', async (store) => {
    const bytes = await putSample(store)
    const link = await store.presignDownload('dir/bundle.tar.gz', fresh())
    for (let cut = 0; cut < 100; cut++) {
      const offset = Math.floor((bytes.length * cut) / 100)
      const rest = await send(link, { headers: { range: `bytes=${offset}-` } })
      assert.equal(rest.status, 206)
      assert.equal(digestOf(Buffer.concat([bytes.subarray(0, offset), rest.body])), digestOf(bytes))
    }
  })

  testOnEveryStore('lets a link die at its second', async (store) => {
    await putSample(store)
    const at = (agoSeconds: number) =>
      store.presignDownload('dir/bundle.tar.gz', {
        ...fresh(),
        expiresInSeconds: 60,
        nowMs: Date.now() - agoSeconds * 1000,
      })
    assert.equal((await send(await at(50))).status, 200)
    assert.equal((await send(await at(62))).status, 403)
    assert.equal((await send(await at(86_400))).status, 403)
  })

  testOnEveryStore(
    'refuses a link for another object, another time, another method, or without its signature',
    async (store) => {
      await putSample(store)
      await store.put('dir/other', Readable.from([Buffer.from('secret')]), { contentType: 'text/plain' })
      const link = await store.presignDownload('dir/bundle.tar.gz', fresh())
      const altered = [
        link.replace('dir/bundle.tar.gz', 'dir/other'),
        link.replace(/((?:Amz-Expires|expires)=)(\d+)/, (_, name, value) => `${name}${Number(value) + 1}`),
        link.replace(/([sS]ignature=.)(.)/, (_, before, letter) => before + (letter === 'a' ? 'b' : 'a')),
        link.replace(/(bundle.tar.gz)(?=[%&"])/, 'x'),
      ]
      for (const url of altered) {
        assert.notEqual(url, link)
        assert.equal((await send(url)).status, 403, url)
      }
      const unsigned = link.replace(/&[^&]*[sS]ignature=[^&]*/, '')
      assert.ok([400, 403].includes((await send(unsigned)).status))
      for (const method of ['HEAD', 'PUT', 'DELETE']) {
        assert.equal((await send(link, { method })).status, 403, method)
      }
      assert.notEqual(await store.head('dir/bundle.tar.gz'), null)
    },
  )

  testOnEveryStore('lets the links of a deleted object die with it', async (store) => {
    await putSample(store)
    const link = await store.presignDownload('dir/bundle.tar.gz', fresh())
    await store.delete('dir/bundle.tar.gz')
    assert.ok([403, 404].includes((await send(link)).status))
  })

  testOnEveryStore('makes links of 1 second to 7 days only', async (store) => {
    for (const expiresInSeconds of [0, -1, 1.5, 604_801, Number.NaN]) {
      await assert.rejects(store.presignDownload('a', { ...fresh(), expiresInSeconds }), RangeError)
    }
  })
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** One request whose path and query go out byte by byte as they stand. */
export function send(
  url: string,
  options: { method?: string; headers?: Record<string, string>; agent?: Agent } = {},
): Promise<{ status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }> {
  const [, host = '', port = '', path = ''] = /^http:\/\/([^/:]+):(\d+)(.*)$/s.exec(url) ?? []
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host, port, path, agent: false, ...options }, (response) => {
      const { statusCode: status = 0, headers } = response
      if (options.method === 'HEAD') resolve({ status, headers, body: Buffer.alloc(0) }) // Some servers send a body even so.
      buffer(response).then((body) => resolve({ status, headers, body }), reject)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

function fresh() {
  return { expiresInSeconds: 3600, fileName: 'bundle.tar.gz', nowMs: Date.now() }
}

async function putSample(store: ObjectStore): Promise<Buffer> {
  const bytes = randomBytes(50_000)
  await store.put('dir/bundle.tar.gz', chunksOf(bytes, 9_999), { contentType: 'application/gzip' })
  return bytes
}

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}
