import type { SiteIndex } from '../bundle/bundle-api.ts'
import type { IconLibrary } from '../theme/theme-api.ts'
import { readAssistantSettings } from './assistant-settings.ts'
import { convertMintSettings } from './convert-mint-settings.ts'
import { asFlag, asList, asObject, asText, defined, type Json, type JsonObject } from './loose-json.ts'
import { CompileError, type ProblemList, placeOfOffset, placeOfText } from './problems.ts'
import { readProjectText, type Source } from './read-source.ts'
import { resolveReferences } from './resolve-references.ts'

/** The project's settings as the rest of the compiler reads them; navigation is planned from `raw`. */
export type Settings = {
  configFile: string
  /** The text of the file, to find the place of a mistake in it. */
  configText: string
  raw: JsonObject
  name: string
  description: string
  colors: { primary: string; light?: string; dark?: string }
  logo?: { light: string; dark: string; href?: string }
  favicon?: string
  appearance: { default: 'system' | 'light' | 'dark'; strict: boolean }
  background: { light?: string; dark?: string; decoration?: string; imageLight?: string; imageDark?: string }
  fonts: { heading?: FontSettings; body?: FontSettings }
  iconLibrary: IconLibrary
  codeBlockTheme: 'system' | 'dark'
  chrome: ChromeSettings
  contextualOptions: string[]
  feedback: boolean
  timestamps: boolean
  searchPrompt: string
  redirects: { from: string; to: string; permanent: boolean }[]
  variables: Record<string, string>
  api: JsonObject
  indexHidden: boolean
  metatags: { name: string; content: string }[]
  notFound: { title?: string; description?: string }
  assistant?: NonNullable<SiteIndex['assistant']>
}

export type FontSettings = { family: string; weight?: string; source?: string; format?: string }

/** What surrounds a page and may differ from language to language. */
export type ChromeSettings = {
  links: LinkSettings[]
  primary?: LinkSettings & { kind: 'button' | 'github' }
  socials: { name: string; href: string }[]
  footerColumns: { header: string; links: LinkSettings[] }[]
  banner?: { content: string; dismissible: boolean }
}

export type LinkSettings = { label: string; href: string; icon?: string }

/** Reads `docs.json`, or the older `mint.json`, with everything it refers to. */
export async function readSettings(source: Source, problems: ProblemList): Promise<Settings> {
  const configFile = source.files.has('docs.json') ? 'docs.json' : 'mint.json'
  if (!source.files.has(configFile)) throw noSettings()
  const configText = await readProjectText(source, configFile)
  const parsed = await resolveReferences(source, configFile, parseSettings(configFile, configText), problems)
  const document = asObject(parsed)
  if (document === undefined) throw notAnObject(configFile)
  const raw =
    configFile === 'mint.json' || Array.isArray(document.navigation)
      ? convertMintSettings(document)
      : document
  if (raw.navigation === undefined) throw noNavigation(configFile)
  return toSettings(configFile, configText, raw, problems)
}

/** Parses a settings file; a mistake is told with its line and column. */
export function parseSettings(file: string, text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const position = /at position (\d+)/.exec(message)
    const offset = position ? Number(position[1]) : text.length
    const what = message
      .replace(/ in JSON at position.*$/s, '')
      .replace(/, "?\.{0,3}[\s\S]*" is not valid JSON$/, '')
    throw new CompileError([
      {
        severity: 'error',
        code: 'broken_settings',
        ...placeOfOffset(file, text, offset),
        message: `${file} is not valid JSON: ${what}.`,
        hint: 'Look for a missing comma, quote or bracket at or before this place.',
      },
    ])
  }
}

