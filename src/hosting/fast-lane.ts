import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type Answer, headerText, type Question } from './bundle-server.ts'

/**
 * Answers plain requests for files without node's HTTP machinery, which costs three times what the answer does. It takes
 * whole, well-formed GET and HEAD requests that have no body and want no range; at the first byte that is anything else,
 * the connection goes to the HTTP server, with that byte, and stays there.
 */
export function openFastLane(input: {
  server: Server
  /** Undefined where the HTTP server shall answer. */
  answer(path: string, question: Question, isSecure: boolean): Answer | Promise<Answer> | undefined
  onAnswer(status: number): void
}): { close(): void } {
  const handOver = input.server.listeners('connection')
  input.server.removeAllListeners('connection')
  const lanes = new Set<Lane>()
  input.server.on('connection', (socket: Socket) => {
    const lane = new Lane(socket, input.answer, input.onAnswer, () => {
      lanes.delete(lane)
      for (const listener of handOver) listener.call(input.server, socket)
    })
    lanes.add(lane)
    socket.once('close', () => lanes.delete(lane))
  })
  return {
    close() {
      for (const lane of lanes) lane.close()
    },
  }
}

type AnswerFunction = Parameters<typeof openFastLane>[0]['answer']

class Lane {
  #socket: Socket
  #answer: AnswerFunction
  #onAnswer: (status: number) => void
  #handOver: () => void
  #waiting: Buffer | undefined
  #isBusy = false
  #isClosing = false
  #hasEnded = false

  constructor(
    socket: Socket,
    answer: AnswerFunction,
    onAnswer: (status: number) => void,
    handOver: () => void,
  ) {
    this.#socket = socket
    this.#answer = answer
    this.#onAnswer = onAnswer
    this.#handOver = handOver
    socket.setNoDelay(true)
    socket.setTimeout(idleMs)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('timeout', this.#onTimeout)
    socket.on('error', this.#onError)
  }

  /** No further request is taken; an answer that is under way is finished. */
  close(): void {
    this.#isClosing = true
    if (!this.#isBusy) this.#socket.end()
  }

  #onData = (chunk: Buffer): void => {
    const bytes = this.#waiting === undefined ? chunk : Buffer.concat([this.#waiting, chunk])
    this.#waiting = undefined
    if (this.#isBusy) {
      this.#waiting = bytes
      this.#socket.pause()
      return
    }
    this.#take(bytes)
  }

  /** Answers request after request for as long as whole ones are there. */
  #take(start: Buffer): void {
    let bytes = start
    while (bytes.length > 0 && !this.#isClosing) {
      const text = bytes.toString('latin1', 0, Math.min(bytes.length, maxHeadBytes))
      const end = text.indexOf('\r\n\r\n')
      const request = end === -1 ? undefined : parseRequest(text.slice(0, end))
      let answer: Answer | Promise<Answer> | undefined
      try {
        answer =
          request === undefined ? undefined : this.#answer(request.path, request.question, request.isSecure)
      } catch {
        answer = undefined // The HTTP server meets the same fault and knows how to tell it.
      }
      const rest = bytes.subarray(end + 4)
      if (answer instanceof Promise) {
        this.#waitFor(answer, bytes, rest)
        return
      }
      if (answer === undefined || !this.#write(answer)) {
        this.#leave(bytes)
        return
      }
      bytes = rest
      if (this.#socket.writableLength > maxUnsentBytes) {
        this.#waitForDrain(bytes)
        return
      }
    }
    this.#endIfOver()
  }

  #waitFor(promised: Promise<Answer>, bytes: Buffer, rest: Buffer): void {
    this.#isBusy = true
    this.#socket.pause()
    promised.then(
      (answer) => {
        this.#isBusy = false
        if (this.#socket.destroyed) return
        if (this.#write(answer)) this.#goOn(rest)
        else this.#leave(this.#withWaiting(bytes))
      },
      () => {
        this.#isBusy = false
        if (!this.#socket.destroyed) this.#leave(this.#withWaiting(bytes))
      },
    )
  }

  #waitForDrain(rest: Buffer): void {
    this.#isBusy = true
    this.#socket.pause()
    this.#socket.once('drain', () => {
      this.#isBusy = false
      this.#goOn(rest)
    })
  }

