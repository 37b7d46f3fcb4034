import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { askV1, askV2, readV2, textV1, textV2 } from '../assistant/testing.ts'
import { fakeOpenAi } from '../backends/testing.ts'
import { temporaryFolder, testArchive } from '../bundle/testing.ts'
import { compileSite } from '../compiler/index.ts'
import { ask } from '../hosting/testing.ts'
import { portOf, quireHost, untilServed } from './testing.ts'

const post = (address: string, body: unknown) =>
  fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test('the host answers search and assistant from the bundle that is live', async (context) => {
  const { address, publish } = await host(context, '{ search: true, assistant: true }')
  const settings = await (await fetch(`${address}/_quire/settings.js`)).text()
  assert.match(settings, /"endpoint":"\/discovery\/v1\/search\/site"/)
  assert.match(settings, /"endpoint":"\/discovery\/v2\/assistant\/site\/message"/)

  const search = async (query: string) => {
    const answer = await post(`${address}/discovery/v1/search/site`, { query })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    return (await answer.json()) as { path: string; content: string; metadata: { url: string } }[]
  }
  const [first] = await search('how do I descale the boiler')
  assert.equal(first?.path, 'care')
  assert.equal(first?.metadata.url, `${address}/care#descale`)
  const page = await post(`${address}/discovery/v1/page/site`, { path: '/care' })
  assert.match(((await page.json()) as { content: string }).content, /citric acid/)

  const answer = await post(
    `${address}/discovery/v2/assistant/site/message`,
    askV2('How do I descale the boiler?'),
  )
  assert.equal(answer.status, 200)
  const body = await answer.text()
  assert.match(textV2(body), /citric acid/)
  const sources = readV2(body).filter((chunk) => chunk.type === 'source-url')
  assert.ok(sources.some((source) => String(source.url).startsWith(`${address}/care`)))
  const old = await post(
    `${address}/discovery/v1/assistant/site/message`,
    askV1('How do I descale the boiler?'),
  )
  assert.match(textV1(await old.text()), /citric acid/)

  await publish({ care: '## Descale\n\nDescale the boiler with vinegar every month.' }, 'Second edition')
  const [second] = await search('how do I descale the boiler')
  assert.match(second?.content ?? '', /vinegar/)

  for (const [path, sent, status] of [
    ['/discovery/v1/search/site', { query: '' }, 400],
    ['/discovery/v1/search/other', { query: 'x' }, 404],
    ['/discovery/v1/page/site', { path: '../../assistant.sqlite' }, 404],
    ['/discovery/v2/assistant/site/message', { messages: 3 }, 400],
  ] as const) {
    const refused = await post(address + path, sent)
    assert.equal(refused.status, status, path)
    assert.ok(((await refused.json()) as { code: string }).code)
  }
})

