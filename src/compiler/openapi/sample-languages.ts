import type { JsonValue } from '../../theme/endpoint/endpoint-api.ts'

/** One request, as all languages say it. */
export type SampleRequest = { method: string; url: string; headers: [string, string][]; body: SampleBody }

export type SampleBody =
  | { type: 'none' }
  | { type: 'json'; value: JsonValue }
  | { type: 'form'; fields: [string, string][] }
  | { type: 'multipart'; fields: { name: string; value: string; file: boolean }[] }
  | { type: 'text'; mediaType: string; text: string }
  | { type: 'file'; mediaType: string }

export type SampleLanguage = {
  label: string
  /** The highlighter's name. */
  highlight: string
  /** What authors call it, in small letters. */
  names: string[]
  write: (request: SampleRequest) => string
}

export const sampleLanguages: readonly SampleLanguage[] = [
  { label: 'cURL', highlight: 'bash', names: ['curl', 'bash', 'sh', 'shell'], write: writeCurl },
  {
    label: 'JavaScript',
    highlight: 'javascript',
    names: ['javascript', 'js', 'node', 'nodejs', 'node.js'],
    write: writeJavaScript,
  },
  { label: 'TypeScript', highlight: 'typescript', names: ['typescript', 'ts'], write: writeJavaScript },
  { label: 'Python', highlight: 'python', names: ['python', 'py'], write: writePython },
  { label: 'Go', highlight: 'go', names: ['go', 'golang'], write: writeGo },
  { label: 'PHP', highlight: 'php', names: ['php'], write: writePhp },
  { label: 'Ruby', highlight: 'ruby', names: ['ruby', 'rb'], write: writeRuby },
  { label: 'Java', highlight: 'java', names: ['java'], write: writeJava },
]

function writeCurl(request: SampleRequest): string {
  const parts = [`curl --request ${request.method}`, `--url ${shellText(request.url)}`]
  for (const [name, value] of request.headers) parts.push(`--header ${shellText(`${name}: ${value}`)}`)
  const { body } = request
  if (body.type === 'json')
    parts.push(`--data ${shellText(indent(JSON.stringify(body.value, null, 2), '  '))}`)
  if (body.type === 'text') parts.push(`--data ${shellText(body.text)}`)
  if (body.type === 'file') parts.push(`--data-binary ${shellText('@path/to/file')}`)
  if (body.type === 'form') {
    for (const [name, value] of body.fields) parts.push(`--data-urlencode ${shellText(`${name}=${value}`)}`)
  }
  if (body.type === 'multipart') {
    for (const field of body.fields) {
      parts.push(`--form ${shellText(`${field.name}=${field.file ? '@path/to/file' : field.value}`)}`)
    }
  }
  return parts.join(' \\\n  ')
}

function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function writeJavaScript(request: SampleRequest): string {
  const { body } = request
  const before: string[] = []
  const options = [`  method: ${quote(request.method)},`]
  if (request.headers.length > 0) {
    const rows = request.headers.map(([name, value]) => `    ${scriptKey(name)}: ${quote(value)},`)
    options.push('  headers: {', ...rows, '  },')
  }
  if (body.type === 'json') {
    options.push(`  body: JSON.stringify(${indent(scriptValue(body.value), '  ')}),`)
  }
  if (body.type === 'text') options.push(`  body: ${scriptString(body.text)},`)
  if (body.type === 'file') options.push('  body: file,')
  if (body.type === 'form') {
    const rows = body.fields.map(([name, value]) => `    ${scriptKey(name)}: ${quote(value)},`)
    options.push('  body: new URLSearchParams({', ...rows, '  }),')
  }
  if (body.type === 'multipart') {
    before.push('const form = new FormData()')
    for (const field of body.fields)
      before.push(`form.append(${quote(field.name)}, ${field.file ? 'file' : quote(field.value)})`)
    before.push('')
    options.push('  body: form,')
  }
  const call = [`const response = await fetch(${quote(request.url)}, {`, ...options, '})', '']
  return [...before, ...call, 'console.log(await response.json())'].join('\n')
}

function scriptKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}

function scriptString(text: string): string {
  if (!text.includes('\n')) return quote(text)
  return `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')}\``
}

function scriptValue(value: JsonValue, deep = ''): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${deep}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[\n${value.map((entry) => `${inner}${scriptValue(entry, inner)},`).join('\n')}\n${deep}]`
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return '{}'
  const rows = entries.map(([name, entry]) => `${inner}${scriptKey(name)}: ${scriptValue(entry, inner)},`)
  return `{\n${rows.join('\n')}\n${deep}}`
}

function indent(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`)
}

function writePython(request: SampleRequest): string {
  const { body } = request
  const lines = ['import requests', '', `url = ${pythonString(request.url)}`]
  const passed = ['url']
  const headers = request.headers.filter(([name]) => body.type !== 'json' || name !== 'Content-Type')
  if (headers.length > 0) {
    const rows = headers.map(([name, value]) => `    ${pythonString(name)}: ${pythonString(value)},`)
    lines.push('headers = {', ...rows, '}')
    passed.push('headers=headers')
  }
  if (body.type === 'json') {
    lines.push(`payload = ${pythonValue(body.value)}`)
    passed.push('json=payload')
  }
  if (body.type === 'form') {
    const rows = body.fields.map(([name, value]) => `    ${pythonString(name)}: ${pythonString(value)},`)
    lines.push('payload = {', ...rows, '}')
    passed.push('data=payload')
  }
  if (body.type === 'multipart') {
    const files = body.fields.filter((field) => field.file)
    const texts = body.fields.filter((field) => !field.file)
    if (files.length > 0) {
      const rows = files.map((field) => `    ${pythonString(field.name)}: open("path/to/file", "rb"),`)
      lines.push('files = {', ...rows, '}')
      passed.push('files=files')
    }
    if (texts.length > 0) {
      const rows = texts.map((field) => `    ${pythonString(field.name)}: ${pythonString(field.value)},`)
      lines.push('payload = {', ...rows, '}')
      passed.push('data=payload')
    }
  }
  if (body.type === 'text') {
    lines.push(`payload = ${pythonString(body.text)}`)
    passed.push('data=payload')
  }
  if (body.type === 'file') {
    lines.push('payload = open("path/to/file", "rb")')
    passed.push('data=payload')
  }
  const known = /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.test(request.method)
  const call = known
    ? `requests.${request.method.toLowerCase()}(`
    : `requests.request(${pythonString(request.method)}, `
  lines.push('', `response = ${call}${passed.join(', ')})`, 'print(response.text)')
  return lines.join('\n')
}

function pythonString(text: string): string {
  if (!text.includes('\n')) return JSON.stringify(text)
  return `"""${text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"""')}"""`
}

