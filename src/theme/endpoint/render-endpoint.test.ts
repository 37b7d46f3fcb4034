import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ElementContent } from 'hast'
import { h } from '../content/element.ts'
import { renderHtml } from '../content/render-html.ts'
import type { ComponentContext } from '../theme-api.ts'
import type { ChannelModel, OperationModel, SchemaView } from './endpoint-api.ts'
import { renderEndpoint, renderMissingEndpoint } from './render-endpoint.ts'

function context(): ComponentContext {
  const used = new Map<string, number>()
  return {
    uniqueId(base) {
      const count = (used.get(base) ?? 0) + 1
      used.set(base, count)
      return count === 1 ? base : `${base}-${count}`
    },
    resolveHref: (href) => href,
    resolveAsset: (source) => source,
    renderMarkdown: (markdown) => [h('p', { className: ['markdown'] }, markdown)],
    report: () => undefined,
    iconLibrary: 'lucide',
  }
}

function view(given: Partial<SchemaView> = {}): SchemaView {
  return {
    type: 'string',
    name: '',
    description: '',
    nullable: false,
    deprecated: false,
    readOnly: false,
    writeOnly: false,
    enum: [],
    examples: [],
    constraints: [],
    marks: { before: [], after: [] },
    properties: [],
    ...given,
  }
}

function operation(given: Partial<OperationModel> = {}): OperationModel {
  return {
    type: 'operation',
    method: 'GET',
    path: '/plants/{plantId}',
    title: 'Get a plant',
    description: 'Returns one plant',
    deprecated: false,
    servers: [{ url: 'https://api.example.com', description: '', variables: [] }],
    auth: [],
    authOptional: false,
    parameters: { path: [], query: [], header: [], cookie: [] },
    responses: [],
    callbacks: [],
    samples: [],
    display: { fullUrl: false, expanded: false },
    ...given,
  }
}

function html(nodes: ElementContent[]): string {
  return renderHtml(nodes, { decorate: false })
}

test('shows method and path before everything else', () => {
  const { bar } = renderEndpoint(operation(), context())
  const text = html(bar)
  assert.match(text, /class="method method-get">GET</)
  assert.match(text, /class="parameter">\{plantId\}</)
  assert.match(text, /data-copy="https:\/\/api\.example\.com\/plants\/\{plantId\}"/)
})

test('shows the server in front of the path when asked or when there are several', () => {
  const full = renderEndpoint(operation({ display: { fullUrl: true, expanded: false } }), context())
  assert.match(html(full.bar), /class="server">https:\/\/api\.example\.com</)
  assert.doesNotMatch(html(renderEndpoint(operation(), context()).bar), /class="server"/)
})

test('does not repeat a description that the page shows', () => {
  const page = context()
  assert.match(html(renderEndpoint(operation(), page).main), /Returns one plant/)
  const { main } = renderEndpoint(operation(), page, { shownDescription: 'Returns one plant ' })
  assert.doesNotMatch(html(main), /Returns one plant/)
})

test('describes a field on a line and nests its own fields in a disclosure', () => {
  const inner = view({ type: 'integer', constraints: [{ label: 'Range', value: '1 ≤ x ≤ 9' }], default: 3 })
  const filter = view({
    type: 'object',
    nullable: true,
    properties: [{ name: 'depth', required: true, schema: inner }],
  })
  const query = [
    { name: 'filter', required: true, deprecated: false, description: 'Narrows **it**.', schema: filter },
  ]
  const { main } = renderEndpoint(
    operation({ parameters: { path: [], query, header: [], cookie: [] } }),
    context(),
  )
  const text = html(main)
  assert.match(text, /<h2 id="query-parameters">Query parameters<\/h2>/)
  assert.match(text, /id="query-filter"/)
  assert.match(text, /object \| null/)
  assert.match(text, /class="markdown">Narrows/)
  assert.match(text, /<details class="expandable">/)
  assert.match(text, /id="query-filter-depth"/)
  assert.match(text, /Range: <code>1 ≤ x ≤ 9<\/code>/)
  assert.match(text, /default: <\/span>3/)
})

test('opens nested fields when the project asks for it', () => {
  const schema = view({ type: 'object', properties: [{ name: 'a', required: false, schema: view() }] })
  const query = [{ name: 'filter', required: false, deprecated: false, description: '', schema }]
  const model = operation({
    parameters: { path: [], query, header: [], cookie: [] },
    display: { fullUrl: false, expanded: true },
  })
  assert.match(html(renderEndpoint(model, context()).main), /<details class="expandable" open/)
})

test('offers choices as tabs and says what tells them apart', () => {
  const options = ['Cat', 'Dog'].map((label) => ({
    label,
    schema: view({
      type: 'object',
      properties: [{ name: label.toLowerCase(), required: false, schema: view() }],
    }),
  }))
  const schema = view({ type: 'object', variants: { keyword: 'oneOf', discriminator: 'kind', options } })
  const model = operation({
    body: {
      required: true,
      description: '',
      contents: [{ mediaType: 'application/json', schema, examples: [] }],
    },
  })
  const text = html(renderEndpoint(model, context()).main)
  assert.match(text, /role="tab"[^>]*>Cat</)
  assert.match(text, /told apart by <code>kind<\/code>/)
  assert.match(text, /id="body-cat-cat"/)
})

