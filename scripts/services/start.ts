import { mkdirSync } from 'node:fs'
import { findBrowser } from './browser.ts'
import { startPostgres } from './postgres.ts'
import { startS3 } from './s3.ts'
import { endService, readRunning, type Service, serviceFolder, writeRunning } from './service.ts'

const starters: Record<string, (folder: string) => Promise<Service>> = {
  postgres: startPostgres,
  s3: startS3,
  browser: findBrowser,
}

/**
 * Starts real services for the tests and prints what to export: `eval "$(node scripts/services/start.ts postgres s3)"`.
 * What already runs is kept, so that the same line works any number of times.
 */
async function start(wanted: string[]): Promise<void> {
  const unknown = wanted.filter((name) => !(name in starters))
  if (unknown.length > 0)
    throw new Error(`There is no service ${unknown.join(', ')}; known are postgres, s3 and browser.`)
  for (const name of wanted) {
    const folder = serviceFolder(name)
    let service = readRunning(folder)
    if (service === null) {
      console.error(`Starting ${name} …`)
      await endService(folder) // What an earlier start left half done.
      mkdirSync(folder, { recursive: true, mode: 0o755 })
      service = await starters[name]!(folder)
      writeRunning(folder, service)
    }
    for (const [key, value] of Object.entries(service.environment)) {
      console.log(`export ${key}='${value}'`)
    }
  }
}

const names = process.argv.slice(2)
start(names.length === 0 ? Object.keys(starters) : names).catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
