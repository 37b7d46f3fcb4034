import type { FastifyInstance } from 'fastify'
import { ApiError } from './api-error.ts'

const offered = [
  'application/json',
  'application/problem+json',
  'text/plain',
  'text/event-stream',
  'application/gzip',
]

/** Refuses an `Accept` that no answer of the API could satisfy. */
export function installAcceptCheck(app: FastifyInstance, isApi: (path: string) => boolean): void {
  app.addHook('onRequest', async (request) => {
    const accept = request.headers.accept
    if (accept === undefined || !isApi(request.url) || acceptsAny(accept)) return
    throw new ApiError(
      406,
      'not_acceptable',
      'This endpoint answers with application/json or a text stream. Send Accept: */*.',
    )
  })
}

function acceptsAny(accept: string): boolean {
  return accept.split(',').some((entry) => {
    const [range = '', ...parameters] = entry.trim().toLowerCase().split(';')
    if (parameters.some((parameter) => /^\s*q=0(\.0*)?\s*$/.test(parameter))) return false
    const type = range.trim()
    return (
      type === '' ||
      type === '*/*' ||
      offered.some((one) => one === type || type === `${one.split('/')[0]}/*`)
    )
  })
}
