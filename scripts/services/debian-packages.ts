import { spawnSync } from 'node:child_process'

/** Installs what is missing of Debian's packages; the tests need root for that and for nothing else. */
export function needPackages(names: string[]): void {
  const missing = names.filter((name) => !isInstalled(name))
  if (missing.length === 0) return
  if (process.getuid?.() !== 0) {
    throw new Error(
      `These packages are missing: run 'apt-get install ${missing.join(' ')}' as root, then try again.`,
    )
  }
  console.error(`Installing ${missing.join(', ')} …`)
  if (!aptGet(['install', ...missing])) {
    aptGet(['update'])
    if (!aptGet(['install', ...missing])) {
      throw new Error(`apt-get could not install ${missing.join(', ')}; its words stand above.`)
    }
  }
}

function isInstalled(name: string): boolean {
  const { stdout } = spawnSync('dpkg', ['-s', name], { encoding: 'utf8' })
  return /^Status: install ok installed$/m.test(stdout ?? '')
}

function aptGet(words: string[]): boolean {
  const { status } = spawnSync('apt-get', ['-y', '-q', '--no-install-recommends', ...words], {
    stdio: ['ignore', 2, 2],
    // In run level 1 no package starts its own daemon: the tests start theirs.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  })
  return status === 0
}
