import type { IncomingHttpHeaders } from 'node:http'

/** The key of `Authorization: Bearer …`, or null where there is none. */
export function bearerKey(headers: IncomingHttpHeaders): string | null {
  const match = /^Bearer +([^\s]+) *$/i.exec(headers.authorization ?? '')
  return match?.[1] ?? null
}
