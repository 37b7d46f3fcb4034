import type { OpenAPIV3_1 } from 'openapi-types'
import { describeResponses } from './describe-responses.ts'

/**
 * Completes the interface description that the schemas give: says what the streams and the answers are, and keeps
 * each shape once and under its plain name.
 */
export function finishDescription(document: OpenAPIV3_1.Document): OpenAPIV3_1.Document {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    const operations: (OpenAPIV3_1.OperationObject | undefined)[] = [item?.get, item?.post]
    for (const operation of operations) {
      if (operation && /\/assistant\/.*\/message/.test(path)) operation.responses = streamResponses(path)
    }
  }
  describeResponses(document)
  return withPlainNames(document)
}

function streamResponses(path: string): OpenAPIV3_1.ResponsesObject {
  const second = /\/v2\//.test(path)
  const stream = {
    description: second
      ? 'A UI message stream (server-sent events). The thread is in the header and in the metadata of start and finish.'
      : 'A data stream, one part a line. The event of type finish carries threadId; so does the header.',
    headers: {
      'X-Thread-Id': {
        description: 'Send it back as threadId to go on.',
        schema: { type: 'string' as const },
      },
    },
    content: {
      [second ? 'text/event-stream' : 'text/plain; charset=utf-8']: { schema: { type: 'string' as const } },
    },
  }
  const error = (description: string) => ({
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  })
  return {
    200: stream,
    ...(path.endsWith('/stream') ? { 204: { description: 'There is no stream to resume.' } } : {}),
    400: error('The body breaks the schema; every fault is in details.'),
    401: error('The key is missing, unknown, expired or revoked.'),
    403: error('The key is of the wrong kind, or not for this origin.'),
    404: error('There is no such site for this key.'),
    413: error('The body is over 1 MiB.'),
    429: error('A limit is used up; Retry-After says for how long.'),
    502: error('The language model failed before the first byte.'),
    503: error('The language model cannot be reached.'),
    504: error('The language model did not answer in time.'),
  }
}

/** Shapes that nothing refers to go; `MessageInput` becomes `Message` where the two do not differ in use. */
function withPlainNames(document: OpenAPIV3_1.Document): OpenAPIV3_1.Document {
  const schemas = document.components?.schemas ?? {}
  const used = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key !== '$ref' || typeof inner !== 'string') visit(inner)
      else if (!used.has(nameOf(inner))) {
        used.add(nameOf(inner))
        visit(schemas[nameOf(inner)])
      }
    }
  }
  visit(document.paths)
  const renamed = new Map([...used].map((name) => [name, plainName(name, used)]))
  const kept = Object.fromEntries([...used].sort().map((name) => [renamed.get(name)!, schemas[name]]))
  const text = JSON.stringify({ ...document, components: { ...document.components, schemas: kept } })
  return JSON.parse(
    text.replace(
      /"#\/components\/schemas\/(\w+)"/g,
      (_, name: string) => `"#/components/schemas/${renamed.get(name) ?? name}"`,
    ),
  ) as OpenAPIV3_1.Document
}

const nameOf = (reference: string) => reference.split('/').at(-1)!

function plainName(name: string, used: Set<string>): string {
  const plain = name.replace(/Input$/, '')
  return used.has(plain) ? name : plain
}
