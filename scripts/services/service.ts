import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** What runs, and what a test must know to reach it. */
export interface Service {
  pids: number[]
  environment: Record<string, string>
}

export interface SystemUser {
  name: string
  uid: number
  gid: number
}

/** One place for each service of a user, so that a second start finds the first. QUIRE_SERVICES moves it. */
export function serviceFolder(name: string): string {
  return join(process.env.QUIRE_SERVICES ?? join(tmpdir(), `quire-services-${process.getuid?.() ?? 0}`), name)
}

export function readRunning(folder: string): Service | null {
  const file = join(folder, 'service.json')
  if (!existsSync(file)) return null
  const service: Service = JSON.parse(readFileSync(file, 'utf8'))
  return service.pids.every((pid) => isOurs(pid, folder)) ? service : null
}

export function writeRunning(folder: string, service: Service): void {
  writeFileSync(join(folder, 'service.json'), JSON.stringify(service))
}

/** Ends what runs for a folder, also what a start that failed left behind, and removes the folder. */
export async function endService(folder: string): Promise<boolean> {
  if (!existsSync(folder)) return false
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    for (const pid of findPrograms(folder)) process.kill(pid, signal)
    for (let tries = 0; tries < 50 && findPrograms(folder).length > 0; tries++) await pause(100)
  }
  rmSync(folder, { recursive: true, force: true })
  return true
}

/** Starts a program that outlives this one; its output goes to a log beside its data. */
export function startProgram(
  folder: string,
  user: SystemUser,
  command: string,
  words: string[],
  environment: Record<string, string> = {},
): ChildProcess & { pid: number } {
  const log = openSync(join(folder, `${command.split('/').at(-1)}.log`), 'a')
  const child = spawn(command, words, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, HOME: folder, ...environment },
    ...asUser(user),
  })
  child.unref()
  child.on('error', () => {}) // A program that never ran has no pid, which is asked next.
  if (child.pid === undefined) throw new Error(`${command} could not be started; is its package installed?`)
  return child as ChildProcess & { pid: number }
}

/** The services refuse to be root, so root starts them as the user of their package. */
export function systemUser(name: string): SystemUser {
  const uid = process.getuid?.() ?? -1
  if (uid !== 0) {
    return {
      name: execFileSync('id', ['-un'], { encoding: 'utf8' }).trim(),
      uid,
      gid: process.getgid?.() ?? -1,
    }
  }
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  return { name, uid: id('-u'), gid: id('-g') }
}

export function asUser(user: SystemUser): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: user.uid, gid: user.gid } : {}
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No free port was found.')
  return address.port
}

/** Tries until it works, for a minute at most; then says what the service's logs say. */
export async function untilReady(name: string, folder: string, attempt: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries >= 300) {
        const logs = execFileSync('sh', ['-c', 'tail -n 20 *.log 2>/dev/null || true'], {
          cwd: folder,
          encoding: 'utf8',
        })
        throw new Error(
          `${name} did not become ready: ${error instanceof Error ? error.message : error}\n${logs}`,
        )
      }
      await pause(200)
    }
  }
}

function findPrograms(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isOurs(pid, folder))
}

/** A pid alone may be another program's by now: ours was started with its folder. */
function isOurs(pid: number, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${folder}`)
  } catch {
    return false
  }
}
