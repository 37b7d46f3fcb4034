import assert from 'node:assert/strict'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fixture, journey, json, post } from './support.ts'

type Answer = { status: number; headers: Record<string, unknown>; body: string }

/** Asks the server under another host name, as a reader behind DNS would. */
function ask(url: string, host: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, async (response) =>
      resolve({ status: response.statusCode!, headers: response.headers, body: await text(response) }),
    )
      .on('error', reject)
      .end()
  })
}

journey(
  "a project's own scripts run only where they are let, at the site's own host names",
  async (start, context) => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-scripts-'))
    context.after(() => rm(folder, { recursive: true, force: true }))
    await cp(fixture('acme'), folder, { recursive: true })
    await writeFile(join(folder, 'widget.js'), 'globalThis.widget = true\n')
    const quire = await start()
    await json(quire.api('/v1/sites', post({ domain: 'acme' })), 201)
    const put = (path: string, body: unknown) => quire.api(path, { ...post(body), method: 'PUT' })
    const publish = async () =>
      assert.equal((await quire.command('publish', folder, '--site', 'acme')).code, 0)

    await publish()
    assert.doesNotMatch(await (await fetch(`${quire.url}/sites/acme/`)).text(), /widget\.js/)
    assert.equal(
      (await json<{ code: string }>(put('/v1/sites/acme/scripts', { customScripts: true }), 409)).code,
      'host_required',
    )

    await json(put('/v1/sites/acme/hosts', { hosts: ['docs.acme.example'] }))
    await json(put('/v1/sites/acme/scripts', { customScripts: true }))
    await publish()
    const own = await ask(`${quire.url}/`, 'docs.acme.example')
    assert.match(own.body, /<script[^>]+widget\.js/)
    const script = await ask(`${quire.url}/widget.js`, 'docs.acme.example')
    assert.match(String(script.headers['content-type']), /javascript/)
    const shared = await fetch(`${quire.url}/sites/acme/widget.js`, { redirect: 'manual' })
    assert.deepEqual(
      [shared.status, shared.headers.get('location')],
      [302, 'https://docs.acme.example/widget.js'],
    )
  },
)
