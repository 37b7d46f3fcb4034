import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeSigningKeys, readManifest, signBundle } from '../bundle/index.ts'
import { temporaryFolder, testArchive, writeTestBundle } from '../bundle/testing.ts'
import { ask } from '../hosting/testing.ts'
import { portOf, quireHost, untilServed } from './testing.ts'

async function folderWithBundle(context: TestContext, mark: string): Promise<string> {
  const folder = await temporaryFolder(context)
  await putBundle(folder, mark)
  await writeFile(
    join(folder, 'host.yaml'),
    'staticExport: { bundleUrl: ./bundle.tar.gz, pollSeconds: 1 }\ndata: ./data\n',
  )
  return folder
}

async function putBundle(folder: string, mark: string, extra: Record<string, string> = {}): Promise<void> {
  await rm(join(folder, 'site'), { recursive: true, force: true })
  await mkdir(join(folder, 'site'))
  await writeTestBundle(join(folder, 'site'), { 'index.html': `<p>${mark}</p>`, ...extra })
  await writeFile(join(folder, 'bundle.tar.gz'), await testArchive(join(folder, 'site')))
}

test('host serves, polls, rolls back by one command and stops when told to', async (context) => {
  const folder = await folderWithBundle(context, 'one')
  const config = ['--config', join(folder, 'host.yaml')]
  const serving = quireHost(context, [...config, '--port', '0'])
  const port = await portOf(serving)
  await untilServed(port, 'one')

  const second = await quireHost(context, [...config, '--port', '0']).done
  assert.equal(second.code, 1)
  assert.match(second.error, /Another process already serves/)

  await putBundle(folder, 'two')
  await untilServed(port, 'two')
  const back = await quireHost(context, ['rollback', ...config]).done
  assert.equal(back.code, 0, back.error)
  assert.match(back.out, /Serving version/)
  assert.match((await ask(port, '/')).text, /one/)
  const versions = await quireHost(context, ['versions', ...config]).done
  assert.equal(versions.out.trim().split('\n').length, 2)

  serving.child.kill('SIGTERM')
  assert.equal((await serving.done).code, 0)
})

test('a rollback while nothing runs is found by the next start', async (context) => {
  const folder = await folderWithBundle(context, 'one')
  const config = ['--config', join(folder, 'host.yaml')]
  const first = quireHost(context, [...config, '--port', '0'])
  const port = await portOf(first)
  await untilServed(port, 'one')
  await putBundle(folder, 'two')
  await untilServed(port, 'two')
  first.child.kill('SIGTERM')
  await first.done
  assert.equal((await quireHost(context, ['rollback', ...config]).done).code, 0)
  const again = quireHost(context, [...config, '--port', '0'])
  assert.match((await ask(await portOf(again), '/')).text, /one/)
})

test('SIGTERM lets a running download end', async (context) => {
  const folder = await folderWithBundle(context, 'one')
  await putBundle(folder, 'one', { 'large.bin': 'x'.repeat(20_000_000) })
  const serving = quireHost(context, ['--config', join(folder, 'host.yaml'), '--port', '0'])
  const port = await portOf(serving)
  await untilServed(port, 'one')
  const answer = await fetch(`http://127.0.0.1:${port}/large.bin`)
  const reader = answer.body?.getReader()
  let received = (await reader?.read())?.value?.length ?? 0
  serving.child.kill('SIGTERM')
  for (;;) {
    const next = await reader?.read()
    if (next === undefined || next.done) break
    received += next.value.length
  }
  assert.equal(received, 20_000_000)
  assert.equal((await serving.done).code, 0)
})

test('killed at any moment of fetch, unpack and switch, it starts again with the old or the new version', async (context) => {
  const folder = await folderWithBundle(context, 'round0')
  const config = ['--config', join(folder, 'host.yaml')]
  const first = quireHost(context, [...config, '--port', '0'])
  await untilServed(await portOf(first), 'round0')
  first.child.kill('SIGKILL')
  await first.done
  const pages = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [`page-${index}.html`, `page ${index}`.repeat(200)]),
  )
  const rounds = Number(process.env.QUIRE_TEST_KILLS ?? 4)
  let served = 'round0'
  for (let round = 1; round <= rounds; round++) {
    await putBundle(folder, `round${round}`, pages)
    const victim = quireHost(context, [...config, '--port', '0'])
    await portOf(victim)
    await new Promise((resolve) => setTimeout(resolve, (round * 37) % 160)) // Each round dies at another moment.
    victim.child.kill('SIGKILL')
    await victim.done
    await rm(join(folder, 'bundle.tar.gz')) // Whatever is on the disk has to do.
    const heir = quireHost(context, [...config, '--port', '0'])
    const answer = await ask(await portOf(heir), '/')
    assert.equal(answer.status, 200)
    const mark = /round\d+/.exec(answer.text)?.[0]
    assert.ok(mark === served || mark === `round${round}`, `${mark} after ${served}`)
    served = mark
    heir.child.kill('SIGKILL')
    await heir.done
  }
})

test('wrong settings, a missing file and an unknown subcommand end with one clear sentence', async (context) => {
  const folder = await temporaryFolder(context)
  await writeFile(join(folder, 'host.yaml'), 'deployment: moon\nstaticExport: { bundleUrl: x }\n')
  const config = ['--config', join(folder, 'host.yaml')]
  const wrong = await quireHost(context, [...config]).done
  assert.equal(wrong.code, 1)
  assert.match(wrong.error, /deployment is "moon". Allowed: client-hosted, air-gapped/)
  assert.match(
    (await quireHost(context, ['--config', join(folder, 'no.yaml')]).done).error,
    /no settings file/,
  )
  assert.match((await quireHost(context, []).done).error, /--config/)
  await writeFile(join(folder, 'host.yaml'), 'staticExport: { bundleUrl: x }\n')
  assert.match((await quireHost(context, ['jump', ...config]).done).error, /no subcommand jump/)
  assert.match((await quireHost(context, ['--help']).done).out, /Example:/)
})

test('host takes key and minimum version as quire verify does', async (context) => {
  const folder = await folderWithBundle(context, 'signed')
  const { privateKey, publicKey } = makeSigningKeys()
  const manifest = await readManifest(join(folder, 'site'))
  await writeFile(join(folder, 'public.pem'), publicKey)
  const bundle = join(folder, 'bundle.tar.gz')
  await writeFile(`${bundle}.sig`, signBundle({ manifest, privateKey, version: '2026-11-01' }))
  const config = ['--config', join(folder, 'host.yaml'), '--port', '0']
  const keyless = await quireHost(context, [...config, '--minimum-version', '1']).done
  assert.match(keyless.error, /give the public key with --key/)
  const signed = ['--key', join(folder, 'public.pem'), '--minimum-version']
  const serving = quireHost(context, [...config, ...signed, '2026-11-01'])
  await untilServed(await portOf(serving), 'signed')
  serving.child.kill('SIGTERM')
  await serving.done
  const strict = quireHost(context, [...config, ...signed, '2026-12-01'])
  const port = await portOf(strict)
  assert.equal((await ask(port, '/')).status, 503)
  assert.equal((await ask(port, '/readyz')).status, 503)
})