test('other programs search and read the live bundle at /mcp where the host answers search', async (context) => {
  const { address } = await host(context, '{ search: true }')
  const call = async (method: string, params: object = {}) => {
    const answer = await post(`${address}/mcp`, { jsonrpc: '2.0', id: 1, method, params })
    assert.equal(answer.status, 200)
    return JSON.stringify(((await answer.json()) as { result: unknown }).result)
  }
  assert.match(await call('tools/list'), /read_page/)
  const found = await call('tools/call', { name: 'search', arguments: { query: 'descale the boiler' } })
  assert.match(found, /citric acid/)
  assert.ok(found.includes(`${address}/care#descale`))
  assert.match(await call('tools/call', { name: 'read_page', arguments: { path: '/care' } }), /citric acid/)
  assert.equal((await fetch(`${address}/mcp`)).status, 405)
  const foreign = await fetch(`${address}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
    body: '{}',
  })
  assert.equal(foreign.status, 403)
})

test('a page called mcp is still read, and without search of its own the host speaks no such protocol', async (context) => {
  const { address, publish } = await host(context, '{ search: true }')
  await publish({ care: 'x', mcp: 'How to connect.' }, 'With a page')
  assert.match(await (await fetch(`${address}/mcp`)).text(), /How to connect/)
  const stream = await fetch(`${address}/mcp`, { headers: { accept: 'text/event-stream' } })
  assert.equal(stream.status, 405)
  const plain = await host(context, '{}')
  assert.ok([404, 405].includes((await post(`${plain.address}/mcp`, {})).status))
})

test('the host asks the model that its settings name, and holds readers to a limit', async (context) => {
  const model = await fakeOpenAi(context, ['Use citric', ' acid [1].'])
  const { address } = await host(
    context,
    `{ assistant: { model: { url: "${model.url}", name: small, key: "\${MODEL_KEY}" }, addressDailyLimit: 1 } }`,
    { MODEL_KEY: 'model-secret' },
  )
  const send = () => post(`${address}/discovery/v2/assistant/site/message`, askV2('How do I descale?'))
  const body = await (await send()).text()
  assert.match(textV2(body), /Use citric acid/)
  assert.match(JSON.stringify(model.requests[0]), /Descale the boiler with citric acid/)
  const refused = await send()
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  const settings = await (await fetch(`${address}/_quire/settings.js`)).text()
  assert.doesNotMatch(settings, /model-secret/)
  assert.notEqual(
    (await post(`${address}/discovery/v1/search/site`, { query: 'x' })).status,
    200,
    'search was not asked for',
  )
})

test('a base path stands before the endpoints too, and another server may answer', async (context) => {
  const { port } = await host(
    context,
    '{ search: true, assistant: { endpoint: "https://quire.example/discovery/v2/assistant/a/message", key: public } }',
    {},
    '/docs',
  )
  const settings = (await ask(port, '/docs/_quire/settings.js')).text
  assert.match(settings, /"endpoint":"\/docs\/discovery\/v1\/search\/site"/)
  assert.match(settings, /quire\.example.*"key":"public"/)
  const answer = await post(`http://127.0.0.1:${port}/docs/discovery/v1/search/site`, { query: 'boiler' })
  const hits = (await answer.json()) as { metadata: { url: string } }[]
  assert.match(hits[0]?.metadata.url ?? '', /\/docs\/care/)
})

async function host(
  context: TestContext,
  features: string,
  environment: Record<string, string> = {},
  basePath = '',
) {
  const folder = await temporaryFolder(context)
  let edition = 0
  const write = async (pages: Record<string, string>, name: string) => {
    edition += 1
    const source = join(folder, `source-${edition}`)
    await mkdir(source)
    const names = ['index', ...Object.keys(pages)]
    await writeFile(join(source, 'docs.json'), JSON.stringify({ name, navigation: { pages: names } }))
    await writeFile(
      join(source, 'index.mdx'),
      `---\ntitle: ${name}\n---\n\nA manual for an espresso machine.\n`,
    )
    for (const [path, text] of Object.entries(pages)) {
      await writeFile(join(source, `${path}.mdx`), `---\ntitle: Care\n---\n\n${text}\n`)
    }
    const into = join(folder, `bundle-${edition}`)
    await compileSite({ source, into })
    await writeFile(join(folder, 'bundle.tar.gz'), await testArchive(into))
  }
  await write(
    { care: '## Descale\n\nDescale the boiler with citric acid every three months.' },
    'First edition',
  )
  await writeFile(
    join(folder, 'host.yaml'),
    `staticExport: { bundleUrl: ./bundle.tar.gz, pollSeconds: 1 }\nfeatures: ${features}\nserver: { basePath: "${basePath}" }\ndata: ./data\n`,
  )
  const running = quireHost(context, ['--config', join(folder, 'host.yaml'), '--port', '0'], environment)
  const port = await portOf(running)
  await untilServed(port, 'First edition', `${basePath}/`)
  return {
    port,
    address: `http://127.0.0.1:${port}`,
    publish: async (pages: Record<string, string>, name: string) => {
      await write(pages, name)
      await untilServed(port, name, `${basePath}/`)
    },
  }
}
