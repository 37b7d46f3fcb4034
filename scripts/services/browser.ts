import { existsSync } from 'node:fs'
import { needPackages } from './debian-packages.ts'
import type { Service } from './service.ts'

const program = '/usr/bin/chromium'

/** Debian's Chromium; a test starts it itself, so nothing runs yet. */
export async function findBrowser(): Promise<Service> {
  if (!existsSync(program)) needPackages(['chromium'])
  return { pids: [], environment: { QUIRE_TEST_BROWSER: program } }
}
