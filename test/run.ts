import { globSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, sep } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'

const usage = `npm test -- [--name <pattern>] [--clients] [--counts <file>] [part of a file's path]...

  npm test                              every test of src/ and test/
  npm test -- backends/objects          those whose path holds these words
  npm test -- --name 'a link works'     those whose name matches the pattern
  npm test -- --clients                 also those of test/clients, after npm ci --prefix test/clients
`

/** Runs the tests that were asked for, says which were skipped and why, and ends with a plain line of counts. */
async function runTests(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string', multiple: true },
      clients: { type: 'boolean' },
      counts: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) return void process.stdout.write(usage)
  process.chdir(dirname(import.meta.dirname))
  const files = findTestFiles(positionals, values.clients === true)
  if (files.length === 0) {
    console.error(`No test file has ${positionals.join(' or ')} in its path.`)
    process.exitCode = 1
    return
  }

  const skipped: Skipped[] = []
  const stream = run({
    files,
    concurrency: Math.max(2, availableParallelism()),
    timeout: 300_000, // For a whole file: one that hangs is named, and does not hold up the rest for ever.
    ...(values.name === undefined ? {} : { testNamePatterns: values.name }),
  })
  stream.on('test:pass', ({ name, skip }) => {
    if (skip !== undefined && skip !== false)
      skipped.push({ name, reason: skip === true ? 'no reason given' : skip })
  })
  stream.on('test:fail', () => {
    process.exitCode = 1
  })
  stream.on('test:summary', ({ file, success, counts }) => {
    if (file !== undefined) return
    if (!success) process.exitCode = 1
    const failed = counts.tests - counts.passed - counts.skipped - counts.todo
    process.once('exit', () => {
      process.stdout.write(describeSkipped(skipped))
      process.stdout.write(`\n${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped\n`)
      if (values.counts) writeFileSync(values.counts, `${counts.passed} ${failed} ${counts.skipped}\n`)
    })
  })
  stream.compose(spec).pipe(process.stdout)
}

interface Skipped {
  name: string
  reason: string
}

/** The tests of test/clients need packages of their own, and fixtures are no tests of ours. */
function findTestFiles(parts: string[], withClients: boolean): string[] {
  return globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { exclude: (name) => name === 'node_modules' })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => !path.includes('/fixtures/') && (withClients || !path.startsWith('test/clients/')))
    .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
    .sort()
}

function describeSkipped(skipped: Skipped[]): string {
  const byReason = Object.entries(Object.groupBy(skipped, ({ reason }) => reason))
  return byReason
    .map(([reason, tests = []]) => {
      const names = tests.map(({ name }) => `  ﹣ ${name}\n`)
      return `\nSkipped, because ${reason}:\n${names.join('')}`
    })
    .join('')
}

await runTests()
