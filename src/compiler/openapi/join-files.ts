import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { JsonValue } from '../../theme/endpoint/endpoint-api.ts'
import type { Problem } from '../compiler-api.ts'
import { asObject } from './json.ts'
import type { JsonObject } from './openapi-api.ts'
import { parseDocument } from './parse-document.ts'

/** Where in a document the other files of its specification are put, by their paths. */
const filesKey = 'x-quire-files'
const mostFiles = 2000

/**
 * Brings the files that a specification refers to (`$ref: schemas/pet.yaml#/Pet`) into its document, so that every
 * reference is one within it. Only files of the project are read; what cannot be read stays as it is written. Answers a
 * digest of what was brought in.
 */
export function joinFiles(input: {
  file: string
  text: string
  document: JsonObject
  problems: Problem[]
  readFile: (path: string) => string | undefined
}): string | undefined {
  const refersAway = /["']?\$ref["']?\s*:\s*["']?[^#"'\s]/.test(input.text)
  if (!refersAway || isAddress(input.file)) return undefined
  const files = new Map<string, JsonValue>()
  const missing = new Set<string>()
  const digest = createHash('sha256')
  const seen = new Set<object>()
  const waiting: { file: string; value: JsonValue }[] = [{ file: input.file, value: input.document }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { file, value } = next
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    if (Array.isArray(value)) {
      for (const entry of value) waiting.push({ file, value: entry })
      continue
    }
    for (const [key, entry] of Object.entries(value)) {
      if (key === '$ref' && typeof entry === 'string') value.$ref = joined(file, entry)
      // What stands in an example is data, not a part of the specification.
      else if (!dataKeys.has(key)) waiting.push({ file, value: entry })
      else for (const part of partsIn(key, entry)) waiting.push({ file, value: part })
    }
  }
  if (files.size === 0) return undefined
  input.document[filesKey] = Object.fromEntries(files)
  return digest.digest('hex').slice(0, 16)

  function joined(file: string, reference: string): string {
    const [address = '', pointer = ''] = splitReference(reference)
    if (address === '') return file === input.file ? reference : pointerTo(file, pointer)
    const path = pathOf(file, address)
    if (path === undefined) return reference
    if (path === input.file) return `#${pointer}`
    return open(path) ? pointerTo(path, pointer) : reference
  }

  function open(path: string): boolean {
    if (files.has(path)) return true
    if (missing.has(path) || files.size >= mostFiles) return false
    const text = input.readFile(path)
    const { value, problems } =
      text === undefined ? { value: undefined, problems: [] } : parseDocument({ file: path, text })
    input.problems.push(...problems)
    if (text === undefined || value === undefined || asObject(value) === undefined) {
      missing.add(path)
      return false
    }
    digest.update(`${path}\n${text.length}\n${text}`)
    files.set(path, value)
    waiting.push({ file: path, value })
    return true
  }
}

const dataKeys = new Set(['example', 'examples', 'default', 'enum', 'const'])

/** Except where an example is a reference itself, or a property is called `default`. */
function partsIn(key: string, entry: JsonValue): JsonValue[] {
  const candidates = key === 'examples' ? Object.values(asObject(entry) ?? {}) : [entry]
  return candidates.filter((candidate) => typeof asObject(candidate)?.$ref === 'string')
}

function splitReference(reference: string): string[] {
  const at = reference.indexOf('#')
  return at === -1 ? [reference, ''] : [reference.slice(0, at), reference.slice(at + 1)]
}

/** The path of another file in the project; nothing for addresses and what lies outside. */
function pathOf(from: string, address: string): string | undefined {
  if (isAddress(address) || address.includes('\\')) return undefined
  let plain = address
  try {
    plain = decodeURI(address)
  } catch {
    // A lone percent sign stands for itself.
  }
  const path = posix.normalize(
    plain.startsWith('/') ? plain.slice(1) : posix.join(posix.dirname(from), plain),
  )
  return path.startsWith('../') || path === '..' ? undefined : path
}

function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:|^\/\//i.test(text)
}

function pointerTo(file: string, pointer: string): string {
  const name = encodeURIComponent(file.replaceAll('~', '~0').replaceAll('/', '~1'))
  return `#/${filesKey}/${name}${pointer === '/' ? '' : pointer}`
}
