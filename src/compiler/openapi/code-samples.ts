import type {
  AuthScheme,
  CodeSample,
  JsonValue,
  OperationModel,
  ParameterView,
  SchemaView,
} from '../../theme/endpoint/endpoint-api.ts'
import { exampleValue } from './example-value.ts'
import { asArray, asObject, asString, asText, objectEntries } from './json.ts'
import { flattenSchema } from './merge-schema.ts'
import type { EndpointSettings, JsonObject, LoadedSpec } from './openapi-api.ts'
import { resolveReference } from './resolve-reference.ts'
import { type SampleBody, type SampleRequest, sampleLanguages } from './sample-languages.ts'
import { isFile } from './schema-view.ts'
import type { NamedExample, WrittenRequest } from './written-fields.ts'

/** Samples that an author wrote (`x-codeSamples`), then those made for the languages that are still missing. */
export function codeSamples(input: {
  spec: LoadedSpec
  model: OperationModel
  item: JsonObject
  operation: JsonObject
  settings: EndpointSettings
}): CodeSample[] {
  const { spec, model, operation, settings } = input
  const written = writtenSamples(operation)
  if (model.type === 'webhook' || settings.autogenerate === false) return written
  const requestBody = resolveReference(spec, operation.requestBody).value
  const request = sampleRequest({ model, settings, body: sampleBody({ spec, requestBody, model, settings }) })
  return [...written, ...generatedSamples(request, settings, written)]
}

/** Samples for a page without a specification, whose fields stand in its text. */
export function samplesWithoutSpec(
  model: OperationModel,
  settings: EndpointSettings,
  written: WrittenRequest,
): CodeSample[] {
  if (settings.autogenerate === false) return []
  const body: SampleBody = /^(GET|HEAD)$/.test(model.method)
    ? { type: 'none' }
    : written.body !== undefined
      ? { type: 'json', value: written.body }
      : /^(POST|PUT|PATCH)$/.test(model.method)
        ? { type: 'json', value: {} }
        : { type: 'none' }
  const parameters = {
    path: written.path.map(parameterOf),
    query: written.query.map(parameterOf),
    header: written.header.map(parameterOf),
    cookie: [],
  }
  return generatedSamples(sampleRequest({ model: { ...model, parameters }, settings, body }), settings, [])
}

function parameterOf({ name, required, example }: NamedExample): ParameterView {
  const examples = example === undefined ? [] : [example]
  return { name, required, deprecated: false, description: '', schema: { ...plainSchema, examples } }
}

const plainSchema: SchemaView = {
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
}

function generatedSamples(
  request: SampleRequest,
  settings: EndpointSettings,
  written: CodeSample[],
): CodeSample[] {
  const chosen = languagesOf(settings)
  const present = new Set(written.map((sample) => languageOf(sample.language)?.label))
  return chosen
    .filter((language) => !present.has(language.label))
    .map((language) => ({
      language: language.highlight,
      label: language.label,
      code: language.write(request),
      generated: true,
    }))
}

const usualLanguages = ['curl', 'javascript', 'python', 'go']

function languagesOf(settings: EndpointSettings): (typeof sampleLanguages)[number][] {
  const names =
    settings.languages === undefined || settings.languages.length === 0 ? usualLanguages : settings.languages
  const found = names.flatMap((name) => languageOf(name) ?? [])
  const distinct = [...new Set(found)]
  return distinct.length > 0 ? distinct : usualLanguages.flatMap((name) => languageOf(name) ?? [])
}

function languageOf(name: string): (typeof sampleLanguages)[number] | undefined {
  return sampleLanguages.find((language) => language.names.includes(name.toLowerCase()))
}

function writtenSamples(operation: JsonObject): CodeSample[] {
  const entries = asArray(operation['x-codeSamples']) ?? asArray(operation['x-code-samples']) ?? []
  return entries.flatMap((entry) => {
    const sample = asObject(entry)
    const code = asText(sample?.source)
    if (code === undefined) return []
    const language = asText(sample?.lang) ?? 'text'
    const label = asText(sample?.label) ?? languageOf(language)?.label ?? language
    return [{ language: highlightName(language), label, code: code.replace(/\s+$/, ''), generated: false }]
  })
}

