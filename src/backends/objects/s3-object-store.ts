import { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NotFound,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { measureBytes } from './measured-bytes.ts'
import {
  checkObjectKey,
  type ListedObject,
  linkExpiresAtMs,
  type ObjectInfo,
  ObjectRangeError,
  type ObjectStore,
} from './object-store.ts'
import { readS3Address, type S3Address } from './s3-address.ts'

/** Objects in a bucket of any server that speaks S3. */
export async function openS3ObjectStore(settings: S3ObjectStoreSettings): Promise<ObjectStore> {
  const address = readS3Address(settings.address, settings.environment)
  const { bucket, prefix } = address
  const client = clientOf(address)
  const at = (key: string) => ({ Bucket: bucket, Key: prefix + checkObjectKey(key) })

  async function head(key: string): Promise<ObjectInfo | null> {
    try {
      return infoOf(await client.send(new HeadObjectCommand(at(key))))
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  return {
    async put(key, bytes, options) {
      const measured = measureBytes(key, bytes, options)
      const upload = new Upload({
        client,
        params: {
          ...at(key),
          Body: Readable.from(measured.bytes, { objectMode: false }),
          ContentType: options.contentType,
          ...(options.sha256 === undefined ? {} : { Metadata: { sha256: options.sha256 } }),
        },
        partSize: 8 * 1024 * 1024,
        queueSize: 2, // Two parts in memory keep a line busy; more would cost a small machine its memory.
        leavePartsOnError: false,
      })
      await upload.done() // An abort ends the bytes with an error: `upload.abort()` would leave its parts behind.
      return measured.result()
    },

    async get(key, options = {}) {
      const { range, signal } = options
      try {
        const found = await client.send(
          new GetObjectCommand({
            ...at(key),
            ...(range === undefined ? {} : { Range: `bytes=${range.start}-${range.end ?? ''}` }),
          }),
          signal === undefined ? {} : { abortSignal: signal },
        )
        if (!(found.Body instanceof Readable))
          throw new Error(`The S3 server sent no body for object ${key}.`)
        const wholeBytes = /\/(\d+)$/.exec(found.ContentRange ?? '')?.[1]
        const sizeBytes = wholeBytes === undefined ? (found.ContentLength ?? 0) : Number(wholeBytes)
        return { ...infoOf({ ...found, ContentLength: sizeBytes }), stream: found.Body }
      } catch (error) {
        if (isMissing(error)) return null
        if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 416) {
          throw new ObjectRangeError(key, (await head(key))?.sizeBytes ?? 0)
        }
        throw error
      }
    },

    head,

    async delete(key) {
      try {
        await client.send(new DeleteObjectCommand(at(key)))
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    },

    async *list(wanted): AsyncGenerator<ListedObject> {
      let token: string | undefined
      do {
        const page = await client.send(
          new ListObjectsV2Command({
            Bucket: bucket,
            Prefix: prefix + wanted,
            ...(token === undefined ? {} : { ContinuationToken: token }),
          }),
        )
        for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
          yield { key: Key.slice(prefix.length), sizeBytes: Size, modifiedAtMs: LastModified?.getTime() ?? 0 }
        }
        token = page.IsTruncated === true ? page.NextContinuationToken : undefined
      } while (token !== undefined)
    },

    async presignDownload(key, options) {
      linkExpiresAtMs(options)
      const fileName = options.fileName.replace(/[^\w .+=@()-]/g, '_')
      const command = new GetObjectCommand({
        ...at(key),
        ResponseContentDisposition: `attachment; filename="${fileName}"`,
      })
      return getSignedUrl(client, command, {
        expiresIn: options.expiresInSeconds,
        signingDate: new Date(options.nowMs),
      })
    },

    linkKeys: null,

    async check() {
      try {
        await client.send(new HeadBucketCommand({ Bucket: bucket }))
      } catch (error) {
        throw new Error(
          `The bucket ${bucket} cannot be reached; check the address in QUIRE_OBJECTS, the credentials and that the bucket exists.`,
          { cause: error },
        )
      }
    },

    async close() {
      client.destroy()
    },
  }
}

export interface S3ObjectStoreSettings {
  address: string
  environment: Record<string, string | undefined>
}

function clientOf(address: S3Address): S3Client {
  return new S3Client({
    region: address.region,
    forcePathStyle: address.pathStyle,
    requestChecksumCalculation: 'WHEN_REQUIRED', // Older servers do not know the newer checksums.
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(address.endpoint === null ? {} : { endpoint: address.endpoint }),
    ...(address.credentials === null ? {} : { credentials: address.credentials }),
  })
}

function infoOf(found: {
  ContentLength?: number | undefined
  ContentType?: string | undefined
  LastModified?: Date | undefined
  Metadata?: Record<string, string> | undefined
}): ObjectInfo {
  return {
    sizeBytes: found.ContentLength ?? 0,
    contentType: found.ContentType ?? 'application/octet-stream',
    sha256: found.Metadata?.sha256 ?? null,
    modifiedAtMs: found.LastModified?.getTime() ?? 0,
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof NotFound || (error instanceof S3ServiceException && error.name === 'NoSuchKey')
}
