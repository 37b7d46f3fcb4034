import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import { readHostSettings } from '../src/hosting/index.ts'
import { settingsSchema, variableOf } from '../src/server/index.ts'

// What cannot run here (systemd, a container engine, a cluster) is held against what can be read.

const root = dirname(import.meta.dirname)
const read = (file: string) => readFileSync(join(root, 'deploy', file), 'utf8')
const chart = 'helm/quire'
const values = z.record(z.string(), z.unknown()).parse(parse(read(`${chart}/values.yaml`)))
const schema = z.fromJSONSchema(JSON.parse(read(`${chart}/values.schema.json`)))

test("the chart's values fit their schema, and so does a deployment that serves an exported bundle", () => {
  schema.parse(values)
  const bundleUrl = 'https://docs.example.com/objects/se_1/bundle.tar.gz?expires=1&signature=x'
  schema.parse({ ...values, staticExport: { enabled: true, bundleUrl, version: '2026-11-01' } })
})

test('quire host takes what the chart writes', () => {
  const { deployment, features } = values
  const server = { host: '0.0.0.0', port: 8080 }
  for (const staticExport of [
    { enabled: false },
    { enabled: true, bundleUrl: '/bundles/a.tar.gz', version: '1' },
  ]) {
    const written = stringify({ deployment, staticExport, features, server, data: '/data' })
    assert.equal(readHostSettings(written, {}).staticExport.enabled, staticExport.enabled)
  }
})

test('the schema refuses what would fail in the cluster', () => {
  for (const wrong of [
    { deployment: 'cloud' },
    { staticExport: { enabled: 'yes' } },
    { staticExport: { enabled: true, sha256: 'abc' } },
    { staticExports: {} },
    { replicas: 0 },
    { server: { enabled: true, api: { replicas: 0 }, worker: { replicas: 1 } } },
  ]) {
    assert.equal(schema.safeParse({ ...values, ...wrong }).success, false, JSON.stringify(wrong))
  }
})

test('the templates name only values that exist, and close what they open', () => {
  for (const file of globSync(`deploy/${chart}/templates/*.yaml`, { cwd: root })) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [path, words = ''] of text.matchAll(/\.Values\.([\w.]+)/g)) {
      const found = words.split('.').reduce<unknown>((value, word) => Object(value)[word], values)
      assert.notEqual(found, undefined, `${file}: ${path}`)
    }
    const actions = [...text.matchAll(/\{\{-?\s*(\S+)[^}]*?\}\}/g)].map(([, word]) => word)
    const opened = actions.filter((word) => ['if', 'range', 'with', 'define'].includes(word ?? '')).length
    assert.equal(actions.filter((word) => word === 'end').length, opened, file)
    assert.equal(text.split('{{').length, text.split('}}').length, file)
  }
})

test('the chart keeps the link and the settings in secrets', () => {
  const templates = globSync(`deploy/${chart}/templates/*.yaml`, { cwd: root })
  for (const file of templates) assert.doesNotMatch(readFileSync(join(root, file), 'utf8'), /kind: ConfigMap/)
})

test('the compose file starts an API node and workers over one database', () => {
  const service = z.object({ image: z.string(), environment: z.record(z.string(), z.string().nullable()) })
  const { services } = z
    .object({ services: z.record(z.string(), service) })
    .parse(parse(read('compose.yaml'), { merge: true }))
  assert.deepEqual(Object.keys(services).sort(), ['api', 'database', 'worker'])
  assert.match(
    services.worker?.environment.QUIRE_DATABASE_URL ?? '',
    /^postgres:\/\/quire:.*@database:5432\/quire$/,
  )
})

test('the image is made of files that exist', () => {
  const copies = [...read('Containerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
    ([, files = '']) => files.split(' '),
  )
  assert.ok(copies.includes('src') && copies.includes('package-lock.json'))
  for (const file of copies) assert.ok(existsSync(join(root, file)), file)
})

test('the unit runs the installed command as a user of its own', () => {
  const unit = read('quire.service')
  assert.deepEqual(unit.match(/^\[.*\]$/gm), ['[Unit]', '[Service]', '[Install]'])
  assert.match(unit, /^ExecStart=\/usr\/local\/bin\/quire start$/m)
  assert.match(unit, /^DynamicUser=yes$/m)
  for (const line of unit.split('\n')) assert.match(line, /^(#.*|\[\w+\]|[A-Za-z]+=.*|)$/)
})

test('every variable that a deployment sets is a setting', () => {
  const settings = Object.keys(settingsSchema.shape).map(variableOf)
  const known = [
    ...settings,
    'QUIRE_S3_ACCESS_KEY_ID',
    'QUIRE_S3_SECRET_ACCESS_KEY',
    'QUIRE_DATABASE_PASSWORD',
  ]
  for (const file of globSync('deploy/**/*', { cwd: root, withFileTypes: true })) {
    if (!file.isFile()) continue
    const text = readFileSync(join(file.parentPath, file.name), 'utf8')
    for (const [name] of text.matchAll(/\bQUIRE_[A-Z0-9_]+/g))
      assert.ok(known.includes(name), `${file.name}: ${name}`)
  }
})
