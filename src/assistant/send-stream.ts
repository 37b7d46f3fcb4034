import type { FastifyReply } from 'fastify'

/** Writes a stream to its reader: never faster than it reads, kept alive while nothing comes, given up when it stalls. */
export async function sendStream({
  reply,
  headers,
  reader,
  keepAlive,
  keepAliveMs,
  stallTimeoutMs,
}: {
  reply: FastifyReply
  headers: Record<string, string>
  reader: { next(): Promise<string | undefined>; leave(): void }
  /** Bytes that the protocol ignores. */
  keepAlive: string
  keepAliveMs: number
  stallTimeoutMs: number
}): Promise<void> {
  const { raw } = reply
  reply.hijack()
  raw.on('close', () => reader.leave())
  if (raw.destroyed) return reader.leave()
  raw.writeHead(200, { ...definedHeaders(reply), ...headers })
  raw.flushHeaders()
  const timer = setInterval(() => {
    if (!raw.writableNeedDrain) raw.write(keepAlive)
  }, keepAliveMs)
  try {
    for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) {
      if (raw.destroyed) return
      timer.refresh()
      if (!raw.write(chunk) && !(await drained(raw, stallTimeoutMs))) raw.destroy()
    }
    raw.end()
  } catch (error) {
    reply.log.error({ err: error }, 'the stream broke')
    raw.destroy()
  } finally {
    clearInterval(timer)
  }
}

function drained(raw: FastifyReply['raw'], limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isDrained: boolean) => () => {
      clearTimeout(timer)
      raw.off('drain', onDrain)
      raw.off('close', onClose)
      resolve(isDrained)
    }
    const onDrain = settle(true)
    const onClose = settle(false)
    const timer = setTimeout(onClose, limitMs)
    raw.once('drain', onDrain)
    raw.once('close', onClose)
  })
}

function definedHeaders(reply: FastifyReply): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'number' ? String(value) : value]],
    ),
  )
}
