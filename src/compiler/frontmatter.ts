import { asFlag, asList, asNumber, asText, defined, type Json, type JsonObject } from './loose-json.ts'
import { ownText } from './own-text.ts'
import type { Place, ProblemList } from './problems.ts'
import { yaml as yamlLibrary } from './yaml.ts'

/** A page's frontmatter and where its body begins. */
export type Frontmatter = { fields: JsonObject; bodyOffset: number; bodyLine: number }

type Split = { yaml: string; bodyOffset: number; bodyLine: number }

/** What the compiler reads of a page's frontmatter. */
export type PageMeta = {
  title?: string
  sidebarTitle?: string
  description: string
  icon?: string
  tag?: string
  mode: 'default' | 'wide' | 'custom' | 'frame' | 'center'
  keywords: string[]
  canonical?: string
  url?: string
  openapi?: string
  asyncapi?: string
  openapiSchema?: string
  api?: string
  authMethod?: string
  version?: string
  lastUpdated?: string
  deprecated: boolean
  hidden?: boolean
  noindex: boolean
  searchable?: boolean
  boost?: number
  rss: boolean
  metatags: { name: string; content: string }[]
}

/** Reads a page's frontmatter. Broken YAML is told, and what can be read of it is kept. */
export function readFrontmatter(file: string, text: string, problems: ProblemList): Frontmatter {
  const { yaml, bodyOffset, bodyLine } = splitFrontmatter(text)
  return { fields: plainFields(yaml) ?? parseYaml(file, yaml, problems), bodyOffset, bodyLine }
}

/** Where a page's frontmatter ends and its body begins. */
export function splitFrontmatter(text: string): Split {
  const block =
    /^---[ \t]*\n([\s\S]*?)(?:\n---[ \t]*(?:\n|$)|\n?\.\.\.[ \t]*\n)/.exec(text) ??
    /^---[ \t]*\n()---[ \t]*(?:\n|$)/.exec(text)
  if (block === null) return { yaml: '', bodyOffset: 0, bodyLine: 1 }
  return { yaml: block[1] ?? '', bodyOffset: block[0].length, bodyLine: countLines(block[0]) }
}

/**
 * The fields of frontmatter that is nothing but lines such as `title: "Install"`, which is most: reading these by hand
 * takes a fiftieth of the time. Whatever could mean something else in YAML is left to its parser.
 */
function plainFields(yaml: string): JsonObject | undefined {
  const fields: JsonObject = {}
  if (yaml === '') return fields
  for (const line of yaml.split('\n')) {
    const [, name, double, single, bare] = plainLine.exec(line) ?? []
    if (name === undefined || name in fields) return undefined
    if (bare !== undefined && notText.test(bare)) return undefined
    fields[name] = ownText(double ?? single ?? bare ?? '')
  }
  return fields
}

const plainLine =
  /^([A-Za-z][\w-]*): (?:"([^"\\]*)"|'([^']*)'|([A-Za-z](?:[\w ,.;()/?!+=$%^~<>’“”–—-]*[\w.)?!])?)) *$/
const notText = /^(?:true|false|null|yes|no|on|off|y|n)$/i

function parseYaml(file: string, yaml: string, problems: ProblemList): JsonObject {
  const { LineCounter, parseDocument } = yamlLibrary()
  const lines = new LineCounter()
  const document = parseDocument(yaml, {
    lineCounter: lines,
    uniqueKeys: false,
    logLevel: 'silent',
    schema: 'core',
  })
  const [error] = document.errors
  if (error) {
    const position = lines.linePos(error.pos[0])
    const place: Place = { file, line: position.line + 1, column: position.col }
    problems.add(place, {
      severity: 'error',
      code: 'broken_frontmatter',
      message: `The frontmatter is not valid YAML: ${error.message.split('\n')[0]}`,
      hint: 'Put a value that holds a quote or a colon into quotes of the other kind.',
    })
    return salvageFields(yaml)
  }
  try {
    const value = document.toJS({ maxAliasCount: 50 }) as Json
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value, ...numbersAsWritten(yaml, value) }
      : {}
  } catch {
    return salvageFields(yaml)
  }
}

/** A title such as `2.10` is a text to its reader, and loses its end as a number. */
function numbersAsWritten(yaml: string, fields: JsonObject): JsonObject {
  const written: JsonObject = {}
  for (const match of yaml.matchAll(/^([A-Za-z][\w-]*):[ \t]+([+-]?[\d._]+)[ \t]*(?:#.*)?$/gm)) {
    const [, name = '', text = ''] = match
    if (typeof fields[name] === 'number' && String(fields[name]) !== text) written[name] = text
  }
  return written
}

/** The plain `key: value` lines of a block that is not YAML. */
function salvageFields(yaml: string): JsonObject {
  const fields: JsonObject = {}
  for (const line of yaml.split('\n')) {
    const match = /^([A-Za-z_][\w:-]*?):\s+(.*)$/.exec(line)
    if (match?.[1] !== undefined && match[2] !== undefined) {
      fields[match[1]] = match[2]
        .trim()
        .replace(/^(["'])(.*)\1$/, '$2')
        .replace(/^["']|["']$/g, '')
    }
  }
  return fields
}

function countLines(text: string): number {
  return text.split('\n').length
}

const modes = new Set(['wide', 'custom', 'frame', 'center'])

export function readPageMeta(fields: JsonObject): PageMeta {
  const mode = asText(fields.mode)
  const metatags = Object.entries(fields).flatMap(([name, value]) => {
    const content = asText(value)
    const isTag = /^(?:og|twitter|article|fb|al):/.test(name) || name === 'robots' || name === 'author'
    return isTag && content !== undefined ? [{ name, content }] : []
  })
  return {
    description: asText(fields.description) ?? '',
    mode: mode !== undefined && modes.has(mode) ? (mode as PageMeta['mode']) : 'default',
    keywords: asList(fields.keywords).flatMap((word) => asText(word)?.split(/,\s*/) ?? []),
    deprecated: asFlag(fields.deprecated) ?? false,
    noindex: asFlag(fields.noindex) ?? false,
    rss: asFlag(fields.rss) ?? false,
    metatags,
    ...defined({
      title: asText(fields.title) ?? asText(fields.Title),
      sidebarTitle:
        asText(fields.sidebarTitle) ?? asText(fields.sideBarTitle) ?? asText(fields.sidebar_label),
      icon: asText(fields.icon),
      tag: asText(fields.tag),
      canonical: asText(fields.canonical),
      url: asText(fields.url) ?? asText(fields.redirect),
      openapi: asText(fields.openapi),
      asyncapi: asText(fields.asyncapi),
      openapiSchema: asText(fields['openapi-schema']),
      api: asText(fields.api),
      authMethod: asText(fields.authMethod),
      version: asText(fields.version),
      lastUpdated: asText(fields.lastUpdatedDate),
      hidden: asFlag(fields.hidden),
      searchable: asFlag(fields.searchable),
      boost: asNumber(fields.boost),
    }),
  }
}
