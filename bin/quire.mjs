#!/usr/bin/env node
// Plain JavaScript that every Node since 18 can read: it finds a Node 24 and hands over to it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const source = join(root, 'src', 'cli', 'main.ts')
const main = existsSync(source) ? source : join(root, 'dist', 'cli', 'main.js') // A checkout has no build step.

endWithNpm()

if (Number(process.versions.node.split('.')[0]) >= 24) {
  process.argv[1] = main
  await import(pathToFileURL(main).href)
} else {
  const node = findPackagedNode()
  if (node === null) {
    console.error(
      `Quire needs Node 24, this is ${process.versions.node}: install it again with optional dependencies (npm install), which bring Node 24, or install Node 24 yourself.`,
    )
    process.exit(1)
  }
  handOver(node)
}

/** npm keeps a SIGTERM to itself: a server that `npm start` began ends when its npm has gone. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return
  const npm = process.ppid
  setInterval(() => {
    if (process.ppid !== npm) process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
}

/** @returns {string | null} */
function findPackagedNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${platform}-${process.arch}`
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
    const node = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(node) ? node : null
  } catch {
    return null // The package of another platform, or none, was installed.
  }
}

/** @param {string} node */
function handOver(node) {
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT']) {
    process.on(signal, () => {
      // A terminal sends SIGINT and SIGQUIT to the child as well; a second one would mean "at once".
      if (!((signal === 'SIGINT' || signal === 'SIGQUIT') && process.stdin.isTTY)) child.kill(signal)
    })
  }
  child.on('error', (error) => {
    console.error(`Node 24 at ${node} did not start: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    process.exit(signal === null ? (code ?? 1) : 128 + (constants.signals[signal] ?? 0))
  })
}
