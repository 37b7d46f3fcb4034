import type { FastifyReply } from 'fastify'
import type { SharedAnswer } from './shared-answer.ts'

/**
 * Writes an answer to its reader: never faster than it reads, kept alive while nothing comes, given up when it stalls. Over
 * when the connection has let go of it.
 */
export function sendStream({
  reply,
  headers,
  answer,
  keepAlive,
  keepAliveMs,
  stallTimeoutMs,
}: {
  reply: FastifyReply
  headers: Record<string, string>
  answer: Pick<SharedAnswer, 'read'>
  /** Bytes that the protocol ignores. */
  keepAlive: string
  keepAliveMs: number
  stallTimeoutMs: number
}): Promise<void> {
  const { raw } = reply
  reply.hijack()
  return new Promise((resolve) => {
    let hasBytes = false
    let stalled: NodeJS.Timeout | undefined
    if (!raw.destroyed) raw.writeHead(200, { ...definedHeaders(reply), ...headers })
    const idle = setInterval(() => {
      if (!raw.writableNeedDrain) raw.write(keepAlive)
    }, keepAliveMs)
    const reading = answer.read({
      write: (text) => {
        if (raw.destroyed) return false
        hasBytes = true
        idle.refresh()
        if (raw.write(text)) return true
        stalled = setTimeout(() => raw.destroy(), stallTimeoutMs)
        return false
      },
      end: () => void raw.end(),
    })
    const leave = () => {
      clearInterval(idle)
      clearTimeout(stalled)
      reading.leave()
      resolve()
    }
    if (raw.destroyed) return leave()
    if (!hasBytes) raw.flushHeaders()
    raw.on('drain', () => {
      clearTimeout(stalled)
      reading.more()
    })
    raw.once('close', leave)
  })
}

function definedHeaders(reply: FastifyReply): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) headers[name] = typeof value === 'number' ? String(value) : value
  }
  return headers
}