  #goOn(rest: Buffer): void {
    const bytes = this.#withWaiting(rest)
    if (bytes.length > 0) this.#take(bytes)
    else this.#endIfOver()
    if (!this.#isBusy && !this.#socket.destroyed) this.#socket.resume()
  }

  #withWaiting(bytes: Buffer): Buffer {
    const waiting = this.#waiting
    this.#waiting = undefined
    return waiting === undefined ? bytes : Buffer.concat([bytes, waiting])
  }

  #endIfOver(): void {
    if (!this.#isBusy && (this.#isClosing || this.#hasEnded)) this.#socket.end()
  }

  /** False for what has to be streamed from the disk. */
  #write(answer: Answer): boolean {
    const { body } = answer
    if (body !== undefined && !Buffer.isBuffer(body)) return false
    const head = `${statusLine(answer.status)}${dateLine()}${answer.shared.text}${headerText(answer.headers)}\r\n`
    if (body === undefined) this.#socket.write(head, 'latin1')
    else {
      this.#socket.cork()
      this.#socket.write(head, 'latin1')
      this.#socket.write(body, answer.release)
      this.#socket.uncork()
    }
    this.#onAnswer(answer.status)
    return true
  }

  #leave(bytes: Buffer): void {
    const socket = this.#socket
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('timeout', this.#onTimeout)
    socket.off('error', this.#onError)
    socket.setTimeout(0)
    socket.pause()
    this.#handOver()
    // The HTTP server reads from the socket's handle; what was read already is given to it by hand.
    socket.emit('data', bytes)
    if (this.#hasEnded) socket.emit('end')
    socket.resume()
  }

  #onEnd = (): void => {
    this.#hasEnded = true
    this.#endIfOver()
  }

  #onTimeout = (): void => {
    this.#socket.destroy()
  }

  #onError = (): void => {
    this.#socket.destroy()
  }
}

/** Undefined for everything but the plainest of requests. */
export function parseRequest(
  head: string,
): { path: string; question: Question; isSecure: boolean } | undefined {
  if (!plainRequest.test(head)) return undefined
  const lineEnd = head.indexOf('\r\n')
  const method = head.startsWith('GET ') ? 'GET' : 'HEAD'
  const target = head.slice(method.length + 1, lineEnd - ' HTTP/1.1'.length)
  const question: Question = {
    method,
    query: '',
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    range: undefined,
    ifRange: undefined,
  }
  let hosts = 0
  let isSecure = false
  for (let start = lineEnd + 2; start < head.length; ) {
    let end = head.indexOf('\r\n', start)
    if (end === -1) end = head.length
    const colon = head.indexOf(':', start)
    switch (head.slice(start, colon).toLowerCase()) {
      case 'host':
        hosts++
        break
      case 'accept-encoding':
        if (question.acceptEncoding !== undefined) return undefined
        question.acceptEncoding = head.slice(colon + 1, end).trim()
        break
      case 'if-none-match':
        if (question.ifNoneMatch !== undefined) return undefined
        question.ifNoneMatch = head.slice(colon + 1, end).trim()
        break
      case 'x-forwarded-proto':
        isSecure = head.slice(colon + 1, end).trim() === 'https'
        break
      case 'connection':
        if (
          head
            .slice(colon + 1, end)
            .trim()
            .toLowerCase() !== 'keep-alive'
        )
          return undefined
        break
      case 'content-length':
      case 'transfer-encoding':
      case 'expect':
      case 'upgrade':
      case 'te':
      case 'trailer':
      case 'range':
      case 'if-range':
      case 'proxy-connection':
        return undefined
    }
    start = end + 2
  }
  if (hosts !== 1) return undefined
  const queryStart = target.indexOf('?')
  if (queryStart !== -1) question.query = target.slice(queryStart)
  return { path: queryStart === -1 ? target : target.slice(0, queryStart), question, isSecure }
}

const plainRequest = /^(?:GET|HEAD) \/[!"$-~]* HTTP\/1\.1(?:\r\n[A-Za-z0-9-]+:[\t -~]*)+$/

function statusLine(status: number): string {
  return status === 200 ? 'HTTP/1.1 200 OK\r\n' : `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
}

function dateLine(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== date.second) {
    date.second = second
    date.line = `Date: ${new Date(second * 1000).toUTCString()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${idleMs / 1000}\r\n`
  }
  return date.line
}

const date = { second: 0, line: '' }
const idleMs = 65_000
const maxHeadBytes = 8192
const maxUnsentBytes = 256 * 1024
