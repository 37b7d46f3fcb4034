import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { type SiteSettings, standaloneSettings } from '../bundle/index.ts'
import { temporaryFolder, writeTestBundle } from '../bundle/testing.ts'
import type { ServeOptions } from './bundle-server.ts'
import { openBundleServer } from './index.ts'
import { ask, serveTestBundle } from './testing.ts'

const video = randomBytes(700_000)
const page = (text: string) =>
  `<!doctype html><html><head><title>${text}</title></head><body>${`<p>${text}</p>`.repeat(50)}</body></html>`
const files = {
  'index.html': page('Home'),
  'guide/install.html': page('Install'),
  'guide/install.md': '# Install\n'.repeat(50),
  'reference/index.html': page('Reference'),
  'über uns.html': page('Über uns'),
  '404.html':
    '<!doctype html><html><head><link rel="stylesheet" href="_quire/assets/site-0a1b2c3d.css"></head><body>Lost</body></html>',
  'video.mp4': video,
  'images/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  'custom.js': 'alert(document.domain)'.repeat(20),
  'empty.txt': '',
  '_quire/assets/site-0a1b2c3d.css': 'body{color:red}'.repeat(50),
  '_quire/assets/site-0a1b2c3d.js': 'console.log(1);'.repeat(50),
  '_quire/settings.js': 'globalThis.quireSettings = {}',
  '_quire/site.json': JSON.stringify({
    name: 'Test',
    description: '',
    home: 'index',
    versions: [],
    languages: [],
    pages: [],
    redirects: [
      { from: '/old', to: '/guide/install', permanent: true },
      { from: '/legacy/*', to: '/guide/*', permanent: true },
      { from: '/v1/:page/:rest*', to: '/v2/:rest*/:page', permanent: false },
      { from: '/out', to: 'https://example.org/docs', permanent: false },
      { from: '/steal/*', to: '/*', permanent: true },
      { from: '/same', to: '/same/', permanent: true },
      { from: '/größe', to: '/über uns#größe', permanent: true },
    ],
  }),
}

async function site(context: TestContext, options: Partial<ServeOptions> = {}) {
  const folder = await temporaryFolder(context)
  await writeTestBundle(folder, files)
  const served = await serveTestBundle(context, folder, options)
  return {
    ...served,
    folder,
    get: (path: string, headers = {}, method = 'GET') => ask(served.port, path, { headers, method }),
  }
}

test('a page answers at its extensionless and its .html address, a folder at its index', async (context) => {
  const { get } = await site(context)
  for (const [path, title] of [
    ['/', 'Home'],
    ['/index', 'Home'],
    ['/index.html', 'Home'],
    ['/guide/install', 'Install'],
    ['/guide/install.html?from=mail', 'Install'],
    ['/reference/', 'Reference'],
    ['/%C3%BCber%20uns', 'Über uns'],
  ] as const) {
    const answer = await get(path)
    assert.equal(answer.status, 200, path)
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    assert.match(answer.text, new RegExp(`<title>${title}</title>`))
  }
  const folder = await get('/reference?x=1')
  assert.equal(folder.status, 308)
  assert.equal(folder.headers.location, '/reference/?x=1')
  assert.equal((await get('/guide/install/')).headers.location, '/guide/install')
})

test('a bundle under a base path keeps its redirects and its 404 page there', async (context) => {
  const { get } = await site(context, { basePath: '/sites/acme' })
  assert.equal((await get('/sites/acme/guide/install')).status, 200)
  assert.equal((await get('/sites/acme/old')).headers.location, '/sites/acme/guide/install')
  assert.equal((await get('/sites/acme/reference')).headers.location, '/sites/acme/reference/')
  assert.match((await get('/sites/acme/a/b/c')).text, /<head><base href="\/sites\/acme\/"><link/)
})

