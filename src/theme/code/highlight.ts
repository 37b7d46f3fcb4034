import { createRequire } from 'node:module'
import { escapeText } from '../content/escape.ts'
import { grammarOf } from './languages.ts'

/**
 * Code as lines of HTML. A token carries a class of one or two letters, so both colour schemes come from one
 * tokenization and the styles decide. A language nobody knows is written plain.
 */
export function highlightLines(code: string, language: string): string[] {
  const grammar = grammarOf(language)
  const tokens = grammar === undefined || code.length > longestCode ? undefined : tokenize(code, grammar)
  if (tokens === undefined) return code.split('\n').map(escapeText)
  const lines: string[] = ['']
  write(tokens, '', lines, enriched.has(grammar ?? ''))
  return lines
}

/** Longer than this is data: colouring it would cost more than it tells. */
const longestCode = 200_000

type Token = { type: string; content: string | Token | (string | Token)[]; alias?: string | string[] }
type Tokens = (string | Token)[]
type Prism = {
  languages: Record<string, unknown>
  tokenize(code: string, grammar: unknown): Tokens
  manual?: boolean
}

const require = createRequire(import.meta.url)
let prism: Prism | undefined
let loadComponents: ((names: string[]) => void) & { silent?: boolean }

function tokenize(code: string, grammar: string): Tokens | undefined {
  if (prism === undefined) {
    prism = require('prismjs/components/prism-core.js') as Prism
    loadComponents = require('prismjs/components/index.js')
    loadComponents.silent = true
  }
  if (prism.languages[grammar] === undefined) loadComponents([...(embedded[grammar] ?? []), grammar])
  const rules = prism.languages[grammar]
  return rules === undefined ? undefined : prism.tokenize(code, rules)
}

/** What stands inside of others is coloured only when it is there before them. */
const embedded: Record<string, string[]> = {
  markdown: ['yaml', 'jsx', 'bash', 'json'],
  markup: ['css', 'javascript'],
}

/** The words that Prism leaves plain in these languages are read once more: calls and types stand out. */
const enriched = new Set([
  'python',
  'javascript',
  'typescript',
  'jsx',
  'tsx',
  'go',
  'rust',
  'java',
  'kotlin',
  'swift',
  'csharp',
  'cpp',
  'c',
  'dart',
  'php',
  'ruby',
  'scala',
  'elixir',
  'lua',
  'groovy',
  'solidity',
  'zig',
  'r',
  'julia',
  'objectivec',
])

function write(tokens: string | Token | Tokens, className: string, lines: string[], enrich: boolean): void {
  if (typeof tokens === 'string') {
    writeText(tokens, className, lines, enrich)
    return
  }
  if (Array.isArray(tokens)) {
    for (const token of tokens) write(token, className, lines, enrich)
    return
  }
  const own = classOf(tokens) ?? className
  write(
    tokens.content,
    own,
    lines,
    enrich && (own === '' || tokens.type === 'interpolation' || tokens.type === 'script'),
  )
}

function writeText(text: string, className: string, lines: string[], enrich: boolean): void {
  const pieces = text.split('\n')
  for (let index = 0; index < pieces.length; index++) {
    const piece = pieces[index] ?? ''
    if (index > 0) lines.push('')
    if (piece === '') continue
    const last = lines.length - 1
    if (className === '') lines[last] += enrich ? enrichText(piece) : escapeText(piece)
    else if (piece.trim() === '') lines[last] += piece
    else lines[last] += `<span class="${className}">${escapeText(piece)}</span>`
  }
}

function enrichText(text: string): string {
  if (!/[A-Z]/.test(text)) return escapeText(text)
  return text
    .split(/\b([A-Z][a-z][A-Za-z0-9]*)\b/)
    .map((piece, index) => (index % 2 === 1 ? `<span class="ty">${piece}</span>` : escapeText(piece)))
    .join('')
}

function classOf(token: Token): string | undefined {
  const aliases = token.alias === undefined ? [] : Array.isArray(token.alias) ? token.alias : [token.alias]
  for (const name of [token.type, ...aliases]) {
    const known = classes.get(name)
    if (known !== undefined) return known
  }
  return undefined
}

/** Prism's names, gathered into what a reader tells apart. */
const classes = new Map(
  Object.entries({
    co: 'comment prolog doctype cdata shebang hashbang block-comment doc-comment blockquote',
    kw: 'keyword atrule important rule control-flow directive macro statement verb module static-import at-rule at delimiter-keyword lifetime-annotation hcode method-keyword code-block-keyword',
    st: 'string char attr-value template-string string-literal triple-quoted-string regex url heredoc raw-string bytes byte character inserted-string unquoted-value',
    nu: 'number boolean constant nil null unit symbol atom date datetime version color hexcode entity',
    fn: 'function function-name function-definition method-definition macro-name method command decorator annotation shell-command call function-variable builtin-function',
    ty: 'class-name builtin type namespace-name maybe-class-name tag-name type-definition custom-type datatype primitive',
    pr: 'property attr-name key literal-property label field variable-name parameter-name header-name selector property-access assign-left named-parameter option-name environment-key',
    va: 'variable parameter interpolation-variable environment assign global instance-variable identifier-interpolated for-or-select',
    tg: 'tag title table-header header',
    pu: 'punctuation operator interpolation-punctuation delimiter arrow attr-equals template-punctuation generics-punctuation',
    in: 'inserted inserted-sign',
    de: 'deleted deleted-sign',
    em: 'italic emphasis',
    bo: 'bold strong',
    pa: 'parameter-flag flag option',
  }).flatMap(([name, types]) => types.split(' ').map((type) => [type, name] as const)),
)
