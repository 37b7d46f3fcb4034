import { existsSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

/** The modules of the engine, each after those it imports. */
const engineModules = [
  'core/stem',
  'core/tokenize',
  'core/query',
  'core/bytes',
  'core/layout',
  'core/postings',
  'core/synonyms',
  'core/words',
  'core/score',
  'core/engine',
  'core/snippet',
  'browser/browser-search',
]

/** The engine as one classic script that defines `window.quireSearch`; see QuireSearch in search-api.ts. */
export function searchEngineScript(): string {
  const modules = engineModules.map((name) => plainScript(readModule(join(import.meta.dirname, name))))
  return `(() => {\n'use strict'\n${modules.join('\n')}\n})()\n`
}

function readModule(path: string): string {
  if (!existsSync(`${path}.ts`)) return readFileSync(`${path}.js`, 'utf8')
  const { emitWarning } = process
  process.emitWarning = () => {} // Stripping types is what Node does to this very file; it need not be said again.
  try {
    return stripTypeScriptTypes(readFileSync(`${path}.ts`, 'utf8'))
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Without imports, exports and comments, which our own style keeps on lines of their own or behind two spaces. */
function plainScript(source: string): string {
  return source
    .replace(/^import\s[^;]*?from '[^']*';?$/gm, '')
    .replace(/^export (?=const|function|class|async)/gm, '')
    .replace(/^export .*$/gm, '')
    .replace(/^\s*\/\*\*[\s\S]*?\*\//gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trim()
}