test('what is not there is 404 with the bundle’s own page', async (context) => {
  const { get } = await site(context)
  for (const path of [
    '/nowhere',
    '/guide',
    '/guide/',
    '/_quire/assets/other.css',
    '/%',
    '/%ff',
    '//index.html',
    '/guide//install',
  ]) {
    const answer = await get(path)
    assert.equal(answer.status, 404, path)
    assert.match(answer.text, /Lost/)
    assert.equal(answer.headers['cache-control'], 'no-cache')
  }
})

test('an unchanged file is 304, and the tag names the content and the encoding', async (context) => {
  const { get } = await site(context)
  const plain = await get('/guide/install')
  const sha256 = createHash('sha256').update(files['guide/install.html']).digest('hex')
  assert.equal(plain.headers.etag, `"${sha256.slice(0, 32)}"`)
  const br = await get('/guide/install', { 'accept-encoding': 'br' })
  assert.notEqual(br.headers.etag, plain.headers.etag)
  for (const tag of [plain.headers.etag, `W/${plain.headers.etag}`, `"x", ${plain.headers.etag}`, '*']) {
    const again = await get('/guide/install', { 'if-none-match': tag })
    assert.equal(again.status, 304)
    assert.equal(again.body.length, 0)
    assert.equal(again.headers.etag, plain.headers.etag)
  }
  assert.equal((await get('/guide/install', { 'if-none-match': '"other"' })).status, 200)
})

test('ranges: from, to, suffix, beyond, several, and If-Range', async (context) => {
  const { get } = await site(context)
  const whole = await get('/video.mp4')
  assert.ok(whole.body.equals(video))
  assert.equal(whole.headers['accept-ranges'], 'bytes')
  for (const [range, start, end] of [
    ['bytes=0-0', 0, 1],
    ['bytes=5-', 5, 700_000],
    ['bytes=-10', 699_990, 700_000],
    ['bytes=699999-900000', 699_999, 700_000],
    ['bytes=-900000', 0, 700_000],
    ['bytes=100-199', 100, 200],
  ] as const) {
    const part = await get('/video.mp4', { range })
    assert.equal(part.status, 206, range)
    assert.equal(part.headers['content-range'], `bytes ${start}-${end - 1}/700000`)
    assert.ok(part.body.equals(video.subarray(start, end)), range)
  }
  for (const range of ['bytes=700000-', 'bytes=-0', 'bytes=9999999-99999999']) {
    const answer = await get('/video.mp4', { range })
    assert.equal(answer.status, 416, range)
    assert.equal(answer.headers['content-range'], 'bytes */700000')
  }
  for (const range of ['bytes=1-0', 'bytes=a-b', 'lines=1-2', 'bytes=0-1,4-5', 'bytes=']) {
    assert.equal((await get('/video.mp4', { range })).status, 200, range)
  }
  const etag = whole.headers.etag as string
  assert.equal((await get('/video.mp4', { range: 'bytes=0-1', 'if-range': etag })).status, 206)
  assert.equal((await get('/video.mp4', { range: 'bytes=0-1', 'if-range': '"older"' })).status, 200)
  const text = await get('/guide/install', { range: 'bytes=0-9', 'accept-encoding': 'br, gzip' })
  assert.equal(text.text, files['guide/install.html'].slice(0, 10))
  assert.equal(text.headers['content-encoding'], undefined)
})

test('text is sent compressed as the reader likes it, and other things are not', async (context) => {
  const { get } = await site(context)
  const expected = Buffer.from(files['guide/install.html'])
  for (const [accept, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0.1, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['identity', undefined],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['GZIP', 'gzip'],
  ] as const) {
    const answer = await get('/guide/install', { 'accept-encoding': accept })
    assert.equal(answer.headers['content-encoding'], encoding, accept)
    assert.equal(answer.headers.vary, 'Accept-Encoding')
    assert.equal(answer.headers['content-length'], String(answer.body.length))
    const plain =
      encoding === 'br'
        ? brotliDecompressSync(answer.body)
        : encoding === 'gzip'
          ? gunzipSync(answer.body)
          : answer.body
    assert.ok(plain.equals(expected))
  }
  assert.equal((await get('/video.mp4', { 'accept-encoding': 'br' })).headers['content-encoding'], undefined)
})

