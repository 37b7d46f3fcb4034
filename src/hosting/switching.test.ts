import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder, testArchive, writeTestBundle } from '../bundle/testing.ts'
import { readHostSettings, startHost } from './index.ts'

test('two hundred switches under load fail no request, mix no page and lose no style of an open page', async (context) => {
  const home = await temporaryFolder(context)
  const archives: Buffer[] = []
  for (let version = 0; version < 8; version++) {
    const folder = join(home, `site-${version}`)
    await writeTestBundle(folder, filesOf(version))
    archives.push(await testArchive(folder))
  }
  const file = join(home, 'bundle.tar.gz')
  await writeFile(file, archives[0] as Buffer)
  const settings = {
    ...readHostSettings(`staticExport: { bundleUrl: "${file}", keepVersions: 2 }\nserver: { port: 0 }`, {}),
    data: join(home, 'data'),
  }
  const running = await startHost({ settings, now: Date.now, log: () => {} })
  await running.check()
  const agent = new Agent({ keepAlive: true, maxSockets: 12 })
  context.after(async () => {
    agent.destroy()
    await running.stop()
  })
  let isOver = false
  let requests = 0
  const versions = new Set<number>()
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const { status, body } = await get(running.address.port, path, agent, headers)
    requests++
    assert.equal(status, 200, path)
    const version = Number(/v(\d+)/.exec(body)?.[1])
    assert.ok(body === filesOf(version)[path.slice(1)], `${path} is not whole`)
    return version
  }
  const readers = Array.from({ length: 3 }, async (_, reader) => {
    while (!isOver) {
      const version = await ask(reader % 2 === 0 ? '/index.html' : '/guide.html')
      versions.add(version)
      await ask(`/_quire/assets/site-${version}.css`)
      if (reader === 0) await ask('/large.txt')
    }
  })
  for (let count = 1; count <= 200; count++) {
    await writeFile(file, archives[count % archives.length] as Buffer)
    await running.check()
    const before = requests
    while (requests < before + 20) await new Promise((resolve) => setImmediate(resolve))
  }
  isOver = true
  await Promise.all(readers)
  assert.equal(versions.size, archives.length)
  assert.ok(requests >= 4000)
  context.diagnostic(`${requests} requests`)
})

/** Every file of a version says which it is, from its first to its last byte. */
function filesOf(version: number): Record<string, string> {
  return {
    'index.html': `page v${version} `.repeat(2000),
    'guide.html': `guide v${version} `.repeat(2000),
    'large.txt': `large v${version} `.repeat(60_000),
    [`_quire/assets/site-${version}.css`]: `css v${version}`,
  }
}

function get(
  port: number,
  path: string,
  agent: Agent,
  headers: Record<string, string>,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, agent, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end()
  })
}