function toSettings(
  configFile: string,
  configText: string,
  raw: JsonObject,
  problems: ProblemList,
): Settings {
  const colors = asObject(raw.colors) ?? {}
  const styling = asObject(raw.styling) ?? {}
  const seo = asObject(raw.seo) ?? {}
  const errors = asObject(asObject(raw.errors)?.['404']) ?? {}
  return {
    configFile,
    configText,
    raw,
    name: asText(raw.name) ?? 'Documentation',
    description: asText(raw.description) ?? '',
    colors: {
      primary: color(colors.primary) ?? '#2563eb',
      ...defined({ light: color(colors.light), dark: color(colors.dark) }),
    },
    ...defined({ logo: readLogo(raw.logo), favicon: bothForms(raw.favicon)?.light }),
    appearance: readAppearance(asObject(raw.appearance) ?? {}),
    background: readBackground(asObject(raw.background) ?? {}),
    fonts: readFonts(asObject(raw.fonts)),
    iconLibrary: readIconLibrary(asObject(raw.icons)),
    codeBlockTheme: styling.codeblocks === 'dark' ? 'dark' : 'system',
    chrome: readChrome(raw),
    contextualOptions: asList(asObject(raw.contextual)?.options).flatMap((option) => asText(option) ?? []),
    feedback: asFlag(asObject(raw.feedback)?.thumbsRating) ?? raw.feedback !== undefined,
    timestamps: asFlag(asObject(raw.metadata)?.timestamp) ?? false,
    searchPrompt: asText(asObject(raw.search)?.prompt) ?? '',
    redirects: readRedirects(raw.redirects, configFile, configText, problems),
    variables: readVariables(asObject(raw.variables) ?? {}),
    api: asObject(raw.api) ?? {},
    indexHidden: seo.indexing === 'all',
    metatags: readMetatags(asObject(seo.metatags) ?? {}),
    notFound: defined({ title: asText(errors.title), description: asText(errors.description) }),
    ...defined({ assistant: readAssistantSettings(raw.assistant, configFile, configText, problems) }),
  }

  function color(value: Json | undefined): string | undefined {
    const text = asText(value)
    if (text === undefined || /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text)) return text
    problems.add(placeOfText(configFile, configText, JSON.stringify(text)), {
      code: 'invalid_setting',
      message: `The colour ${JSON.stringify(text)} cannot be used.`,
      hint: 'Write it as a hex code such as "#2563eb".',
    })
    return undefined
  }
}

/** Links of the top bar, footer and banner; a language of the navigation may bring its own. */
export function readChrome(raw: JsonObject, fallback?: ChromeSettings): ChromeSettings {
  const navbar = asObject(raw.navbar)
  const footer = asObject(raw.footer)
  const banner = asObject(raw.banner)
  const bannerContent = asText(banner?.content)
  return {
    links: navbar ? asList(navbar.links).flatMap(readLink) : (fallback?.links ?? []),
    socials: footer ? readSocials(footer.socials) : (fallback?.socials ?? []),
    footerColumns: footer
      ? asList(footer.links).flatMap((column) => {
          const object = asObject(column)
          return object
            ? [{ header: asText(object.header) ?? '', links: asList(object.items).flatMap(readLink) }]
            : []
        })
      : (fallback?.footerColumns ?? []),
    ...defined({
      primary: navbar ? readPrimary(asObject(navbar.primary)) : fallback?.primary,
      banner:
        bannerContent !== undefined
          ? { content: bannerContent, dismissible: asFlag(banner?.dismissible) ?? false }
          : fallback?.banner,
    }),
  }
}

function readLink(value: Json): LinkSettings[] {
  const object = asObject(value)
  const href = asText(object?.href) ?? asText(object?.url)
  if (object === undefined || href === undefined) return []
  const type = asText(object.type)
  const label = asText(object.label) ?? asText(object.name) ?? (type === undefined ? href : capitalize(type))
  return [{ label, href, ...defined({ icon: asText(object.icon) ?? type }) }]
}

function readPrimary(object: JsonObject | undefined): ChromeSettings['primary'] {
  const link = object ? readLink(object)[0] : undefined
  if (link === undefined) return undefined
  return { ...link, kind: object?.type === 'github' ? 'github' : 'button' }
}

function readSocials(value: Json | undefined): { name: string; href: string }[] {
  const pairs = Array.isArray(value)
    ? value.map((item) => [asText(asObject(item)?.type), asText(asObject(item)?.url)] as const)
    : Object.entries(asObject(value) ?? {}).map(([name, href]) => [name, asText(href)] as const)
  return pairs.flatMap(([name, href]) => (name !== undefined && href !== undefined ? [{ name, href }] : []))
}

