import type { Problem } from '../compiler-api.ts'
import { asObject, asString } from './json.ts'
import { joinFiles } from './join-files.ts'
import type { JsonObject, LoadedSpec } from './openapi-api.ts'
import { parseDocument } from './parse-document.ts'
import { checkReferences } from './resolve-reference.ts'
import { positionOf } from './text-position.ts'

/** Reads OpenAPI 3.0 and 3.1 and AsyncAPI 3, in JSON or YAML. What cannot be used at all comes back as problems alone. */
export function loadSpec(input: {
  file: string
  text: string
  /** Reads another file of the project, where there is one, for references into it. */
  readFile?: (path: string) => string | undefined
}): LoadedSpec | { problems: Problem[] } {
  const file = input.file.replace(/^\.?\//, '')
  const { value, problems } = parseDocument({ file, text: input.text })
  const document = asObject(value)
  if (document === undefined) {
    if (problems.length > 0) return { problems }
    return {
      problems: [refusal({ file, text: input.text, key: '', message: 'The file holds no specification.' })],
    }
  }
  const kind = kindOf(document)
  if (kind === undefined) return { problems: [...problems, wrongKind({ file, text: input.text, document })] }
  const { readFile } = input
  const parts =
    readFile === undefined ? undefined : joinFiles({ file, text: input.text, document, problems, readFile })
  const info = asObject(document.info)
  const spec: LoadedSpec = {
    kind,
    file,
    text: input.text,
    version: asString(document[kind]) ?? '',
    title: asString(info?.title) ?? '',
    document,
    problems,
    ...(parts === undefined ? {} : { parts }),
  }
  checkReferences(spec)
  return spec
}

/** True for files worth giving to `loadSpec`: a cheap look at the beginning, without parsing. */
export function looksLikeSpec(text: string): boolean {
  const head = text.slice(0, 20_000)
  // A version follows the word; docs.json says `openapi` too, with a file behind it.
  if (/^\s*\{/.test(head)) return /"(openapi|asyncapi|swagger)"\s*:\s*"?\d+\./.test(head)
  return /^["']?(openapi|asyncapi|swagger)["']?\s*:\s*["']?\d+\./m.test(head)
}

function kindOf(document: JsonObject): 'openapi' | 'asyncapi' | undefined {
  if (/^3(\.|$)/.test(String(document.openapi ?? ''))) return 'openapi'
  if (/^3(\.|$)/.test(String(document.asyncapi ?? ''))) return 'asyncapi'
  return undefined
}

function wrongKind(input: { file: string; text: string; document: JsonObject }): Problem {
  const { file, text, document } = input
  if (document.swagger !== undefined) {
    return refusal({
      file,
      text,
      key: 'swagger',
      message: `This is Swagger ${String(document.swagger)}, which is not supported.`,
      hint: 'Convert the file to OpenAPI 3, for instance with "Convert to OpenAPI 3" in the Swagger Editor.',
    })
  }
  for (const key of ['openapi', 'asyncapi']) {
    if (document[key] !== undefined) {
      const name = key === 'openapi' ? 'OpenAPI' : 'AsyncAPI'
      const supported = key === 'openapi' ? 'OpenAPI 3.0 and 3.1' : 'AsyncAPI 3'
      const message = `${name} ${String(document[key])} is not supported.`
      return refusal({ file, text, key, message, hint: `Use ${supported}.` })
    }
  }
  return refusal({ file, text, key: '', message: 'The file says neither "openapi" nor "asyncapi".' })
}

function refusal(input: {
  file: string
  text: string
  key: string
  message: string
  hint?: string
}): Problem {
  const position = input.key === '' ? { line: 1, column: 1 } : positionOf(input.text, input.key)
  return {
    severity: 'error',
    code: 'unsupported_spec',
    file: input.file,
    ...position,
    message: input.message,
    hint: input.hint ?? 'A specification begins with "openapi: 3.1.0" or "asyncapi: 3.0.0".',
  }
}