test('compressed files are kept by content and found again', async (context) => {
  const folder = await temporaryFolder(context)
  const compressedFolder = await temporaryFolder(context)
  await writeTestBundle(folder, files)
  const headers = { 'accept-encoding': 'gzip' }
  const first = await serveTestBundle(context, folder, { compressedFolder })
  const made = (await ask(first.port, '/', { headers })).body
  assert.ok(gunzipSync(made).equals(Buffer.from(files['index.html'])))
  const [kept] = (await readdir(compressedFolder, { recursive: true })).filter((name) =>
    name.endsWith('.gzip'),
  )
  assert.ok((await readFile(join(compressedFolder, kept ?? ''))).equals(made))
  await writeFile(join(compressedFolder, kept ?? ''), gzipSync('from the folder'))
  const second = await serveTestBundle(context, folder, { compressedFolder })
  assert.equal(gunzipSync((await ask(second.port, '/', { headers })).body).toString(), 'from the folder')
})

test('hashed files may be kept for ever, everything else is asked for again', async (context) => {
  const { get } = await site(context)
  assert.equal(
    (await get('/_quire/assets/site-0a1b2c3d.css')).headers['cache-control'],
    'public, max-age=31536000, immutable',
  )
  for (const path of [
    '/',
    '/images/logo.svg',
    '/_quire/settings.js',
    '/_quire/site.json',
    '/guide/install.md',
  ]) {
    assert.equal((await get(path)).headers['cache-control'], 'no-cache', path)
  }
})

test('HEAD has the headers of GET and no body; other methods are refused', async (context) => {
  const { get } = await site(context)
  for (const path of ['/', '/video.mp4', '/nowhere', '/_quire/settings.js', '/empty.txt']) {
    const [whole, head] = [await get(path), await get(path, {}, 'HEAD')]
    assert.equal(head.status, whole.status)
    assert.equal(head.body.length, 0)
    assert.deepEqual({ ...head.headers, date: '' }, { ...whole.headers, date: '' })
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const answer = await get('/', {}, method)
    assert.equal(answer.status, 405)
    assert.equal(answer.headers.allow, 'GET, HEAD, OPTIONS')
  }
})

test('redirects lead where the site says, wildcards included, and never to another host by accident', async (context) => {
  const { get } = await site(context)
  for (const [path, status, location] of [
    ['/old', 308, '/guide/install'],
    ['/old/', 308, '/guide/install'],
    ['/old.html?a=b', 308, '/guide/install?a=b'],
    ['/legacy/a/b%20c', 308, '/guide/a/b%20c'],
    ['/legacy', 308, '/guide/'],
    ['/v1/intro/x/y', 307, '/v2/x/y/intro'],
    ['/out?a=1', 307, 'https://example.org/docs?a=1'],
    ['/steal//evil.example', 308, '/evil.example'],
    ['/steal/%5C%5Cevil.example', 308, '/%5C%5Cevil.example'],
    ['/gr%C3%B6%C3%9Fe', 308, '/%C3%BCber%20uns#gr%C3%B6%C3%9Fe'],
  ] as const) {
    const answer = await get(path)
    assert.equal(answer.status, status, path)
    assert.equal(answer.headers.location, location, path)
    assert.equal(answer.headers['set-cookie'], undefined)
  }
  assert.equal((await get('/same')).status, 404)
  assert.equal((await get('/steal/%0d%0aSet-Cookie:x')).headers['set-cookie'], undefined)
})

