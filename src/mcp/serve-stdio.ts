import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { answerMessage, parseError } from './answer-message.ts'
import type { McpSite } from './tools.ts'

/** The Model Context Protocol over two pipes, a message a line, until the first one ends. */
export async function serveStdio(input: {
  site: McpSite
  input: Readable
  output: Writable
  /** Told of what went wrong on our side. */
  log(error: unknown): void
}): Promise<void> {
  const write = (message: unknown) =>
    new Promise<void>((resolve) => {
      input.output.write(`${JSON.stringify(message)}\n`, () => resolve())
    })
  for await (const line of createInterface({ input: input.input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const body = await answerLine(line, input.site, input.log)
    if (body !== undefined) await write(body)
  }
}

async function answerLine(line: string, site: McpSite, log: (error: unknown) => void): Promise<unknown> {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    return { jsonrpc: '2.0', id: null, error: parseError }
  }
  try {
    return (await answerMessage({ message, site })).body
  } catch (error) {
    log(error)
    const id = (message as { id?: unknown }).id ?? null
    return { jsonrpc: '2.0', id, error: { code: -32603, message: 'The page could not be read.' } }
  }
}
