import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientsMissing } from './browser.ts'
import { clients, tryClient } from './compat.ts'

for (const client of clients) {
  test(`ai ${client.version} understands every conversation`, { skip: clientsMissing }, async () => {
    const { checks } = await tryClient(client)
    assert.deepEqual(checks, Object.fromEntries(Object.keys(checks).map((name) => [name, 'ok'])))
  })
}