test('every answer carries the security headers, and no policy lets a page’s own script run', async (context) => {
  const { get } = await site(context, { secure: true })
  for (const path of ['/', '/nowhere', '/images/logo.svg', '/old', '/video.mp4', '/_quire/settings.js']) {
    const { headers } = await get(path)
    assert.equal(headers['x-content-type-options'], 'nosniff', path)
    for (const name of [
      'referrer-policy',
      'permissions-policy',
      'strict-transport-security',
      'cross-origin-opener-policy',
      'x-frame-options',
    ]) {
      assert.ok(headers[name], `${path} lacks ${name}`)
    }
  }
  const policy = (await get('/')).headers['content-security-policy'] ?? ''
  assert.match(policy, /script-src 'self';/)
  assert.match(policy, /frame-ancestors 'self'/)
  assert.doesNotMatch(policy.replace(/style-src[^;]*/, ''), /unsafe/)
  assert.match(
    (await get('/images/logo.svg')).headers['content-security-policy'] ?? '',
    /default-src 'none'.*sandbox/,
  )
})

test('a project’s own script is shown as text unless its site switches scripts on', async (context) => {
  const { get } = await site(context)
  assert.equal((await get('/custom.js')).headers['content-type'], 'text/plain; charset=utf-8')
  assert.equal(
    (await get('/_quire/assets/site-0a1b2c3d.js')).headers['content-type'],
    'text/javascript; charset=utf-8',
  )
  const own = await site(context, { customScripts: true })
  assert.equal((await own.get('/custom.js')).headers['content-type'], 'text/javascript; charset=utf-8')
})

test('an air-gapped page may reach nothing outside; others reach what their settings name', async (context) => {
  const closed: SiteSettings = {
    ...standaloneSettings,
    deployment: 'air-gapped',
    playground: { type: 'off' },
  }
  const gapped = await site(context, { settings: closed })
  assert.doesNotMatch((await gapped.get('/')).headers['content-security-policy'] ?? '', /https?:/)
  const open: SiteSettings = {
    ...standaloneSettings,
    playground: { type: 'off' },
    assistant: { type: 'server', endpoint: 'https://ask.example/discovery', key: 'quire_dsc_x' },
  }
  const hosted = await site(context, { settings: open })
  assert.match(
    (await hosted.get('/')).headers['content-security-policy'] ?? '',
    /connect-src 'self' https:\/\/ask\.example;/,
  )
})

test('the settings file says what this deployment offers, whatever the bundle holds', async (context) => {
  const settings: SiteSettings = {
    ...standaloneSettings,
    search: { type: 'server', endpoint: '/search?</script>' },
  }
  const { get } = await site(context, { settings })
  const answer = await get('/_quire/settings.js')
  assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.doesNotMatch(answer.text, /</)
  const json = answer.text.replace(/^globalThis\.quireSettings = /, '')
  assert.deepEqual(JSON.parse(json), settings)
  assert.equal((await get('/_quire/settings.js', { 'if-none-match': answer.headers.etag })).status, 304)
})

test('hashed files of an earlier bundle are still found, its pages are not', async (context) => {
  const old = await temporaryFolder(context)
  await writeTestBundle(old, {
    'gone.html': 'gone',
    '_quire/assets/old-1234abcd.css': 'old',
    '_quire/site-private.json': 'x',
  })
  const earlier = await openBundleServer({ folder: old })
  const { get } = await site(context, { previous: [earlier] })
  assert.equal((await get('/_quire/assets/old-1234abcd.css')).text, 'old')
  assert.equal((await get('/gone')).status, 404)
  assert.equal((await get('/_quire/site-private.json')).status, 404)
})

test('a file that was changed on the disk is not served', async (context) => {
  const { get, folder, errors } = await site(context)
  await writeFile(join(folder, 'guide/install.html'), page('Instead'))
  assert.equal((await get('/guide/install')).status, 500)
  assert.match(String(errors[0]), /guide\/install\.html/)
})

test('a reader who leaves in the middle of a download harms nobody', async (context) => {
  const { port, errors } = await site(context)
  for (let count = 0; count < 20; count++) {
    const controller = new AbortController()
    const answer = await fetch(`http://127.0.0.1:${port}/video.mp4`, { signal: controller.signal })
    const reader = answer.body?.getReader()
    await reader?.read()
    controller.abort()
    await reader?.closed.catch(() => {})
  }
  assert.ok((await ask(port, '/video.mp4')).body.equals(video))
  assert.deepEqual(errors, [])
})
