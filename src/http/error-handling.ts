import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { ApiError, type ErrorDetail } from './api-error.ts'
import type { ErrorBody } from './errors-api.ts'

/** Every error of every route leaves in one shape, and an unknown address or method gets it too. */
export function installErrorHandling(app: FastifyInstance): void {
  const methods = knownMethods(app)
  app.setErrorHandler((error: FastifyError | ApiError, request, reply) => {
    const known = toApiError(error)
    if (known.status >= 500 && !(error instanceof ApiError))
      request.log.error({ err: error }, 'request failed')
    return sendError(request, reply, known)
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0]!
    const allowed = methods(path)
    if (allowed.length === 0) {
      return sendError(
        request,
        reply,
        new ApiError(404, 'not_found', `There is nothing at ${path}. GET /openapi.json lists what there is.`),
      )
    }
    return sendError(
      request,
      reply,
      new ApiError(
        405,
        'method_not_allowed',
        `${request.method} is not offered here. Use ${allowed.join(' or ')}.`,
        {
          headers: { allow: allowed.join(', ') },
        },
      ),
    )
  })
}

export function sendError(request: FastifyRequest, reply: FastifyReply, error: ApiError): FastifyReply {
  const problem = /application\/problem\+json/.test(request.headers.accept ?? '')
  return reply
    .code(error.status)
    .headers(error.headers)
    .header('cache-control', 'no-store')
    .type(problem ? 'application/problem+json' : 'application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(errorBody(error, { requestId: request.id, instance: request.url.split('?')[0]! }))
}

export function errorBody(error: ApiError, request: { requestId: string; instance: string }): ErrorBody {
  return {
    error: error.message,
    code: error.code,
    message: error.message,
    status: error.status,
    requestId: request.requestId,
    details: error.details,
    type: `urn:quire:error:${error.code}`,
    title: STATUS_CODES[error.status] ?? 'Error',
    detail: error.message,
    instance: request.instance,
  }
}

/** What fastify, zod or a handler threw, as the caller may see it: no stack, no path, no SQL. */
function toApiError(error: FastifyError | ApiError): ApiError {
  if (error instanceof ApiError) return error
  if (hasZodFastifySchemaValidationErrors(error)) return invalidRequest(error)
  const known = knownFaults[error.code]
  if (known) return new ApiError(...known)
  if (error.statusCode === 400) {
    return new ApiError(400, 'invalid_request', 'The request cannot be read. Send a body that is valid JSON.')
  }
  return new ApiError(
    500,
    'internal',
    'Something went wrong on our side. Try again; if it stays, report the requestId.',
  )
}

const knownFaults: Record<string, [number, string, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_BODY_TOO_LARGE: [
    413,
    'body_too_large',
    'The body is larger than this endpoint takes. Send less.',
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, 'invalid_request', 'The body is empty. Send a JSON object.'],
  FST_ERR_CTP_INVALID_JSON_BODY: [400, 'invalid_request', 'The body is not valid JSON. Send a JSON object.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    400,
    'invalid_request',
    'The body is not as long as Content-Length says.',
  ],
  FST_ERR_BAD_URL: [400, 'invalid_request', 'The address cannot be decoded. Check its percent signs.'],
}

function invalidRequest(error: { validation: { instancePath: string; message?: string }[] }): ApiError {
  const details: ErrorDetail[] = error.validation.map((fault) => ({
    path: fault.instancePath.replace(/^\//, '').replaceAll('/', '.'),
    message: fault.message ?? 'is not valid',
  }))
  const first = details[0]
  const where = first?.path ? `${first.path}: ${first.message}` : (first?.message ?? 'it does not fit')
  const more = details.length > 1 ? ` (and ${details.length - 1} more, see details)` : ''
  return new ApiError(400, 'invalid_request', `The request does not fit this endpoint: ${where}${more}.`, {
    details,
  })
}

/** Remembers each route as it is added, to tell a wrong method from a wrong address. */
function knownMethods(app: FastifyInstance): (path: string) => string[] {
  const routes: { pattern: RegExp; methods: string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    if (url === '*' || url === '/*') return
    const source = url
      .split('/')
      .map((part) =>
        part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
      )
      .join('/')
    routes.push({ pattern: new RegExp(`^${source}$`), methods: [method].flat() })
  })
  return (path) => [
    ...new Set(routes.filter((route) => route.pattern.test(path)).flatMap((route) => route.methods)),
  ]
}
