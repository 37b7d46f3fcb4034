import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from './loose-json.ts'
import { asList, asObject, asText } from './loose-json.ts'
import { type LoadedSpec, loadSpec, looksLikeSpec } from './openapi/index.ts'
import { type ProblemList, placeOfText } from './problems.ts'
import type { Settings } from './read-settings.ts'
import { normalizeText, readProjectText, type Source } from './read-source.ts'

/** The specifications of a project: those in its files, and those it names by address. */
export type SpecLibrary = { specs: LoadedSpec[]; fetched: Record<string, string> }

const largestSpecBytes = 30_000_000

export async function loadSpecs(input: {
  source: Source
  settings: Settings
  fetchSpec?: (url: string) => Promise<string>
  problems: ProblemList
}): Promise<SpecLibrary> {
  const { source, settings, problems } = input
  const specs: LoadedSpec[] = []
  for (const [file, { sizeBytes }] of source.files) {
    if (!/\.(?:json|ya?ml)$/i.test(file) || sizeBytes > largestSpecBytes) continue
    const text = await readProjectText(source, file)
    if (!looksLikeSpec(text)) continue
    add(loadSpec({ file, text, readFile: readPart }))
  }
  const fetched: Record<string, string> = {}
  for (const address of addressesIn(settings.raw.navigation, asList(settings.api.openapi))) {
    const text = await fetchText(address, input, problems)
    if (text === undefined) continue
    fetched[address] = text
    add(loadSpec({ file: address, text }))
  }
  return { specs, fetched }

  function readPart(path: string): string | undefined {
    const size = source.files.get(path)?.sizeBytes ?? largestSpecBytes + 1
    return size > largestSpecBytes ? undefined : normalizeText(readFileSync(join(source.root, path), 'utf8'))
  }

  function add(loaded: ReturnType<typeof loadSpec>): void {
    problems.addAll(loaded.problems)
    if ('document' in loaded) specs.push(loaded)
  }
}

async function fetchText(
  address: string,
  input: { settings: Settings; fetchSpec?: (url: string) => Promise<string> },
  problems: ProblemList,
): Promise<string | undefined> {
  const place = placeOfText(input.settings.configFile, input.settings.configText, JSON.stringify(address))
  if (input.fetchSpec === undefined) {
    problems.add(place, {
      code: 'spec_not_fetched',
      message: `The specification at ${address} was not fetched.`,
      hint: 'It is fetched when the site is published. To see its pages here, put the file into the project.',
    })
    return undefined
  }
  try {
    return await input.fetchSpec(address)
  } catch (error) {
    problems.add(place, {
      severity: 'error',
      code: 'spec_not_fetched',
      message: `The specification at ${address} could not be fetched: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'Check the address, or put the file into the project.',
    })
    return undefined
  }
}

/** The addresses under every `openapi` and `asyncapi` of the settings, in their order. */
function addressesIn(navigation: Json | undefined, top: Json[]): string[] {
  const found = new Set<string>()
  for (const value of top) collectAddress(value)
  visit(navigation)
  return [...found]

  function collectAddress(value: Json | undefined): void {
    for (const item of asList(value)) {
      const address = asText(item) ?? asText(asObject(item)?.source)
      if (address !== undefined && /^https?:\/\//i.test(address)) found.add(address)
    }
  }

  function visit(value: Json | undefined): void {
    if (Array.isArray(value)) for (const item of value) visit(item)
    const object = asObject(value)
    if (object === undefined) return
    collectAddress(object.openapi)
    collectAddress(object.asyncapi)
    for (const item of Object.values(object)) visit(item)
  }
}

/** The files that an `openapi` setting names, and the folder for its pages. */
export function readSpecSetting(value: Json | undefined): { files: string[]; directory?: string } {
  const files: string[] = []
  let directory: string | undefined
  for (const item of asList(value)) {
    const object = asObject(item)
    const file = asText(item) ?? asText(object?.source)
    if (file !== undefined) files.push(file)
    directory ??= asText(object?.directory)
  }
  return directory === undefined ? { files } : { files, directory }
}
