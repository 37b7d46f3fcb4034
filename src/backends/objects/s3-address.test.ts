import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readS3Address } from './s3-address.ts'

test('an S3 address names bucket, prefix, endpoint, region and style', () => {
  const environment = {
    QUIRE_S3_ACCESS_KEY_ID: 'id',
    QUIRE_S3_SECRET_ACCESS_KEY: 'secret',
    AWS_ACCESS_KEY_ID: 'x',
  }
  assert.deepEqual(
    readS3Address('s3://bucket/some/prefix/?endpoint=http://127.0.0.1:9000&region=eu-1', environment),
    {
      bucket: 'bucket',
      prefix: 'some/prefix/',
      endpoint: 'http://127.0.0.1:9000',
      region: 'eu-1',
      pathStyle: true,
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    },
  )
})

test('an S3 address of a bucket alone leaves the rest to the provider', () => {
  assert.deepEqual(readS3Address('s3://bucket', {}), {
    bucket: 'bucket',
    prefix: '',
    endpoint: null,
    region: 'us-east-1',
    pathStyle: false,
    credentials: null,
  })
})

test('a wrong S3 address is answered with what to write', () => {
  assert.throws(() => readS3Address('s3:bucket', {}), /looks like s3:\/\/bucket/)
  assert.throws(() => readS3Address('s3://bucket?pathstyle=true', {}), /knows endpoint, region and pathStyle/)
  assert.throws(() => readS3Address('s3://bucket?pathStyle=yes', {}), /pathStyle/)
  assert.throws(
    () => readS3Address('s3://bucket?endpoint=ftp://x', {}),
    /endpoint is an http or https address/,
  )
  assert.throws(() => readS3Address('s3://id:secret@bucket', {}), /QUIRE_S3_ACCESS_KEY_ID/)
})
