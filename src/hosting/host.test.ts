import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeSigningKeys, signBundle } from '../bundle/index.ts'
import { temporaryFolder, testArchive, writeTestBundle } from '../bundle/testing.ts'
import { readHostSettings, SettingsError, startHost } from './index.ts'
import { ask, listen } from './testing.ts'

const siteFiles = (mark: string) => ({
  'index.html': `<!doctype html><html><head><link rel="stylesheet" href="_quire/assets/site-${mark}.css"></head><body>${mark}</body></html>`,
  'guide.html': `<!doctype html><body>guide ${mark}</body>`,
  [`_quire/assets/site-${mark}.css`]: `/* ${mark} */`,
})

async function makeArchive(context: TestContext, mark: string): Promise<{ bytes: Buffer; sha256: string }> {
  const folder = await temporaryFolder(context)
  await writeTestBundle(folder, siteFiles(mark), `Site ${mark}`)
  const bytes = await testArchive(folder)
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

async function host(context: TestContext, yaml: string, options: { data?: string; now?: () => number } = {}) {
  const data = options.data ?? (await temporaryFolder(context))
  const settings = { ...readHostSettings(`${yaml}\nserver: { port: 0 }`, { KEY: 'quire_secret' }), data }
  const logs: string[] = []
  const running = await startHost({
    settings,
    now: options.now ?? Date.now,
    log: (level, message, details) => logs.push(JSON.stringify({ level, message, ...details })),
  })
  context.after(() => running.stop())
  const get = (path: string, headers: Record<string, string> = {}) =>
    ask(running.address.port, path, { headers })
  const ready = async () => {
    const answer = await get('/readyz')
    return { code: answer.status, ...JSON.parse(answer.text) }
  }
  await running.check() // Waits for the check of the start, and makes another.
  return { ...running, get, ready, logs, data }
}

test('serves a bundle from a path, and says which', async (context) => {
  const folder = await temporaryFolder(context)
  const archive = await makeArchive(context, 'one')
  await writeFile(join(folder, 'bundle.tar.gz'), archive.bytes)
  for (const address of [join(folder, 'bundle.tar.gz'), `file://${join(folder, 'bundle.tar.gz')}`]) {
    const { get, ready } = await host(
      context,
      `staticExport: { bundleUrl: "${address}", version: "2026-11-01" }`,
    )
    assert.match((await get('/')).text, /one/)
    assert.match((await get('/guide')).text, /guide one/)
    const state = await ready()
    assert.equal(state.code, 200)
    assert.equal(state.serving, 'fetched bundle')
    assert.equal(state.version, '2026-11-01')
    assert.equal(state.sha256, archive.sha256)
    assert.equal((await get('/healthz')).status, 200)
    assert.match((await get('/metrics')).text, /quire_host_fresh 1/)
  }
})

test('an expired link with a copy at hand serves the copy and says why', async (context) => {
  const archive = await makeArchive(context, 'one')
  let isExpired = false
  const port = await listen(context, (_request, response) => {
    if (isExpired) response.writeHead(403).end('expired')
    else response.end(archive.bytes)
  })
  const yaml = `staticExport: { bundleUrl: "http://127.0.0.1:${port}/bundle.tar.gz?signature=verysecret" }`
  const first = await host(context, yaml)
  await first.stop()
  isExpired = true
  const second = await host(context, yaml, { data: first.data })
  assert.match((await second.get('/')).text, /one/)
  const state = await second.ready()
  assert.equal(state.code, 200)
  assert.equal(state.serving, 'local copy')
  assert.match(state.reason, /expired/)
  assert.match((await second.get('/metrics')).text, /quire_host_fresh 0/)
  assert.doesNotMatch(JSON.stringify(state) + second.logs.join(), /verysecret/)
  for (const file of await readdir(second.data, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    assert.doesNotMatch(await readFile(join(file.parentPath, file.name), 'utf8'), /verysecret/)
  }
})

test('without a copy it is not ready, says why, and takes the bundle in when it comes', async (context) => {
  const archive = await makeArchive(context, 'one')
  const folder = await temporaryFolder(context)
  const { get, ready, check } = await host(context, `staticExport: { bundleUrl: "${folder}/bundle.tar.gz" }`)
  const state = await ready()
  assert.equal(state.code, 503)
  assert.match(state.reason, /no file/)
  assert.equal((await get('/')).status, 503)
  assert.equal((await get('/healthz')).status, 200)
  await writeFile(join(folder, 'bundle.tar.gz'), archive.bytes)
  await check()
  assert.equal((await ready()).code, 200)
})

test('asks the server for a fresh link when its own is dead, and for the newest export when polling', async (context) => {
  const archives = { se_1: await makeArchive(context, 'one'), se_2: await makeArchive(context, 'two') }
  let newest: 'se_1' | 'se_2' = 'se_1'
  const seen: string[] = []
  const port = await listen(context, (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
    const job = /se_\d/.exec(request.url ?? '')?.[0] as keyof typeof archives | undefined
    if (request.url?.startsWith('/old')) response.writeHead(403).end()
    else if (request.url?.startsWith('/v1/static-export/jobs?')) {
      const jobs = [
        { jobId: 'se_0', status: 'failed', createdAt: '2027-01-01T00:00:00Z' },
        { jobId: 'se_1', status: 'completed', createdAt: '2026-01-01T00:00:00Z' },
      ]
      if (newest === 'se_2')
        jobs.push({ jobId: 'se_2', status: 'completed', createdAt: '2026-02-01T00:00:00Z' })
      response.end(JSON.stringify({ jobs }))
    } else if (job !== undefined && request.method === 'POST') {
      const { sha256 } = archives[job]
      response.end(
        JSON.stringify({ jobId: job, bundleUrl: `/fresh/${job}?signature=s`, sha256, version: job }),
      )
    } else if (job !== undefined) response.end(archives[job].bytes)
  })
  const server = `http://127.0.0.1:${port}`
  const { get, check, ready } = await host(
    context,
    `staticExport: { bundleUrl: "${server}/old", refresh: { server: "${server}", adminKey: "\${KEY}", domain: acme } }`,
  )
  assert.match((await get('/')).text, /one/)
  assert.equal(seen[0], 'GET /old ')
  assert.equal(
    seen[1],
    'GET /v1/static-export/jobs?domain=acme&status=completed&limit=100 Bearer quire_secret',
  )
  assert.equal(seen[2], 'POST /v1/static-export/jobs/se_1/bundle Bearer quire_secret')
  assert.equal(seen[3], 'GET /fresh/se_1?signature=s ') // The key goes to the server alone.
  newest = 'se_2'
  await check()
  assert.match((await get('/')).text, /two/)
  assert.equal((await ready()).version, 'se_2')
  const downloads = seen.filter((line) => line.includes('/fresh/')).length
  await check()
  assert.equal(seen.filter((line) => line.includes('/fresh/')).length, downloads)
})

test('an archive with another sha256, or a damaged one, leaves what is live as it is', async (context) => {
  const one = await makeArchive(context, 'one')
  const two = await makeArchive(context, 'two')
  const folder = await temporaryFolder(context)
  const file = join(folder, 'bundle.tar.gz')
  await writeFile(file, one.bytes)
  const running = await host(context, `staticExport: { bundleUrl: "${file}" }`)
  for (const damage of [
    two.bytes.subarray(0, -1),
    Buffer.concat([two.bytes, one.bytes]),
    Buffer.from('no archive'),
    Buffer.alloc(0),
  ]) {
    await writeFile(file, damage)
    await running.check()
    assert.match((await running.get('/')).text, /one/)
    assert.equal((await running.ready()).serving, 'local copy')
  }
  assert.deepEqual(await readdir(join(running.data, 'incoming')), [])
  await writeFile(file, two.bytes)
  const pinned = await host(context, `staticExport: { bundleUrl: "${file}", sha256: "${one.sha256}" }`)
  assert.match((await pinned.ready()).reason, new RegExp(`${two.sha256} instead of ${one.sha256}`))
  await running.check()
  assert.match((await running.get('/')).text, /two/)
})

test('goes back to the version before, and stays there until a newer one comes', async (context) => {
  const folder = await temporaryFolder(context)
  const file = join(folder, 'bundle.tar.gz')
  const yaml = `staticExport: { bundleUrl: "${file}" }`
  await writeFile(file, (await makeArchive(context, 'one')).bytes)
  const first = await host(context, yaml)
  await writeFile(file, (await makeArchive(context, 'two')).bytes)
  await first.check()
  assert.match((await first.get('/')).text, /two/)
  await first.deployment.rollback()
  assert.match((await first.get('/')).text, /one/)
  await first.check()
  assert.match((await first.get('/')).text, /one/)
  await first.stop()
  const second = await host(context, yaml, { data: first.data })
  assert.match((await second.get('/')).text, /one/)
  await writeFile(file, (await makeArchive(context, 'three')).bytes)
  await second.check()
  assert.match((await second.get('/')).text, /three/)
  await assert.rejects(second.deployment.rollback('nine'), /no version nine/)
})

test('keeps the versions it is told to, and hashed files of those that left for a day', async (context) => {
  const folder = await temporaryFolder(context)
  const file = join(folder, 'bundle.tar.gz')
  let now = Date.UTC(2026, 10, 1)
  await writeFile(file, (await makeArchive(context, 'mark0')).bytes)
  const running = await host(context, `staticExport: { bundleUrl: "${file}", keepVersions: 2 }`, {
    now: () => now,
  })
  for (let count = 1; count <= 5; count++) {
    now += 3600 * 1000
    await writeFile(file, (await makeArchive(context, `mark${count}`)).bytes)
    await running.check()
  }
  const whole = async () => {
    const found = await readdir(join(running.data, 'versions'), { recursive: true })
    return found.filter((path) => path.endsWith('index.html')).length
  }
  assert.equal(await whole(), 2)
  for (let count = 0; count <= 5; count++) {
    assert.equal((await running.get(`/_quire/assets/site-mark${count}.css`)).text, `/* mark${count} */`)
  }
  now += 25 * 3600 * 1000
  await writeFile(file, (await makeArchive(context, 'mark6')).bytes)
  await running.check()
  assert.equal((await running.get('/_quire/assets/site-mark1.css')).status, 404)
  assert.equal((await running.get('/_quire/assets/site-mark5.css')).status, 200)
  assert.equal((await readdir(join(running.data, 'versions'))).length, 2)
})

test('a copy that was damaged on the disk gives way to the one before or is fetched again', async (context) => {
  const folder = await temporaryFolder(context)
  const file = join(folder, 'bundle.tar.gz')
  const yaml = `staticExport: { bundleUrl: "${file}" }`
  await writeFile(file, (await makeArchive(context, 'one')).bytes)
  const first = await host(context, yaml)
  await writeFile(file, (await makeArchive(context, 'two')).bytes)
  await first.check()
  await writeFile(join(first.deployment.live?.server.folder ?? '', 'guide.html'), 'damaged')
  await rm(file)
  assert.equal(await first.deployment.verifyLive(), false)
  assert.match((await first.get('/guide')).text, /guide one/)
  assert.ok(first.logs.some((line) => line.includes('guide.html')))

  await writeFile(join(first.deployment.live?.server.folder ?? '', 'guide.html'), 'damaged')
  await writeFile(file, (await makeArchive(context, 'one')).bytes)
  await first.deployment.verifyLive()
  await first.check()
  assert.match((await first.get('/guide')).text, /guide one/)
})

test('a switched-off export serves a page that says so', async (context) => {
  const { get, ready } = await host(context, 'staticExport: { enabled: false }')
  const answer = await get('/anything')
  assert.match(answer.text, /switched off/)
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
  assert.equal((await ready()).code, 200)
})

test('a base path holds the whole site', async (context) => {
  const folder = await temporaryFolder(context)
  await writeFile(join(folder, 'bundle.tar.gz'), (await makeArchive(context, 'one')).bytes)
  const settings = {
    ...readHostSettings(
      `{ staticExport: { bundleUrl: "${folder}/bundle.tar.gz" }, server: { port: 0, basePath: /docs/ } }`,
      {},
    ),
    data: join(folder, 'data'),
  }
  const running = await startHost({ settings, now: Date.now, log: () => {} })
  context.after(() => running.stop())
  await running.check()
  const { port } = running.address
  assert.equal((await ask(port, '/')).headers.location, '/docs/')
  assert.equal((await ask(port, '/docs')).headers.location, '/docs/')
  assert.match((await ask(port, '/docs/guide')).text, /guide one/)
  assert.equal((await ask(port, '/guide')).status, 404)
  assert.equal((await ask(port, '/docsguide')).status, 404)
})

test('a page named as one of our own addresses is shown to browsers', async (context) => {
  const folder = await temporaryFolder(context)
  await writeTestBundle(join(folder, 'site'), { 'index.html': 'x', 'metrics.html': '<p>About metrics</p>' })
  await writeFile(join(folder, 'bundle.tar.gz'), await testArchive(join(folder, 'site')))
  const { get } = await host(context, `staticExport: { bundleUrl: "${folder}/bundle.tar.gz" }`)
  assert.match((await get('/metrics', { accept: 'text/html,*/*' })).text, /About metrics/)
  assert.match((await get('/metrics')).text, /process_cpu_seconds_total/)
})

test('wrong settings are named with their key, their value and what is allowed', () => {
  const wrong = (yaml: string, ...words: RegExp[]) => {
    assert.throws(
      () => readHostSettings(yaml, {}),
      (error) => {
        assert.ok(error instanceof SettingsError, String(error))
        for (const word of words) assert.match(error.message, word)
        return true
      },
    )
  }
  const bundle = 'bundleUrl: ./bundle.tar.gz'
  wrong('deployment: cloud\nstaticExport: {}', /deployment is "cloud"/, /client-hosted, air-gapped/)
  wrong('staticExport: {}', /staticExport\.bundleUrl is missing/)
  wrong('{}', /staticExport is missing/)
  wrong(`staticExport: { ${bundle}, sha256: abc }`, /staticExport\.sha256 is "abc"/, /64 hexadecimal digits/)
  wrong(`staticExport: { ${bundle}, enabled: "yes" }`, /staticExport\.enabled is "yes"/, /boolean/)
  wrong(`staticExport: { ${bundle}, keepVersions: 0 }`, /keepVersions is 0/, /1 or more/)
  wrong(`staticExport: { ${bundle}, bundelUrl: x }`, /staticExport\.bundelUrl is not a setting/, /bundleUrl/)
  wrong(
    `staticExport: { ${bundle}, refresh: { server: ftp://x, adminKey: secret, jobId: a } }`,
    /refresh\.server is "ftp:\/\/x"/,
  )
  wrong(
    `staticExport: { bundleUrl: "\${NOT_THERE}" }`,
    /staticExport\.bundleUrl names the variable NOT_THERE/,
  )
  wrong(`staticExport: { ${bundle} }\nfeatures: { assistant: 3 }`, /features\.assistant is 3/)
  wrong(`staticExport: { ${bundle} }\nserver: { port: 99999 }`, /server\.port is 99999/, /65535/)
  wrong('staticExport: [', /not YAML/)
  for (const feature of ['search: true', 'assistant: true', 'analytics: { endpoint: /events }']) {
    wrong(
      `deployment: air-gapped\nstaticExport: { ${bundle} }\nfeatures: { ${feature} }`,
      /cannot be switched on/,
      /air-gapped/,
      /client-hosted/,
    )
  }
  wrong(
    `staticExport: { ${bundle} }\nfeatures: { playground: false }`,
    /cannot be switched off/,
    /air-gapped/,
  )
})

test('serves only what is signed by the key of its settings, and goes on with what it has', async (context) => {
  const folder = await temporaryFolder(context)
  const file = join(folder, 'bundle.tar.gz')
  const [ours, theirs] = [makeSigningKeys(), makeSigningKeys()]
  const put = async (mark: string, signed?: { privateKey: string; version?: string }) => {
    const site = await temporaryFolder(context)
    const manifest = await writeTestBundle(site, siteFiles(mark), `Site ${mark}`)
    await writeFile(file, await testArchive(site))
    await rm(`${file}.sig`, { force: true })
    if (signed) await writeFile(`${file}.sig`, signBundle({ manifest, ...signed }))
  }
  const yaml = (minimumVersion: string) =>
    `staticExport: { bundleUrl: "${file}", signature: { key: ${JSON.stringify(ours.publicKey)}, minimumVersion: "${minimumVersion}" } }`
  await put('unsigned')
  const { get, ready, check, deployment, data, stop } = await host(context, yaml('1.0'))
  assert.match((await ready()).reason, /signature of the bundle is missing/)
  assert.equal((await get('/')).status, 503)

  await put('first', { privateKey: ours.privateKey, version: '1.0' })
  await check()
  assert.match((await get('/')).text, /first/)
  for (const [mark, signed, reason] of [
    ['unsigned', undefined, /signature of the bundle is missing/],
    ['stolen', { privateKey: theirs.privateKey, version: '9.0' }, /by the key/],
    ['nameless', { privateKey: ours.privateKey }, /without a version/],
    ['ancient', { privateKey: ours.privateKey, version: '0.9' }, /older than 1\.0/],
  ] as const) {
    await put(mark, signed)
    await check()
    assert.match((await get('/')).text, /first/, mark)
    const state = await ready()
    assert.equal(state.code, 200)
    assert.equal(state.serving, 'local copy')
    assert.match(state.reason, reason)
  }

  await put('second', { privateKey: ours.privateKey, version: '2.0' })
  await check()
  assert.match((await get('/')).text, /second/)
  await put('again', { privateKey: ours.privateKey, version: '1.5' })
  await check()
  assert.match((await get('/')).text, /second/)
  assert.match((await ready()).reason, /2\.0 is being served/)
  await deployment.rollback()
  assert.match((await get('/')).text, /first/)
  await stop()

  await put('second', { privateKey: ours.privateKey, version: '2.0' })
  const stricter = await host(context, yaml('2.0'), { data })
  assert.match((await stricter.get('/')).text, /second/)
  await assert.rejects(stricter.deployment.rollback(), /older than 2\.0/)
  assert.match(stricter.logs.join(), /is not served/)
})

test('a copy that was taken in without a signature is not served where one is asked for', async (context) => {
  const folder = await temporaryFolder(context)
  const archive = await makeArchive(context, 'one')
  await writeFile(join(folder, 'bundle.tar.gz'), archive.bytes)
  const first = await host(context, `staticExport: { bundleUrl: "${folder}/bundle.tar.gz" }`)
  await first.stop()
  const { publicKey } = makeSigningKeys()
  const second = await host(
    context,
    `staticExport: { bundleUrl: "${folder}/bundle.tar.gz", signature: { key: ${JSON.stringify(publicKey)} } }`,
    { data: first.data },
  )
  assert.equal((await second.ready()).code, 503)
  assert.equal((await second.get('/')).status, 503)
})
