import assert from 'node:assert/strict'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fixture, journey, json, post } from './support.ts'

type Site = {
  domain: string
  url: string
  liveRelease: { releaseId: string; number: number; pageCount: number } | null
}
type Release = { releaseId: string; number: number; status: string; live: boolean }

journey('publish a folder and read it', async (start, context) => {
  const quire = await start()
  assert.equal((await json<Site>(quire.api('/v1/sites', post({ domain: 'acme' })), 201)).liveRelease, null)
  const published = await quire.command('publish', fixture('acme'), '--site', 'acme')
  assert.equal(published.code, 0, published.stderr)
  assert.match(published.stdout, /guide\/broken\.mdx\n\s+5:1\s+warning .*Wibble/)
  assert.match(published.stdout, /\/no\/such\/page/)
  assert.match(published.stdout, /Published acme: release 1, 4 pages/)

  const { sites } = await json<{ sites: Site[] }>(quire.api('/v1/sites'))
  const acme = sites.find((site) => site.domain === 'acme')
  assert.equal(acme?.liveRelease?.pageCount, 4)
  const page = await fetch(`${acme.url}/guide/install`)
  assert.equal(page.status, 200)
  const html = await page.text()
  assert.match(html, /Mount the booster/)
  assert.match(html, /Keep away from canyons/)
  assert.doesNotMatch(html, /<Warning|https?:\/\/[^"']*\.(js|css)["']/)
  assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'/)
  assert.match(await (await fetch(`${acme.url}/guide/broken`)).text(), /Unknown components keep their text/)
  assert.match(
    await (await fetch(`${acme.url}/reference/flags`)).text(),
    /Braces like \{this\} are text here/,
  )
  assert.equal((await fetch(`${acme.url}/images/emblem.svg`)).status, 200)
  assert.match(await (await fetch(`${acme.url}/guide/install.md`)).text(), /Torque each bolt/)
  assert.equal((await fetch(`${acme.url}/no/such/page`)).status, 404)
  assert.equal((await fetch(`${acme.url}/.quire/assistant.md`)).status, 404)
  assert.equal(
    (await fetch(`${quire.url}/sites/docs/guide/install`)).status,
    404,
    'another site has its own pages only',
  )

  const said = await fetch(`${quire.url}/v1/feedback/acme`, post({ path: 'guide/install', value: 'up' }))
  assert.equal(said.status, 204)
  const feedback = await json<{ pages: object[] }>(quire.api('/v1/sites/acme/feedback'))
  assert.deepEqual(feedback.pages, [{ path: 'guide/install', up: 1, down: 0 }])

  const host = new URL(quire.url)
  const hosted = await fetch(`http://acme.localhost:${host.port}/guide/install`).catch(() => null)
  if (hosted) assert.equal(hosted.status, 200) // Not every machine resolves names below localhost.

  const edited = await mkdtemp(join(tmpdir(), 'quire-edited-'))
  context.after(() => rm(edited, { recursive: true, force: true }))
  await cp(fixture('acme'), edited, { recursive: true })
  await writeFile(join(edited, 'index.mdx'), '---\ntitle: A new welcome\n---\n\nThe second edition.\n')
  assert.equal((await quire.command('publish', edited, '--site', 'acme')).code, 0)
  assert.match(await (await fetch(`${acme.url}/`)).text(), /The second edition/)

  await writeFile(join(edited, 'docs.json'), '{ "name": ')
  const refused = await quire.command('publish', edited, '--site', 'acme')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /docs\.json:1:/)
  assert.match(
    await (await fetch(`${acme.url}/`)).text(),
    /The second edition/,
    'a failed compile leaves the live release',
  )

  const { releases } = await json<{ releases: Release[] }>(quire.api('/v1/sites/acme/releases'))
  assert.deepEqual(
    releases.map(({ number, status, live }) => [number, status, live]),
    [
      [3, 'failed', false],
      [2, 'ready', true],
      [1, 'ready', false],
    ],
  )
  assert.equal((await quire.command('rollback', '--site', 'acme')).code, 0)
  assert.match(await (await fetch(`${acme.url}/`)).text(), /Acme makes rockets/)
  assert.equal(await quire.stop(), 0)
})

journey('preview a folder that is being written', async (start, context) => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-watched-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  await cp(fixture('acme'), folder, { recursive: true })
  const quire = await start(['--docs', folder, '--site', 'preview'])
  assert.match(await (await fetch(`${quire.url}/sites/preview/`)).text(), /Acme makes rockets/)
  await writeFile(join(folder, 'index.mdx'), '---\ntitle: Saved\n---\n\nSaved a moment ago.\n')
  for (;;) {
    const html = await (await fetch(`${quire.url}/sites/preview/`)).text()
    if (html.includes('Saved a moment ago')) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.equal(await quire.stop(), 0)
})
