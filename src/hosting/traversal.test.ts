import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder, writeTestBundle } from '../bundle/testing.ts'
import { askRaw, serveTestBundle } from './testing.ts'

test('thousands of addresses that try to leave the bundle get nothing and break nothing', async (context) => {
  const home = await temporaryFolder(context)
  const folder = join(home, 'sites/acme/releases/one')
  await mkdir(join(home, 'sites/other'), { recursive: true })
  for (const place of ['secret.html', 'sites/secret.html', 'sites/other/secret.html']) {
    await writeFile(join(home, place), 'TOP SECRET')
  }
  await writeTestBundle(folder, {
    'index.html': 'home',
    'guide/page.html': 'page',
    '404.html': '<html><head></head>lost</html>',
    '_quire/site.json': JSON.stringify({
      home: 'index',
      redirects: [
        { from: '/old/*', to: '/*', permanent: true },
        { from: '/r/:a/:b*', to: '/:b*/:a', permanent: false },
      ],
    }),
  })
  await writeFile(join(home, 'sites/acme/releases/secret.html'), 'TOP SECRET')
  await writeFile(join(folder, 'unlisted.html'), 'TOP SECRET') // On the disk, but not in the manifest.
  const addresses = [...new Set(traversals())]
  assert.ok(addresses.length >= 10_000, `only ${addresses.length} addresses`)
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  context.after(() => agent.destroy())
  for (const basePath of ['', '/sites/acme']) {
    const { port, errors } = await serveTestBundle(context, folder, { basePath })
    const half = addresses.filter((_, index) => index % 2 === (basePath === '' ? 0 : 1))
    const check = (address: string, status: number, body: string, location: string) => {
      assert.ok([200, 307, 308, 400, 404].includes(status), `${status} for ${address}`)
      assert.doesNotMatch(body, /SECRET|root:/, address)
      if (location !== '') {
        assert.match(location, /^\/(?![/\\])/, `${address} leads to ${location}`)
        assert.ok(location.startsWith(`${basePath}/`), `${address} leads to ${location}`)
      }
    }
    await Promise.all(
      Array.from({ length: 16 }, async (_, lane) => {
        for (let index = lane; index < half.length; index += 16) {
          const address = basePath + (half[index] as string)
          const answer = await get(port, address, agent)
          check(address, answer.status, answer.body, answer.location)
        }
      }),
    )
    for (const target of rawTargets(basePath)) {
      const answer = await askRaw(port, target)
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 400)
      check(target.toString('latin1'), status, answer, /^Location: (.*)\r$/m.exec(answer)?.[1] ?? '')
    }
    assert.deepEqual(errors, [])
  }
  context.diagnostic(`${addresses.length} addresses`)
})

function get(
  port: number,
  path: string,
  agent: Agent,
): Promise<{ status: number; body: string; location: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, agent }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, location: response.headers.location ?? '' }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Ways up, ways to write them, places to start and things to reach, each with each. */
function* traversals(): Generator<string> {
  const ups = [
    '..',
    '%2e%2e',
    '%2E.',
    '.%2e',
    '%252e%252e',
    '%25252e%25252e',
    '..%00',
    '%00..',
    '..;',
    '..;x=1',
    '%c0%ae%c0%ae',
    '%e0%80%ae%e0%80%ae',
    '%uff0e%uff0e',
    '..%01',
    '.%20.',
    '%2e%2e%20',
    '...',
    '....',
    '.',
    '%ef%bc%8e%ef%bc%8e',
    '..%c0%80',
    '%f0%80%80%ae.',
  ]
  const slashes = [
    '/',
    '%2f',
    '%2F',
    '\\',
    '%5c',
    '%5C',
    '%252f',
    '%255c',
    '//',
    '/./',
    '%c0%af',
    '%e0%80%af',
    '%u2215',
    '/;/',
    '%2f%2f',
    '/%2e/',
    '\\/',
    '%00/',
    '/%00/',
    '%ef%bc%8f',
  ]
  const starts = ['/', '/guide/', '/_quire/assets/', '/old/', '/r/x/']
  const ends = ['secret.html', 'sites/other/secret', 'etc/passwd', 'unlisted', '_quire/../secret.html']
  for (const up of ups) {
    for (const slash of slashes) {
      for (const start of starts) {
        for (const end of ends)
          yield `${start}${`${up}${slash}`.repeat(1 + ((up.length + slash.length + end.length) % 4))}${end}`
      }
    }
  }
  const whole = [
    '//etc/passwd',
    '/%2fetc/passwd',
    '/%2f%2fetc%2fpasswd',
    '/C:/secret.html',
    '/C:%5csecret.html',
    '/file:///etc/passwd',
    '/.',
    '/..',
    '/./',
    '/../',
    '/%',
    '/%2',
    '/%zz',
    '/%ff%fe',
    '/%00',
    '/index.html%00',
    '/index.html%00.md',
    '/index%00.html',
    '/index.html/',
    '/index.html/x',
    '/index.html;x',
    '/guide/page.html%20',
    '/guide/page.html.',
    '/guide/page.html::$DATA',
    '/guide/page%2ehtml',
    '/GUIDE/PAGE',
    '/unlisted',
    '/unlisted.html',
    '/__proto__',
    '/constructor',
    '/toString',
    '/hasOwnProperty',
    '/_quire/__proto__',
    '/old//evil.example',
    '/old/%2fevil.example',
    '/old/%5cevil.example',
    '/old/%09/evil.example',
    '/r//evil.example/',
    '/r/evil.example/%2f',
    '/r/x//evil.example',
    '/r/%2f/%2f',
    '/old/https://evil.example',
    '/old/%0d%0aX:y',
    '/%0d%0aX:y',
  ]
  yield* whole
  for (let length = 1; length < 8000; length += 997) yield `/${'a'.repeat(length)}`
  for (let depth = 1; depth < 60; depth += 7) yield `/${'../'.repeat(depth)}secret.html`
}

/** Request targets that no proper client sends. */
function* rawTargets(basePath: string): Generator<Buffer> {
  const targets = [
    '/../../secret.html',
    '../secret.html',
    'secret.html',
    '/..\\..\\secret.html',
    '*',
    'http://evil.example/../secret.html',
    '/\u0001',
    '/a?b#c',
    '/#/../secret.html',
    '/?../../secret.html',
    '/%u002e%u002e/secret.html',
  ]
  for (const target of targets)
    yield Buffer.from(target.startsWith('/') ? basePath + target : target, 'latin1')
  for (const byte of [0x80, 0xa0, 0xc0, 0xff])
    yield Buffer.from([...Buffer.from(`${basePath}/`), byte, byte, 0x2f])
}