function pythonValue(value: JsonValue, deep = ''): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return pythonString(value)
  if (typeof value === 'number') return String(value)
  const inner = `${deep}    `
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[\n${value.map((entry) => `${inner}${pythonValue(entry, inner)},`).join('\n')}\n${deep}]`
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return '{}'
  const rows = entries.map(
    ([name, entry]) => `${inner}${JSON.stringify(name)}: ${pythonValue(entry, inner)},`,
  )
  return `{\n${rows.join('\n')}\n${deep}}`
}

function writeGo(request: SampleRequest): string {
  const { body } = request
  const imports = ['fmt', 'io', 'net/http']
  const before: string[] = []
  const headers = [...request.headers]
  const after: string[] = []
  let reader = 'nil'
  if (body.type === 'json' || body.type === 'text') {
    imports.push('strings')
    const text = body.type === 'json' ? JSON.stringify(body.value, null, 2) : body.text
    before.push(`payload := strings.NewReader(${goString(text)})`, '')
    reader = 'payload'
  }
  if (body.type === 'form') {
    imports.push('net/url', 'strings')
    before.push('form := url.Values{}')
    for (const [name, value] of body.fields)
      before.push(`form.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})`)
    before.push('')
    reader = 'strings.NewReader(form.Encode())'
  }
  if (body.type === 'multipart') {
    imports.push('bytes', 'mime/multipart')
    before.push('var payload bytes.Buffer', 'form := multipart.NewWriter(&payload)')
    for (const field of body.fields) {
      if (!field.file)
        before.push(`form.WriteField(${JSON.stringify(field.name)}, ${JSON.stringify(field.value)})`)
    }
    const file = body.fields.find((field) => field.file)
    if (file !== undefined) {
      imports.push('os')
      before.push(
        'file, _ := os.Open("path/to/file")',
        `part, _ := form.CreateFormFile(${JSON.stringify(file.name)}, "file")`,
        'io.Copy(part, file)',
      )
    }
    before.push('form.Close()', '')
    reader = '&payload'
    after.push('request.Header.Set("Content-Type", form.FormDataContentType())')
  }
  if (body.type === 'file') {
    imports.push('os')
    before.push('payload, _ := os.Open("path/to/file")', '')
    reader = 'payload'
  }
  const lines = [
    ...before,
    `request, _ := http.NewRequest(${JSON.stringify(request.method)}, ${JSON.stringify(request.url)}, ${reader})`,
    ...headers.map(
      ([name, value]) => `request.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})`,
    ),
    ...after,
    '',
    'response, err := http.DefaultClient.Do(request)',
    'if err != nil {',
    '\tpanic(err)',
    '}',
    'defer response.Body.Close()',
    '',
    'answer, _ := io.ReadAll(response.Body)',
    'fmt.Println(string(answer))',
  ]
  const names = [...new Set(imports)].sort().map((name) => `\t"${name}"`)
  const main = lines.map((line) => (line === '' ? '' : `\t${line}`))
  return ['package main', '', 'import (', ...names, ')', '', 'func main() {', ...main, '}'].join('\n')
}

function goString(text: string): string {
  return text.includes('`') ? JSON.stringify(text) : `\`${text}\``
}

function writePhp(request: SampleRequest): string {
  const { body } = request
  const options = [
    `    CURLOPT_URL => ${quote(request.url)},`,
    '    CURLOPT_RETURNTRANSFER => true,',
    `    CURLOPT_CUSTOMREQUEST => ${quote(request.method)},`,
  ]
  if (request.headers.length > 0) {
    const rows = request.headers.map(([name, value]) => `        ${quote(`${name}: ${value}`)},`)
    options.push('    CURLOPT_HTTPHEADER => [', ...rows, '    ],')
  }
  const fields = payloadOf(body, {
    json: (value) => `json_encode(${indent(phpValue(value), '    ')})`,
    text: (text) => quote(text),
    form: (rows) => `http_build_query(${indent(phpValue(Object.fromEntries(rows)), '    ')})`,
    multipart: (rows) =>
      `[\n${rows.map((row) => `        ${quote(row.name)} => ${row.file ? "new CURLFile('path/to/file')" : quote(row.value)},`).join('\n')}\n    ]`,
    file: () => "file_get_contents('path/to/file')",
  })
  if (fields !== undefined) options.push(`    CURLOPT_POSTFIELDS => ${fields},`)
  return [
    '<?php',
    '',
    '$curl = curl_init();',
    'curl_setopt_array($curl, [',
    ...options,
    ']);',
    '',
    'echo curl_exec($curl);',
  ].join('\n')
}

