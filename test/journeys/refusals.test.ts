import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { lockDataFolder } from '../../src/server/index.ts'
import { cleanEnvironment, journey, runCommand } from './support.ts'

test('a second process on the same data folder is refused with a clear sentence', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-twice-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  const lock = lockDataFolder(folder)
  const refused = await runCommand(['start', '--data', folder, '--port', '0'], cleanEnvironment())
  lock.release()
  assert.equal(refused.code, 1)
  assert.match(
    refused.stderr,
    /is in use by another Quire process \(process \d+\)\. Stop that one first, or choose another folder with --data\.\n$/,
  )
})

test('a wrong setting is named with its allowed values', async () => {
  const cases: [string[], Record<string, string>, RegExp][] = [
    [['--port', 'http'], {}, /--port: "http" does not fit; it takes a whole number from 0 to 65535\./],
    [[], { QUIRE_ROLE: 'boss' }, /QUIRE_ROLE: "boss" does not fit; it takes one of all, api, worker\./],
    [['--role', 'worker'], {}, /needs a database that several nodes share/],
    [['--colour', 'red'], {}, /Unknown option '--colour'.*--data/s],
    [['--docs', '/nowhere/at/all'], {}, /is no docs project: it has no docs\.json/],
    [['--config', '/nowhere.yaml'], {}, /cannot be read/],
  ]
  for (const [flags, environment, expected] of cases) {
    const folder = await mkdtemp(join(tmpdir(), 'quire-wrong-'))
    const result = await runCommand(['start', '--data', folder, ...flags], {
      ...cleanEnvironment(),
      QUIRE_PORT: '0',
      ...environment,
    })
    await rm(folder, { recursive: true, force: true })
    assert.equal(result.code, 1, flags.join(' '))
    assert.match(result.stderr, expected)
    assert.doesNotMatch(result.stderr, /\n\s+at /, 'no stack')
  }
})

journey('later starts print none of the secrets', async (start) => {
  const first = await start()
  const secrets = [first.adminKey, first.assistantKey]
  assert.equal(await first.stop(), 0)
  const second = await first.restart()
  assert.equal((await second.api('/v1/sites')).status, 200)
  const listed = await second.command('keys', 'list')
  for (const secret of secrets) assert.ok(!listed.stdout.includes(secret))
  assert.match(listed.stdout, /First admin key/)
})
