import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, relative, sep } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'

const usage = `npm test -- [--name <pattern>] [--clients] [--again <report>] [part of a file's path]...

  npm test                              every test of src/ and test/
  npm test -- backends/objects          those whose path holds these words
  npm test -- --name 'a link works'     those whose name matches the pattern
  npm test -- --clients                 also those of test/clients, after npm ci --prefix test/clients
  npm test -- --again report.json       the files in which something was skipped, where an earlier run
                                        with QUIRE_TEST_REPORT=report.json wrote what it did; counts both
`

/** What became of each file's tests. */
type Report = Record<string, Counts>
interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** Runs the tests that were asked for, says which were skipped and why, and ends with a plain line of counts. */
function runTests(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string', multiple: true },
      clients: { type: 'boolean' },
      again: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) {
    process.stdout.write(usage)
    return
  }
  process.chdir(dirname(import.meta.dirname))
  const report: Report = values.again === undefined ? {} : JSON.parse(readFileSync(values.again, 'utf8'))
  const files = findTestFiles(values.clients === true)
    .filter((path) => positionals.length === 0 || positionals.some((part) => path.includes(part)))
    .filter((path) => report[path] === undefined || report[path].skipped > 0)
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
    if (!success) process.exitCode = 1
    const failed = counts.tests - counts.passed - counts.skipped - counts.todo
    const own = { passed: counts.passed, failed, skipped: counts.skipped }
    if (file === undefined) process.once('exit', () => conclude(skipped, report, own, files))
    else report[relative(process.cwd(), file).replaceAll(sep, '/')] = own
  })
  stream.compose(spec).pipe(process.stdout)
}

interface Skipped {
  name: string
  reason: string
}

/** The tests of test/clients need packages of their own, and fixtures are no tests of ours. */
function findTestFiles(withClients: boolean): string[] {
  return globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { exclude: (name) => name === 'node_modules' })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => !path.includes('/fixtures/') && (withClients || !path.startsWith('test/clients/')))
    .sort()
}

function conclude(skipped: Skipped[], report: Report, own: Counts, files: string[]): void {
  process.stdout.write(describeSkipped(skipped))
  // The runner's own totals are right also for a file that broke before its first test; earlier files are added to them.
  const total = { ...own }
  for (const [file, counts] of Object.entries(report)) {
    if (files.includes(file)) continue
    total.passed += counts.passed
    total.failed += counts.failed
    total.skipped += counts.skipped
  }
  process.stdout.write(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)
  const file = process.env.QUIRE_TEST_REPORT
  if (file) writeFileSync(file, JSON.stringify(report))
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

runTests()
