import { existsSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

/**
 * A module of ours as text for a classic script, by its path without an extension: without types, imports, exports and
 * comments, which our own style keeps on lines of their own.
 */
export function moduleScript(path: string): string {
  return readModule(path)
    .replace(/^import\s[^;]*?from '[^']*';?$/gm, '')
    .replace(/^export (?=const|function|class|async)/gm, '')
    .replace(/^export .*$/gm, '')
    .replace(/^\s*\/\*\*[\s\S]*?\*\//gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trim()
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
