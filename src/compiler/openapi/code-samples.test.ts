import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { endpointModel, findOperation } from './index.ts'
import type { EndpointSettings } from './openapi-api.ts'
import { type SampleRequest, sampleLanguages } from './sample-languages.ts'
import { fixtureSpec, operationModelOf } from './testing.ts'

const garden = fixtureSpec('garden.yaml')

function samples(reference: string, settings: EndpointSettings = {}): Map<string, string> {
  const operation = findOperation([garden], reference)
  assert.ok(operation !== undefined)
  const model = endpointModel(garden, operation, settings)
  assert.ok(model.type === 'operation')
  return new Map(model.samples.map((sample) => [sample.label, sample.code]))
}

test('writes the request with server, credentials and headers', () => {
  assert.equal(
    samples('GET /plants').get('cURL'),
    `curl --request GET \\
  --url 'https://eu.garden.example/v1/plants' \\
  --header 'Authorization: Bearer <token>' \\
  --header 'X-Tenant: <X-Tenant>'`,
  )
})

test('fills the path from examples and puts a key where it belongs', () => {
  assert.match(
    samples('GET /plants/{plantId}').get('Python') ?? '',
    /"https:\/\/eu\.garden\.example\/v1\/plants\/p1"/,
  )
  assert.match(samples('POST /plants').get('cURL') ?? '', /plants\?key=<api-key>'/)
})

test('sends a file as a form', () => {
  const sent = samples('PUT /plants/{plantId}/photo')
  assert.match(sent.get('cURL') ?? '', /--form 'image=@path\/to\/file' \\\n {2}--form 'caption=<string>'/)
  assert.match(sent.get('Python') ?? '', /"image": open\("path\/to\/file", "rb"\)/)
  assert.match(sent.get('Go') ?? '', /form\.CreateFormFile\("image", "file"\)/)
  assert.doesNotMatch(sent.get('JavaScript') ?? '', /Content-Type/)
})

test('follows the settings of the project', () => {
  assert.deepEqual(
    [...samples('GET /plants', { languages: ['py', 'rb', 'nonsense'] }).keys()],
    ['Python', 'Ruby'],
  )
  assert.deepEqual([...samples('POST /plants', { autogenerate: false }).keys()], ['SDK'])
  assert.match(samples('GET /plants', { defaults: 'all' }).get('cURL') ?? '', /limit=20&kinds=tree/)
})

const awkward: SampleRequest = {
  method: 'POST',
  url: "https://api.example.com/a'b",
  headers: [['X-Quote', 'it\'s "x" \\ $HOME `id`']],
  body: {
    type: 'json',
    value: { text: `it's "x" \\ $\{y} \`z\`\nnext`, none: null, list: [true, 1.5, {}], '': [] },
  },
}

function writeIn(label: string): string {
  const language = sampleLanguages.find((entry) => entry.label === label)
  assert.ok(language !== undefined)
  return language.write(awkward)
}

test('quotes for the shell so that the shell reads back the same', () => {
  const script = `curl() { while [ "$1" != --data ]; do shift; done; printf %s "$2"; }\n${writeIn('cURL')}`
  const output = execFileSync('sh', ['-c', script], { encoding: 'utf8' })
  assert.ok(awkward.body.type === 'json')
  assert.deepEqual(JSON.parse(output), awkward.body.value)
})

test('writes JavaScript that runs and sends the same', async () => {
  const sent: unknown[] = []
  const fetch = async (url: string, options: unknown) => {
    sent.push([url, options])
    return { json: async () => ({}) }
  }
  const run = new Function('fetch', 'console', `return (async () => {${writeIn('JavaScript')}\n})()`)
  await run(fetch, { log: () => undefined })
  assert.ok(awkward.body.type === 'json')
  assert.deepEqual(sent, [
    [
      awkward.url,
      {
        method: 'POST',
        headers: Object.fromEntries(awkward.headers),
        body: JSON.stringify(awkward.body.value),
      },
    ],
  ])
})

test('writes Python that parses to the same', (context) => {
  const script = `${writeIn('Python')
    .replace('import requests', 'import json')
    .replace(/\nresponse =[\s\S]*$/, '')}\nprint(json.dumps([url, headers, payload]))`
  let output: string
  try {
    output = execFileSync('python3', ['-c', script], { encoding: 'utf8' })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return context.skip('needs python3')
    throw error
  }
  assert.ok(awkward.body.type === 'json')
  assert.deepEqual(JSON.parse(output), [awkward.url, Object.fromEntries(awkward.headers), awkward.body.value])
})

test('has a sample in every language for every kind of body', () => {
  const bodies: SampleRequest['body'][] = [
    { type: 'none' },
    awkward.body,
    { type: 'form', fields: [['a', 'b']] },
    { type: 'multipart', fields: [{ name: 'f', value: '', file: true }] },
    { type: 'text', mediaType: 'text/plain', text: 'x' },
    { type: 'file', mediaType: 'image/png' },
  ]
  for (const language of sampleLanguages) {
    for (const body of bodies) {
      const code = language.write({ ...awkward, body })
      assert.ok(code.includes('https://api.example.com/a'), language.label)
      assert.doesNotMatch(code, /undefined|\[object/, language.label)
    }
  }
})

test('makes no samples for a webhook', () => {
  assert.deepEqual(operationModelOf(fixtureSpec('events.json'), 'webhook orderUpdated').samples, [])
})
