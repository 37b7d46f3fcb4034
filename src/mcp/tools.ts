import { z } from 'zod'
import { effectiveFilter, findPagePath, pageUrl } from '../assistant/index.ts'
import type { SiteIndex } from '../bundle/bundle-api.ts'
import type { SearchHit, SearchRequest } from '../search/search-api.ts'
import { readPageArgumentsSchema, searchArgumentsSchema, type ToolResult } from './mcp-api.ts'

/** What the tools need of a site: a bundle, opened. */
export type McpSite = {
  index: { search(request: SearchRequest): SearchHit[] | Promise<SearchHit[]> }
  siteIndex: SiteIndex
  /** Where readers find the pages; null where a bundle is read from a disk. */
  siteUrl: string | null
  /** The page as Markdown, null where there is none. */
  readPage(path: string): Promise<string | null>
}

/** The tools as a client lists them, with the versions and languages that this site has. */
export function listTools({ name, versions, languages }: SiteIndex): Record<string, unknown>[] {
  const choice = (values: string[], what: string) =>
    values.length === 0 ? { type: 'string', description: `The site has no ${what}s.` } : oneOf(values, what)
  return [
    {
      name: 'search',
      title: `Search ${name}`,
      description: `Searches the documentation of ${name} and gives the best passage of each page that matches, best first. Ask in words or for exact names such as a function, a flag or an error code.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', minLength: 1, maxLength: 2000, description: 'What to look for.' },
          limit: { type: 'integer', minimum: 1, maximum: 20, default: 5, description: 'How many pages.' },
          version: choice(versions, 'version'),
          language: choice(languages, 'language'),
        },
        required: ['query'],
        additionalProperties: false,
      },
      outputSchema: searchOutput,
      annotations,
    },
    {
      name: 'read_page',
      title: `Read a page of ${name}`,
      description: `Reads one page of the documentation of ${name} as Markdown. Use a path that search gave.`,
      inputSchema: {
        type: 'object',
        properties: {
          path: { type: 'string', minLength: 1, maxLength: 1000, description: 'Such as guide/install.' },
          offset: {
            type: 'integer',
            minimum: 0,
            default: 0,
            description: 'Where to go on in a long page: nextOffset of the call before.',
          },
        },
        required: ['path'],
        additionalProperties: false,
      },
      outputSchema: pageOutput,
      annotations,
    },
  ]
}

/** Calls a tool by its name; undefined where there is none of that name. A mistake of the caller is a result that says so. */
export async function callTool(site: McpSite, name: string, given: unknown): Promise<ToolResult | undefined> {
  switch (name) {
    case 'search': {
      const parsed = searchArgumentsSchema.safeParse(given ?? {})
      return parsed.success ? search(site, parsed.data) : mistake(z.prettifyError(parsed.error))
    }
    case 'read_page': {
      const parsed = readPageArgumentsSchema.safeParse(given ?? {})
      return parsed.success ? readPage(site, parsed.data) : mistake(z.prettifyError(parsed.error))
    }
    default:
      return undefined
  }
}

async function search(
  site: McpSite,
  { query, limit, version, language }: z.infer<typeof searchArgumentsSchema>,
): Promise<ToolResult> {
  const { versions, languages } = site.siteIndex
  if (version !== undefined && !versions.includes(version)) return unknownChoice('version', versions)
  if (language !== undefined && !languages.includes(language)) return unknownChoice('language', languages)
  const asked = {
    ...(version === undefined ? {} : { version }),
    ...(language === undefined ? {} : { language }),
  }
  const hits = await site.index.search({
    query,
    limit,
    filter: effectiveFilter(asked, null, site.siteIndex),
  })
  const results = hits.map(({ path, anchor, title, heading, content, score }) => ({
    path,
    ...(site.siteUrl === null ? {} : { url: pageUrl(site.siteUrl, path, anchor) }),
    title,
    heading,
    content,
    score,
  }))
  const text =
    results.length === 0
      ? `Nothing in the documentation of ${site.siteIndex.name} matches. Try other words.`
      : results.map(asText).join('\n\n---\n\n')
  return { content: [{ type: 'text', text }], structuredContent: { results } }
}

const asText = (hit: { path: string; url?: string; title: string; heading: string; content: string }) =>
  [
    `# ${hit.heading || hit.title}`,
    `path: ${hit.path}`,
    ...(hit.url ? [`url: ${hit.url}`] : []),
    '',
    hit.content,
  ].join('\n')

const pageCharacters = 40_000

async function readPage(
  site: McpSite,
  { path, offset }: z.infer<typeof readPageArgumentsSchema>,
): Promise<ToolResult> {
  const found = findPagePath(site.siteIndex, site.siteUrl ?? 'https://site.invalid', path)
  const whole = found === null ? null : await site.readPage(found)
  if (found === null || whole === null) {
    return mistake(
      `The documentation has no page ${JSON.stringify(path.slice(0, 200))}. Use a path that search gives.`,
    )
  }
  const { text, next } = cut(whole, offset)
  const more = next === undefined ? '' : `\n\n(The page goes on: call read_page with offset ${next}.)`
  return {
    content: [{ type: 'text', text: `${text}${more}` }],
    structuredContent: {
      path: found,
      ...(site.siteUrl === null ? {} : { url: pageUrl(site.siteUrl, found) }),
      content: text,
      ...(next === undefined ? {} : { nextOffset: next }),
    },
  }
}

/** A stretch of the page that ends at a line where it can, and where the next begins. */
function cut(whole: string, offset: number): { text: string; next?: number } {
  const end = offset + pageCharacters
  if (end >= whole.length) return { text: whole.slice(offset).toWellFormed() }
  const line = whole.lastIndexOf('\n', end)
  const next = line > offset ? line + 1 : end
  return { text: whole.slice(offset, next).toWellFormed(), next }
}

const unknownChoice = (what: string, values: string[]) =>
  mistake(
    values.length === 0
      ? `The documentation has no ${what}s. Leave ${what} out.`
      : `The documentation has no such ${what}. There are: ${values.join(', ')}.`,
  )

const mistake = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: true })

const oneOf = (values: string[], what: string) => ({
  type: 'string',
  enum: values,
  description: `Only pages of this ${what}; the site's own default without it.`,
})

const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }

const text = { type: 'string' }

const searchOutput = {
  type: 'object',
  properties: {
    results: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          path: text,
          url: text,
          title: text,
          heading: text,
          content: text,
          score: { type: 'number' },
        },
        required: ['path', 'title', 'heading', 'content', 'score'],
      },
    },
  },
  required: ['results'],
}

const pageOutput = {
  type: 'object',
  properties: { path: text, url: text, content: text, nextOffset: { type: 'integer' } },
  required: ['path', 'content'],
}
