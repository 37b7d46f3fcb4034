import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ask } from '../hosting/testing.ts'

const hostFile = pathToFileURL(join(import.meta.dirname, 'host.ts')).href
const program = `import { hostCommand } from ${JSON.stringify(hostFile)}; process.exitCode = await hostCommand.run(process.argv.slice(1))`

/** `quire host` as a process of its own. */
export function quireHost(context: TestContext, args: string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, '--', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  context.after(() => child.kill('SIGKILL'))
  const output = { out: '', error: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.error += text
  })
  return { child, output, done: once(child, 'close').then(([code]) => ({ code, ...output })) }
}

export async function portOf(running: {
  child: ChildProcess
  output: { out: string; error: string }
}): Promise<number> {
  for (;;) {
    const port = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(running.output.out)?.[1]
    if (port !== undefined) return Number(port)
    if (running.child.exitCode !== null) throw new Error(`it ended: ${running.output.error}`)
    await Promise.race([
      once(running.child.stdout as NodeJS.ReadableStream, 'data'),
      once(running.child, 'close'),
    ])
  }
}

/** Asks until the page has the mark; the process fetches at a moment of its own. */
export async function untilServed(port: number, mark: string, path = '/'): Promise<void> {
  for (;;) {
    const answer = await ask(port, path)
    if (answer.text.includes(mark)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
