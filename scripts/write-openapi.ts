import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readSettings, startServer } from '../src/server/index.ts'

/** Writes `docs/openapi.json`, from which our own API pages are made, as a fresh server describes itself. */
async function writeOpenApi(): Promise<void> {
  const root = dirname(import.meta.dirname)
  const data = mkdtempSync(join(tmpdir(), 'quire-openapi-'))
  const settings = readSettings({ flags: { data, port: '0', logLevel: 'silent' }, environment: {} })
  const server = await startServer({ settings, environment: {}, exampleDocs: join(root, 'examples/docs') })
  try {
    await server.published
    const answer = await fetch(`${server.url}/openapi.json`)
    const description = (await answer.json()) as Record<string, unknown>
    description.servers = [{ url: 'http://127.0.0.1:4000' }]
    writeFileSync(join(root, 'docs/openapi.json'), `${JSON.stringify(description, null, 2)}\n`)
  } finally {
    await server.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

await writeOpenApi()