test('shows responses as disclosures, the first success open', () => {
  const contents = [
    {
      mediaType: 'application/json',
      schema: view({ type: 'object', cut: 'cycle', name: 'Plant' }),
      examples: [],
    },
  ]
  const responses = [
    { status: '400', label: 'Bad Request', description: 'No.', headers: [], contents: [] },
    { status: '200', label: 'OK', description: 'Yes.', headers: [], contents },
  ]
  const text = html(renderEndpoint(operation({ responses }), context()).main)
  assert.match(text, /<details class="response"><summary>.*400/)
  assert.match(text, /<details class="response" open[^>]*><summary>.*200/)
  assert.match(text, /The fields of <code>Plant<\/code> again/)
})

test('puts samples and examples beside the text, unless the author wrote some', () => {
  const example = { label: 'Example', description: '', text: '{"id": 1}', language: 'json', generated: true }
  const model = operation({
    samples: [
      { language: 'bash', label: 'cURL', code: 'curl x', generated: true },
      { language: 'python', label: 'Python', code: 'x = 1', generated: true },
    ],
    responses: [
      {
        status: '200',
        label: 'OK',
        description: '',
        headers: [],
        contents: [{ mediaType: 'application/json', examples: [example, { ...example, label: 'Other' }] }],
      },
    ],
  })
  const text = html(renderEndpoint(model, context()).aside)
  assert.match(text, /data-label="cURL"/)
  assert.match(text, /data-label="Python"/)
  assert.match(text, /200 · Other/)
  assert.equal(
    renderEndpoint(model, context(), { hasRequestExample: true, hasResponseExample: true }).aside.length,
    0,
  )
})

test('cuts an example of megabytes', () => {
  const example = {
    label: 'Big',
    description: '',
    text: '{"a": 1}\n'.repeat(200_000),
    language: 'json',
    generated: false,
  }
  const responses = [
    {
      status: '200',
      label: 'OK',
      description: '',
      headers: [],
      contents: [{ mediaType: 'application/json', examples: [example] }],
    },
  ]
  assert.ok(html(renderEndpoint(operation({ responses }), context()).aside).length < 1_000_000)
})

test('shows ways to authenticate as alternatives', () => {
  const scheme = {
    id: 'token',
    kind: 'bearer' as const,
    label: 'Bearer token',
    place: 'header' as const,
    name: 'Authorization',
    value: 'Bearer <token>',
    description: 'Your token',
    scopes: ['read'],
    flows: [],
  }
  const key = { ...scheme, id: 'key', kind: 'api-key' as const, label: 'API key', name: 'X-Key', scopes: [] }
  const auth = [[scheme], [key]]
  const responses = [{ status: '204', label: 'No Content', description: '', headers: [], contents: [] }]
  const text = html(renderEndpoint(operation({ auth, responses }), context()).main)
  assert.match(text, /<h2 id="authorization">/)
  assert.match(text, /X-Key/)
  assert.match(text, /endpoint-or">or</)
  assert.match(text, /Scopes: <code>read<\/code>/)
  const byHand = renderEndpoint(operation({ auth }), context())
  assert.match(html(byHand.credentials), /authorization/)
  assert.doesNotMatch(html(byHand.main), /authorization/)
})

test('shows a channel with links from operations to messages', () => {
  const model: ChannelModel = {
    type: 'channel',
    id: 'room',
    address: '/rooms',
    title: 'Room',
    description: '',
    protocol: 'wss',
    servers: [{ url: 'wss://chat.example', description: '', variables: [] }],
    auth: [],
    parameters: [],
    operations: [{ id: 'say', action: 'send', title: 'Say', description: '', messages: ['said'] }],
    messages: [
      {
        id: 'said',
        title: 'Said',
        description: '',
        contentType: 'application/json',
        payload: view({ type: 'object', properties: [{ name: 'text', required: true, schema: view() }] }),
        examples: [],
      },
    ],
    display: { fullUrl: false, expanded: false },
  }
  const { bar, main } = renderEndpoint(model, context())
  assert.match(html(bar), /WSS.*wss:\/\/chat\.example\/rooms/)
  assert.match(html(main), /href="#message-said">Said</)
  assert.match(html(main), /id="message-said-text"/)
})

test('tells the reader of a missing operation', () => {
  const text = html(renderMissingEndpoint({ title: 'GET /x', nearest: ['GET /y'] }, context()))
  assert.match(text, /does not contain this operation/)
  assert.match(text, /<code>GET \/y<\/code>/)
})

test('writes what a specification says as text, never as markup', () => {
  const evil = '<img src=x onerror=alert(1)>'
  const schema = view({
    type: evil,
    enum: [{ value: evil, description: evil }],
    default: evil,
    const: evil,
    examples: [evil],
    constraints: [{ label: 'Pattern', value: evil }],
    marks: { before: [evil], after: [evil] },
  })
  const query = [{ name: evil, required: false, deprecated: false, description: '', schema }]
  const model = operation({
    method: evil,
    path: evil,
    servers: [
      { url: evil, description: evil, variables: [] },
      { url: evil, description: evil, variables: [] },
    ],
    parameters: { path: [], query, header: [], cookie: [] },
    samples: [{ language: evil, label: evil, code: evil, generated: false }],
    responses: [{ status: evil, label: evil, description: '', headers: [], contents: [] }],
    externalDocs: { href: 'javascript:alert(1)', label: evil },
  })
  const { bar, main, aside } = renderEndpoint(model, context())
  const text = html([...bar, ...main, ...aside])
  assert.doesNotMatch(text, /<img/)
  assert.doesNotMatch(text, /javascript:/)
})
