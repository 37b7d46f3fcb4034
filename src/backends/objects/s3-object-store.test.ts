import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { readS3Address } from './s3-address.ts'
import { openS3ObjectStore } from './s3-object-store.ts'
import { freshS3Objects, s3TestServer } from './testing.ts'

const server = s3TestServer()
const skip = server === null ? 'QUIRE_TEST_S3 names no S3 server' : false

test('a put that fails or is aborted leaves no parts behind on S3', { skip }, async (context) => {
  const settings = freshS3Objects(server!)
  const store = await openS3ObjectStore(settings)
  const { bucket, prefix } = readS3Address(settings.address, settings.environment)
  const client = new S3Client({ ...server!, credentials: { ...server! }, forcePathStyle: true })
  context.after(async () => {
    client.destroy()
    await store.close()
  })
  async function* broken(end: () => void) {
    for (let count = 0; count < 20; count++) yield Buffer.alloc(1024 * 1024)
    end()
    yield Buffer.alloc(9 * 1024 * 1024)
  }
  const controller = new AbortController()
  const failing = broken(() => {
    throw new Error('the source broke')
  })
  const aborted = broken(() => controller.abort())
  await assert.rejects(store.put('failed', failing, { contentType: 'text/plain' }), /the source broke/)
  await assert.rejects(
    store.put('aborted', aborted, { contentType: 'text/plain', signal: controller.signal }),
  )
  const left = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }))
  assert.deepEqual(left.Uploads ?? [], [])
  assert.equal(await store.head('failed'), null)
  assert.equal(await store.head('aborted'), null)
})

test('a bucket that is not there or credentials that are wrong are said in a sentence', {
  skip,
}, async (context) => {
  const { address, environment } = freshS3Objects(server!)
  const wrong = [
    await openS3ObjectStore({ address: address.replace(server!.bucket, 'no-such-bucket'), environment }),
    await openS3ObjectStore({
      address,
      environment: { ...environment, QUIRE_S3_SECRET_ACCESS_KEY: 'wrong' },
    }),
  ]
  for (const store of wrong) {
    context.after(() => store.close())
    await assert.rejects(store.check(), /cannot be reached; check the address in QUIRE_OBJECTS/)
  }
  await assert.rejects(wrong[1]!.put('x', Readable.from([Buffer.from('x')]), { contentType: 'text/plain' }))
})
