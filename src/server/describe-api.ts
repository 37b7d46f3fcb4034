import type { OpenAPIV3_1 } from 'openapi-types'

type Operation = OpenAPIV3_1.OperationObject
type Schema = OpenAPIV3_1.SchemaObject & { $ref?: string }

/** The whole description as one readable page, without scripts. */
export function describeApi(document: OpenAPIV3_1.Document): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
      const operation = item?.[method]
      return operation ? [{ path, method, operation }] : []
    }),
  )
  const sections = (document.tags ?? []).map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(tag.name))
    const entries = own
      .map(({ path, method, operation }) => describeOperation(document, path, method, operation))
      .join('')
    return `<h2 id="${anchor(tag.name)}">${escapeHtml(tag.name)}</h2><p>${escapeHtml(tag.description ?? '')}</p>${entries}`
  })
  const links = (document.tags ?? [])
    .map((tag) => `<a href="#${anchor(tag.name)}">${escapeHtml(tag.name)}</a>`)
    .join('')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Quire API ${escapeHtml(document.info.version)}</title><style>${style}</style></head><body><main><h1>Quire API <small>${escapeHtml(document.info.version)}</small></h1><p>${escapeHtml(document.info.description ?? '')} Machines read <a href="/openapi.json">openapi.json</a>.</p><nav>${links}</nav>${sections.join('')}</main></body></html>`
}

function describeOperation(
  document: OpenAPIV3_1.Document,
  path: string,
  method: string,
  operation: Operation,
): string {
  const body = operation.requestBody as OpenAPIV3_1.RequestBodyObject | undefined
  const schema = Object.values(body?.content ?? {})[0]?.schema as Schema | undefined
  const parameters = ((operation.parameters ?? []) as OpenAPIV3_1.ParameterObject[]).map((parameter) =>
    row(
      parameter.name,
      `${parameter.in}${parameter.required ? ', required' : ''}`,
      parameter.description ?? '',
      parameter.schema as Schema,
    ),
  )
  const fields = schema ? describeFields(document, schema, '', new Set()) : []
  const statuses = Object.keys(operation.responses ?? {})
    .map((status) => `<code>${escapeHtml(status)}</code>`)
    .join(' ')
  const rows = [...parameters, ...fields].join('')
  return `<details><summary><b class="${method}">${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code> <span>${escapeHtml(operation.summary ?? '')}</span></summary><p>${escapeHtml(operation.description ?? '')}</p>${rows ? `<table>${rows}</table>` : ''}<p>Answers: ${statuses || '<code>200</code> a stream'}</p></details>`
}

function describeFields(
  document: OpenAPIV3_1.Document,
  given: Schema,
  prefix: string,
  seen: Set<string>,
): string[] {
  const schema = follow(document, given, seen)
  if (!schema) return []
  const variants = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])] as Schema[]
  const objects = variants.length > 0 ? variants : [schema]
  return objects.flatMap((one) => {
    const inner = follow(document, one, seen)
    return Object.entries((inner?.properties ?? {}) as Record<string, Schema>).flatMap(([name, property]) => {
      const required = inner?.required?.includes(name) ? 'required' : 'optional'
      const nested = 'items' in property && property.items ? (property.items as Schema) : property
      const deeper =
        prefix.split('.').length < 4
          ? describeFields(document, nested, `${prefix}${name}.`, new Set(seen))
          : []
      return [row(`${prefix}${name}`, required, property.description ?? '', property), ...deeper]
    })
  })
}

function follow(document: OpenAPIV3_1.Document, schema: Schema, seen: Set<string>): Schema | undefined {
  if (!schema.$ref) return schema
  if (seen.has(schema.$ref)) return undefined
  seen.add(schema.$ref)
  return document.components?.schemas?.[schema.$ref.split('/').at(-1)!] as Schema | undefined
}

function row(name: string, kind: string, text: string, schema: Schema | undefined): string {
  const type = schema?.type ? String(schema.type) : ''
  const more = [
    schema?.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
    schema?.enum ? `one of ${schema.enum.join(', ')}` : '',
    schema?.maxLength === undefined ? '' : `at most ${schema.maxLength} characters`,
    schema?.minimum === undefined ? '' : `from ${schema.minimum}`,
    schema?.maximum === undefined ? '' : `to ${schema.maximum}`,
  ].filter(Boolean)
  return `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml([type, kind, ...more].filter(Boolean).join(', '))}</td><td>${escapeHtml(text)}</td></tr>`
}

const anchor = (name: string) => name.toLowerCase().replaceAll(' ', '-')
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

const style = `:root{color-scheme:light dark;--line:light-dark(#e4e4e7,#2c2c31);--soft:light-dark(#5b5b66,#a0a0ab);--tint:light-dark(#f6f6f7,#1b1b1f)}
body{font:16px/1.6 system-ui,sans-serif;margin:0;background:light-dark(#fff,#131316);color:light-dark(#18181b,#ececf0)}
main{max-width:60rem;margin:0 auto;padding:3rem 1.25rem}h1 small{color:var(--soft);font-weight:400;font-size:1rem}
h2{margin-top:2.5rem}nav a{margin-inline-end:1rem}a{color:light-dark(#0f6b4f,#5cd0a8)}
details{border:1px solid var(--line);border-radius:.6rem;padding:.6rem .9rem;margin:.6rem 0}summary{cursor:pointer}summary span{color:var(--soft)}
b{display:inline-block;min-width:4.2rem;font-size:.8rem}.get{color:light-dark(#0f6b4f,#5cd0a8)}.post{color:light-dark(#1d4fb8,#8fb4ff)}.put{color:light-dark(#8a5a00,#e8b64c)}.delete{color:light-dark(#b3261e,#ff8f86)}
code{font:.875em ui-monospace,monospace;background:var(--tint);padding:.1em .3em;border-radius:.3em;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.9rem}td{border-top:1px solid var(--line);padding:.4rem .6rem .4rem 0;vertical-align:top}td:nth-child(2){color:var(--soft);width:16rem}`
