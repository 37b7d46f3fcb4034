import { posix } from 'node:path'
import { asObject, asText, type Json } from './loose-json.ts'
import { CompileError, type ProblemList, placeOfText } from './problems.ts'
import { parseSettings } from './read-settings.ts'
import { readProjectText, type Source } from './read-source.ts'

/** Replaces every `$ref` by the JSON file it names. Files lie inside the project, and a circle is an error. */
export async function resolveReferences(
  source: Source,
  file: string,
  value: Json,
  problems: ProblemList,
  trail: string[] = [file],
): Promise<Json> {
  if (Array.isArray(value)) {
    return Promise.all(value.map((item) => resolveReferences(source, file, item, problems, trail)))
  }
  const object = asObject(value)
  if (object === undefined) return value
  const { $ref, ...rest } = object
  const siblings: { [key: string]: Json } = {}
  for (const [key, item] of Object.entries(rest)) {
    siblings[key] = await resolveReferences(source, file, item, problems, trail)
  }
  const address = asText($ref)
  if (address === undefined) return siblings
  const referenced = await readReference(source, file, address, problems, trail)
  if (referenced === undefined) return siblings
  const base = asObject(referenced)
  return base === undefined ? referenced : { ...base, ...siblings }
}

async function readReference(
  source: Source,
  file: string,
  address: string,
  problems: ProblemList,
  trail: string[],
): Promise<Json | undefined> {
  const path = posix.normalize(
    address.startsWith('/') ? address.slice(1) : posix.join(posix.dirname(file), address),
  )
  const place = placeOfText(file, await readProjectText(source, file), JSON.stringify(address))
  if (trail.includes(path)) {
    throw new CompileError([
      {
        severity: 'error',
        code: 'circular_reference',
        ...place,
        message: `The reference to ${path} leads back to itself (${[...trail, path].join(' → ')}).`,
        hint: 'Remove one of the "$ref" on this way.',
      },
    ])
  }
  if (path.startsWith('..') || !source.files.has(path)) {
    problems.add(place, {
      severity: 'error',
      code: 'missing_reference',
      message: `The file ${address} that "$ref" names is not in the project.`,
      hint: 'Give a path to a JSON file inside the project, relative to this file.',
    })
    return undefined
  }
  const parsed = parseSettings(path, await readProjectText(source, path))
  return resolveReferences(source, path, parsed, problems, [...trail, path])
}
