import { join } from 'node:path'
import { moduleScript } from './module-script.ts'

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
  const modules = engineModules.map((name) => moduleScript(join(import.meta.dirname, name)))
  return `(() => {\n'use strict'\n${modules.join('\n')}\n})()\n`
}