function bothForms(value: Json | undefined): { light: string; dark: string } | undefined {
  const single = asText(value)
  if (single !== undefined) return { light: single, dark: single }
  const light = asText(asObject(value)?.light)
  const dark = asText(asObject(value)?.dark)
  const either = light ?? dark
  return either === undefined ? undefined : { light: light ?? either, dark: dark ?? either }
}

function readLogo(value: Json | undefined): Settings['logo'] {
  const forms = bothForms(value)
  return forms && { ...forms, ...defined({ href: asText(asObject(value)?.href) }) }
}

function readAppearance(object: JsonObject): Settings['appearance'] {
  const mode = object.default
  return {
    default: mode === 'light' || mode === 'dark' ? mode : 'system',
    strict: asFlag(object.strict) ?? false,
  }
}

function readBackground(object: JsonObject): Settings['background'] {
  const image = bothForms(object.image)
  const color = asObject(object.color) ?? {}
  return defined({
    light: asText(color.light),
    dark: asText(color.dark),
    decoration: asText(object.decoration),
    imageLight: image?.light,
    imageDark: image?.dark,
  })
}

function readFonts(object: JsonObject | undefined): Settings['fonts'] {
  const base = readFont(object)
  return defined({
    heading: readFont(asObject(object?.heading)) ?? base,
    body: readFont(asObject(object?.body)) ?? base,
  })
}

function readFont(object: JsonObject | undefined): FontSettings | undefined {
  const family = asText(object?.family)
  if (family === undefined) return undefined
  return {
    family,
    ...defined({
      weight: asText(object?.weight),
      source: asText(object?.source),
      format: asText(object?.format),
    }),
  }
}

function readIconLibrary(object: JsonObject | undefined): IconLibrary {
  const library = object?.library
  return library === 'lucide' || library === 'tabler' ? library : 'fontawesome'
}

function readRedirects(
  value: Json | undefined,
  file: string,
  text: string,
  problems: ProblemList,
): Settings['redirects'] {
  return asList(value).flatMap((item) => {
    const object = asObject(item)
    const from = asText(object?.source)
    const to = asText(object?.destination)
    if (from !== undefined && to !== undefined) {
      return [{ from: withSlash(from), to: withSlash(to), permanent: asFlag(object?.permanent) ?? true }]
    }
    problems.add(placeOfText(file, text, '"redirects"'), {
      code: 'invalid_setting',
      message: 'A redirect has no "source" or no "destination".',
      hint: 'Write both, such as { "source": "/old", "destination": "/new" }.',
    })
    return []
  })
}

function withSlash(address: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith('/') ? address : `/${address}`
}

function readVariables(object: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      const text = typeof value === 'string' ? value : asText(value)
      return text === undefined ? [] : [[name, text]]
    }),
  )
}

function readMetatags(object: JsonObject): { name: string; content: string }[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const content = typeof value === 'boolean' ? String(value) : asText(value)
    return content === undefined ? [] : [{ name, content }]
  })
}

function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

function noSettings(): CompileError {
  return new CompileError([
    {
      severity: 'error',
      code: 'no_settings',
      file: 'docs.json',
      line: 1,
      column: 1,
      message: 'The folder has no docs.json and no mint.json.',
      hint: 'Name the folder that holds docs.json, or write one: { "name": "Docs", "navigation": { "pages": ["index"] } }.',
    },
  ])
}

function notAnObject(file: string): CompileError {
  return new CompileError([
    {
      severity: 'error',
      code: 'broken_settings',
      file,
      line: 1,
      column: 1,
      message: `${file} does not hold an object.`,
      hint: 'Its outermost brackets have to be { and }.',
    },
  ])
}

function noNavigation(file: string): CompileError {
  return new CompileError([
    {
      severity: 'error',
      code: 'no_navigation',
      file,
      line: 1,
      column: 1,
      message: `${file} has no "navigation".`,
      hint: 'Add one, such as "navigation": { "pages": ["index"] }.',
    },
  ])
}
