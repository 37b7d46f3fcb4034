import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Version } from './host-versions.ts'

/** A line to the process that serves from a data folder. Holding it also keeps a second process away from the folder. */
export async function openControl(input: {
  data: string
  rollback: (to: string | undefined) => Promise<Version>
}): Promise<{ close(): Promise<void> }> {
  const path = socketPath(input.data)
  if (await isAnswered(path)) {
    throw new Error(
      `Another process already serves from ${input.data}. Stop it, or use another --data folder.`,
    )
  }
  if (process.platform !== 'win32') await rm(path, { force: true })
  const server = createServer((socket) => {
    socket.setEncoding('utf8').once('data', (line: string) => {
      answer(line, input.rollback)
        .catch((error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }))
        .then((reply) => socket.end(`${JSON.stringify(reply)}\n`))
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(path, () => done())
  })
  server.unref()
  return { close: () => closeServer(server) }
}

/** Asks the serving process for a rollback; undefined when no process serves. */
export async function requestRollback(data: string, to: string | undefined): Promise<Version | undefined> {
  const reply = await talk(socketPath(data), JSON.stringify({ command: 'rollback', to }))
  if (reply === undefined) return undefined
  const parsed: { version?: Version; error?: string } = JSON.parse(reply)
  if (parsed.version === undefined) throw new Error(parsed.error ?? 'The serving process did not answer.')
  return parsed.version
}

async function answer(
  line: string,
  rollback: (to: string | undefined) => Promise<Version>,
): Promise<{ version: Version } | { ok: true }> {
  const request: { command?: string; to?: string } = JSON.parse(line)
  if (request.command === 'rollback') return { version: await rollback(request.to) }
  return { ok: true }
}

async function isAnswered(path: string): Promise<boolean> {
  return (await talk(path, JSON.stringify({ command: 'ping' }))) !== undefined
}

function talk(path: string, line: string): Promise<string | undefined> {
  return new Promise((done) => {
    const socket = connect(path)
    let reply = ''
    socket.setEncoding('utf8')
    socket.on('connect', () => socket.write(`${line}\n`))
    socket.on('data', (chunk: string) => {
      reply += chunk
    })
    socket.on('end', () => done(reply))
    socket.on('error', () => done(undefined))
  })
}

/** A socket's path is short by nature, so that a deep data folder has its socket elsewhere. */
function socketPath(data: string): string {
  const name = `quire-host-${hash('sha256', resolve(data), 'hex').slice(0, 16)}`
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`
  const inside = join(resolve(data), 'host.sock')
  return Buffer.byteLength(inside) < 100 ? inside : join(tmpdir(), `${name}.sock`)
}

function closeServer(server: Server): Promise<void> {
  return new Promise((done) => server.close(() => done()))
}
