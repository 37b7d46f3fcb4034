import { z } from 'zod'

/** Reads `s3://bucket/prefix?endpoint=http://…&region=us-east-1&pathStyle=true`; a wrong one is named with what to write. */
export function readS3Address(address: string, environment: Record<string, string | undefined>): S3Address {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || url.protocol !== 's3:' || url.hostname === '') {
    throw new Error(
      'An S3 address looks like s3://bucket/prefix?endpoint=https://host&region=us-east-1&pathStyle=true.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error(
      'Keep S3 credentials out of the address: set QUIRE_S3_ACCESS_KEY_ID and QUIRE_S3_SECRET_ACCESS_KEY instead.',
    )
  }
  const query = querySchema.safeParse(Object.fromEntries(url.searchParams))
  if (!query.success) {
    const faults = query.error.issues.map((issue) => `${issue.path.join('.') || 'query'}: ${issue.message}`)
    throw new Error(
      `The S3 address knows endpoint, region and pathStyle (true or false). ${faults.join('; ')}.`,
    )
  }
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '')
  const { endpoint, region, pathStyle } = query.data
  return {
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint: endpoint ?? null,
    region: region ?? environment.AWS_REGION ?? 'us-east-1',
    pathStyle: pathStyle === undefined ? endpoint !== undefined : pathStyle === 'true',
    credentials: readCredentials(environment),
  }
}

export interface S3Address {
  bucket: string
  /** Empty, or ending with a slash. */
  prefix: string
  endpoint: string | null
  region: string
  pathStyle: boolean
  /** Null leaves the search to the client: profile files, container and machine roles. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | null
}

const querySchema = z.strictObject({
  endpoint: z.url({ protocol: /^https?$/, error: 'endpoint is an http or https address' }).optional(),
  region: z.string().min(1).optional(),
  pathStyle: z.enum(['true', 'false']).optional(),
})

function readCredentials(environment: Record<string, string | undefined>): S3Address['credentials'] {
  const own = pair(environment.QUIRE_S3_ACCESS_KEY_ID, environment.QUIRE_S3_SECRET_ACCESS_KEY)
  if (own !== null) return own
  const shared = pair(environment.AWS_ACCESS_KEY_ID, environment.AWS_SECRET_ACCESS_KEY)
  const sessionToken = environment.AWS_SESSION_TOKEN
  return shared !== null && sessionToken ? { ...shared, sessionToken } : shared
}

function pair(accessKeyId: string | undefined, secretAccessKey: string | undefined) {
  return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null
}
