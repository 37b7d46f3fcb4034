import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'

const root = dirname(import.meta.dirname)

test('./quire runs the checkout it lies in, also through links and from elsewhere', async (context) => {
  const folder = await checkout(context)
  await packNode(folder)
  await mkdir(join(folder, 'links'))
  await symlink('../quire', join(folder, 'links', 'one'))
  await symlink(join(folder, 'links', 'one'), join(folder, 'links', 'two'))
  for (const command of ['quire', 'links/one', 'links/two']) {
    const { status, stdout } = call(join(folder, command), ['a b', '--c'], { cwd: tmpdir() })
    assert.deepEqual({ status, stdout }, { status: 3, stdout: '["a b","--c"]\n' })
  }
})

test("./quire takes the machine's Node where it is new enough", async (context) => {
  const folder = await checkout(context)
  assert.equal(
    call(join(folder, 'quire'), ['x'], { PATH: `${dirname(process.execPath)}:/bin` }).stdout,
    '["x"]\n',
  )
})

test('./quire on an old Node says in one sentence what to do', async (context) => {
  const folder = await checkout(context)
  await oldNode(folder)
  const { status, stderr } = call(join(folder, 'quire'), [], { PATH: `${folder}/old:/usr/bin:/bin` })
  assert.equal(status, 1)
  assert.match(stderr, /^Quire needs Node 24: run 'npm ci' in .*\n$/)
})

test('quire.mjs runs a checkout from src and a package from dist', async (context) => {
  const folder = await checkout(context)
  const launcher = join(folder, 'bin', 'quire.mjs')
  assert.equal(call(process.execPath, [launcher, 'a']).stdout, '["a"]\n')
  await rm(join(folder, 'src'), { recursive: true })
  await mkdir(join(folder, 'dist', 'cli'), { recursive: true })
  await writeFile(join(folder, 'dist', 'cli', 'main.js'), 'console.log("from dist")')
  assert.equal(call(process.execPath, [launcher]).stdout, 'from dist\n')
})

test('quire.mjs on an old Node hands over to the packaged one, with its exit code and signals', async (context) => {
  const folder = await checkout(context)
  await packNode(folder)
  const before = await pretendOld(folder)
  const launcher = join(folder, 'bin', 'quire.mjs')
  const done = call(process.execPath, ['--import', before, launcher, 'a'])
  assert.deepEqual({ status: done.status, stdout: done.stdout }, { status: 3, stdout: '["a"]\n' })

  const child = spawn(process.execPath, ['--import', before, launcher, 'wait'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.stdout.once('data', () => child.kill('SIGTERM'))
  assert.match(await text(child.stdout), /waiting\nSIGTERM\n/)
  assert.equal(await exited, 7)
})

test('quire.mjs that npm started ends when npm has gone', async (context) => {
  const folder = await checkout(context)
  const launcher = join(folder, 'bin', 'quire.mjs')
  const npm = `require('node:child_process').spawn(process.execPath, [${JSON.stringify(launcher)}, 'wait'], { stdio: 'inherit' })`
  const parent = spawn(process.execPath, ['-e', npm], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, npm_lifecycle_event: 'start' },
  })
  parent.stdout.once('data', () => parent.kill('SIGKILL'))
  assert.match(await text(parent.stdout), /waiting\nSIGTERM\n/)
})

test('quire.mjs on an old Node alone says in one sentence what to do', async (context) => {
  const folder = await checkout(context)
  const { status, stderr } = call(process.execPath, [
    '--import',
    await pretendOld(folder),
    join(folder, 'bin', 'quire.mjs'),
  ])
  assert.equal(status, 1)
  assert.match(stderr, /^Quire needs Node 24, this is 20.1.0: [^\n]*\n$/)
})

/** A folder with the two launchers and a command that prints its arguments and ends with 3. */
async function checkout(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-launchers-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  for (const name of ['bin', 'src/cli']) await mkdir(join(folder, name), { recursive: true })
  for (const name of ['quire', 'bin/quire.mjs']) await copyFile(join(root, name), join(folder, name))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(
    join(folder, 'src/cli/main.ts'),
    `const words: string[] = process.argv.slice(2)
     if (words[0] === 'wait') {
       const timer = setInterval(() => {}, 1000)
       process.on('SIGTERM', () => { console.log('SIGTERM'); clearInterval(timer); process.exitCode = 7 })
       console.log('waiting')
     } else {
       console.log(JSON.stringify(words))
       process.exitCode = 3
     }`,
  )
  return folder
}

/** Puts the running Node where npm puts the packaged one. */
async function packNode(folder: string): Promise<void> {
  const home = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`)
  await mkdir(join(home, 'bin'), { recursive: true })
  await writeFile(join(home, 'package.json'), '{}')
  await symlink(process.execPath, join(home, 'bin', 'node'))
}

/** A command `node` that answers as Node 20 does when it is asked for its version. */
async function oldNode(folder: string): Promise<void> {
  await mkdir(join(folder, 'old'))
  await writeFile(join(folder, 'old', 'node'), '#!/bin/sh\necho 20\n')
  await chmod(join(folder, 'old', 'node'), 0o755)
}

/** A module that makes the Node which loads it call itself 20.1.0. */
async function pretendOld(folder: string): Promise<string> {
  const file = join(folder, 'pretend-old.mjs')
  const versions = `{ ...process.versions, node: '20.1.0' }`
  await writeFile(file, `Object.defineProperty(process, 'versions', { value: ${versions} })`)
  return file
}

function call(command: string, words: string[], options: { cwd?: string; PATH?: string } = {}) {
  const { cwd, PATH = process.env.PATH } = options
  return spawnSync(command, words, { encoding: 'utf8', env: { ...process.env, PATH }, ...(cwd && { cwd }) })
}
