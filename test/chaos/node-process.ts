import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanEnvironment, root } from '../journeys/support.ts'

/** One server process that may be killed, frozen and started again. */
export type NodeProcess = {
  url: string
  pid: number
  /** Everything it has said, for when something is wrong. */
  output(): string
  /** Resolves when the process has gone, however that came. */
  gone: Promise<void>
  isGone(): boolean
  kill(): Promise<void>
  /** Asks it to stop; resolves when it has. */
  stop(): Promise<void>
  signal(name: NodeJS.Signals): void
  /** Resolves when the process has frozen itself. */
  untilFrozen(): Promise<void>
}

export type Keys = { adminKey: string; assistantKey: string }

const alive = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

export async function startNode(input: {
  data: string
  environment?: Record<string, string>
  flags?: string[]
}): Promise<{ node: NodeProcess; keys: Keys | undefined }> {
  const port = input.flags?.includes('--port') ? [] : ['--port', '0']
  const args = ['src/cli/main.ts', 'start', '--data', input.data, ...port, ...(input.flags ?? [])]
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...cleanEnvironment(), ...input.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  alive.add(child)
  let isGone = false
  const gone = once(child, 'exit').then(() => {
    isGone = true
    alive.delete(child)
  })
  let output = ''
  const ready = new Promise<void>((resolve) => {
    const add = (chunk: Buffer) => {
      output = (output + chunk).slice(-50_000)
      if (/Quire is ready at \S+\n|--key \S+\n/.test(output)) resolve()
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
  })
  await Promise.race([ready, gone])
  const address = /Quire is ready at (\S+)|Site\s+(\S+?)\/sites\//.exec(output)
  const url = address?.[1] ?? address?.[2]
  if (isGone || !url) throw new Error(`The server ended before it was ready:\n${output}`)
  const adminKey = /Admin key\s+(\S+)/.exec(output)?.[1]
  const assistantKey = /Assistant key\s+(\S+)/.exec(output)?.[1]
  const node: NodeProcess = {
    url,
    pid: child.pid!,
    output: () => output,
    gone,
    isGone: () => isGone,
    kill: async () => {
      child.kill('SIGKILL')
      await gone
    },
    stop: async () => {
      child.kill('SIGTERM')
      await gone
    },
    signal: (name) => void child.kill(name),
    untilFrozen: async () => {
      while (!isGone && processState(child.pid!) !== 'T') await pause(50)
    },
  }
  return { node, keys: adminKey && assistantKey ? { adminKey, assistantKey } : undefined }
}

/** The kernel's word for what a process does: T for one that is stopped. */
function processState(pid: number): string {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2)[0] ?? ''
}