function phpValue(value: JsonValue, deep = ''): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${deep}    `
  const rows = Array.isArray(value)
    ? value.map((entry) => `${inner}${phpValue(entry, inner)},`)
    : Object.entries(value).map(([name, entry]) => `${inner}${quote(name)} => ${phpValue(entry, inner)},`)
  return rows.length === 0 ? '[]' : `[\n${rows.join('\n')}\n${deep}]`
}

function writeRuby(request: SampleRequest): string {
  const { body } = request
  const kind = request.method.charAt(0) + request.method.slice(1).toLowerCase()
  const lines = [
    "require 'json'",
    "require 'net/http'",
    '',
    `uri = URI(${quote(request.url)})`,
    `request = Net::HTTP::${kind}.new(uri)`,
  ]
  for (const [name, value] of request.headers) lines.push(`request[${quote(name)}] = ${quote(value)}`)
  const text = payloadOf(body, {
    json: (value) => `request.body = JSON.generate(${rubyValue(value)})`,
    text: (plain) => `request.body = ${JSON.stringify(plain)}`,
    form: (rows) => `request.set_form_data(${rubyValue(Object.fromEntries(rows))})`,
    multipart: (rows) =>
      `request.set_form([${rows.map((row) => `[${quote(row.name)}, ${row.file ? "File.open('path/to/file')" : quote(row.value)}]`).join(', ')}], 'multipart/form-data')`,
    file: () => "request.body = File.binread('path/to/file')",
  })
  if (text !== undefined) lines.push(text)
  lines.push(
    '',
    "response = Net::HTTP.start(uri.hostname, uri.port, use_ssl: uri.scheme == 'https') do |http|",
    '  http.request(request)',
    'end',
    'puts response.body',
  )
  return lines.join('\n')
}

function rubyValue(value: JsonValue, deep = ''): string {
  if (value === null) return 'nil'
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('#{', '\\#{')
  if (typeof value !== 'object') return String(value)
  const inner = `${deep}  `
  if (Array.isArray(value)) {
    return value.length === 0
      ? '[]'
      : `[\n${value.map((entry) => `${inner}${rubyValue(entry, inner)},`).join('\n')}\n${deep}]`
  }
  const rows = Object.entries(value).map(
    ([name, entry]) => `${inner}${JSON.stringify(name)} => ${rubyValue(entry, inner)},`,
  )
  return rows.length === 0 ? '{}' : `{\n${rows.join('\n')}\n${deep}}`
}

function writeJava(request: SampleRequest): string {
  const publisher = payloadOf(request.body, {
    json: (value) =>
      `HttpRequest.BodyPublishers.ofString("""\n${javaBlock(JSON.stringify(value, null, 2))}""")`,
    text: (text) => `HttpRequest.BodyPublishers.ofString(${JSON.stringify(text)})`,
    form: (rows) =>
      `HttpRequest.BodyPublishers.ofString(${JSON.stringify(new URLSearchParams(rows).toString())})`,
    multipart: () => 'HttpRequest.BodyPublishers.ofFile(Path.of("path/to/multipart"))',
    file: () => 'HttpRequest.BodyPublishers.ofFile(Path.of("path/to/file"))',
  })
  const lines = [
    'HttpRequest request = HttpRequest.newBuilder()',
    `    .uri(URI.create(${JSON.stringify(request.url)}))`,
    ...request.headers.map(
      ([name, value]) => `    .header(${JSON.stringify(name)}, ${JSON.stringify(value)})`,
    ),
    `    .method(${JSON.stringify(request.method)}, ${publisher ?? 'HttpRequest.BodyPublishers.noBody()'})`,
    '    .build();',
    '',
    'HttpResponse<String> response = HttpClient.newHttpClient()',
    '    .send(request, HttpResponse.BodyHandlers.ofString());',
    'System.out.println(response.body());',
  ]
  return lines.join('\n')
}

function javaBlock(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .split('\n')
    .map((line) => `        ${line}`)
    .join('\n')
}

function payloadOf(
  body: SampleBody,
  write: {
    json: (value: JsonValue) => string
    text: (text: string) => string
    form: (fields: [string, string][]) => string
    multipart: (fields: { name: string; value: string; file: boolean }[]) => string
    file: () => string
  },
): string | undefined {
  switch (body.type) {
    case 'none':
      return undefined
    case 'json':
      return write.json(body.value)
    case 'text':
      return write.text(body.text)
    case 'form':
      return write.form(body.fields)
    case 'multipart':
      return write.multipart(body.fields)
    case 'file':
      return write.file()
  }
}