function highlightName(language: string): string {
  return languageOf(language)?.highlight ?? language.toLowerCase().replace(/[^a-z0-9+#-]/g, '')
}

function sampleRequest(input: {
  model: OperationModel
  settings: EndpointSettings
  body: SampleBody
}): SampleRequest {
  const { model, settings, body } = input
  const server = model.servers[0]?.url ?? 'https://api.example.com'
  const base = /^[a-z]+:\/\//i.test(server)
    ? server
    : `https://api.example.com${server.startsWith('/') ? server : ''}`
  let path = model.path
  for (const parameter of model.parameters.path) {
    const [example] = parameter.schema.examples
    if (example !== undefined)
      path = path.replace(`{${parameter.name}}`, encodeURIComponent(scalarText(example)))
  }
  const headers: [string, string][] = []
  const query: [string, string][] = []
  for (const scheme of model.auth[0] ?? []) placeCredentials(scheme, headers, query)
  for (const parameter of model.parameters.header) {
    const value = parameter.schema.examples[0] ?? parameter.schema.default ?? parameter.schema.enum[0]?.value
    if (parameter.required || settings.defaults === 'all') {
      headers.push([parameter.name, value === undefined ? `<${parameter.name}>` : scalarText(value)])
    }
  }
  for (const parameter of model.parameters.query) {
    const { examples } = parameter.schema
    const wanted =
      parameter.required ||
      settings.defaults === 'all' ||
      (settings.defaults === undefined && examples.length > 0)
    if (!wanted || parameter.deprecated) continue
    const value = examples[0] ?? parameter.schema.default ?? parameter.schema.enum[0]?.value
    for (const text of queryTexts(value, parameter.name)) query.push([parameter.name, text])
  }
  if (body.type === 'json') headers.push(['Content-Type', 'application/json'])
  if (body.type === 'form') headers.push(['Content-Type', 'application/x-www-form-urlencoded'])
  if (body.type === 'text' || body.type === 'file') headers.push(['Content-Type', body.mediaType])
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeQuery(value)}`).join('&')
  const url = `${base.replace(/\/$/, '')}${path.startsWith('/') ? '' : '/'}${path}${search === '' ? '' : `?${search}`}`
  return { method: model.method, url, headers, body }
}

function placeCredentials(scheme: AuthScheme, headers: [string, string][], query: [string, string][]): void {
  if (scheme.place === 'header') headers.push([scheme.name, scheme.value])
  if (scheme.place === 'query') query.push([scheme.name, scheme.value])
  if (scheme.place === 'cookie') headers.push(['Cookie', `${scheme.name}=${scheme.value}`])
}

function queryTexts(value: JsonValue | undefined, name: string): string[] {
  if (value === undefined || value === null) return [`<${name}>`]
  const list = asArray(value)
  return list === undefined ? [scalarText(value)] : list.slice(0, 3).map(scalarText)
}

function scalarText(value: JsonValue): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Readable in a sample: the marks of a placeholder stay as they are. */
function encodeQuery(value: string): string {
  return /^<[\w-]+>$/.test(value)
    ? value
    : encodeURIComponent(value).replaceAll('%2C', ',').replaceAll('%3A', ':')
}

function sampleBody(input: {
  spec: LoadedSpec
  requestBody: JsonObject | undefined
  model: OperationModel
  settings: EndpointSettings
}): SampleBody {
  const contents = objectEntries(input.requestBody?.content)
  const preferred = contents.find(([type]) => /json/i.test(type)) ?? contents[0]
  if (preferred === undefined) return { type: 'none' }
  const [mediaType, content] = preferred
  const view = input.model.body?.contents.find((entry) => entry.mediaType === mediaType)
  const options = { direction: 'request' as const, requiredOnly: input.settings.defaults === 'required' }
  const authored = view?.examples.find((example) => !example.generated)
  const value = parsedJson(authored?.text) ?? exampleValue(input.spec, content.schema, options)
  if (/json/i.test(mediaType) || mediaType === '*/*') {
    if (authored !== undefined && parsedJson(authored.text) === undefined) {
      return { type: 'text', mediaType, text: authored.text }
    }
    return { type: 'json', value }
  }
  const fields = Object.entries(asObject(value) ?? {})
  if (/multipart/i.test(mediaType)) {
    const files = fileFields(input.spec, content.schema)
    return {
      type: 'multipart',
      fields: fields.map(([name, entry]) => ({
        name,
        value: files.has(name) ? '' : scalarText(entry),
        file: files.has(name),
      })),
    }
  }
  if (/urlencoded/i.test(mediaType)) {
    return { type: 'form', fields: fields.map(([name, entry]) => [name, scalarText(entry)]) }
  }
  const [example] = view?.examples ?? []
  if (example === undefined) return { type: 'file', mediaType }
  return { type: 'text', mediaType, text: example.text }
}

function parsedJson(text: string | undefined): JsonValue | undefined {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function fileFields(spec: LoadedSpec, schema: JsonValue | undefined): Set<string> {
  const names = new Set<string>()
  const properties = flattenSchema(spec, schema).schema.properties
  for (const [name, written] of objectEntries(properties)) {
    const property = flattenSchema(spec, written).schema
    const items = flattenSchema(spec, property.items).schema
    if (isFile(property) || isFile(items) || asString(property.format) === 'binary') names.add(name)
  }
  return names
}
