import type { JsonValue } from '../../theme/endpoint/endpoint-api.ts'
import type { Problem } from '../compiler-api.ts'
import { yaml } from '../yaml.ts'
import { positionAt } from './text-position.ts'

const maximumBytes = 64 * 1024 * 1024

/** JSON or YAML becomes a value. Mistakes are reported with their place, and reading goes on where it can. */
export function parseDocument(input: { file: string; text: string }): {
  value?: JsonValue
  problems: Problem[]
} {
  const { file } = input
  const text = input.text.replace(/^\uFEFF/, '')
  if (text.length > maximumBytes) {
    return {
      problems: [syntaxProblem({ file, line: 1, column: 1, message: 'The file is larger than 64 MB.' })],
    }
  }
  if (!/^\s*[{[]/.test(text)) return parseYamlText({ file, text })
  try {
    return { value: JSON.parse(text), problems: [] }
  } catch (error) {
    const problem = jsonProblem({ file, text, error })
    const lenient = parseYamlText({ file, text })
    return lenient.value === undefined
      ? { problems: [problem] }
      : { value: lenient.value, problems: [problem] }
  }
}

function parseYamlText(input: { file: string; text: string }): { value?: JsonValue; problems: Problem[] } {
  const { LineCounter, parseDocument: parseYaml } = yaml()
  const lineCounter = new LineCounter()
  const problems: Problem[] = []
  try {
    const document = parseYaml(input.text, {
      lineCounter,
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    })
    for (const error of document.errors.slice(0, 20)) {
      const { line, col } = lineCounter.linePos(error.pos[0])
      problems.push(syntaxProblem({ file: input.file, line, column: col, message: error.message }))
    }
    const value: JsonValue = document.toJS({ maxAliasCount: 10_000 })
    if (!isTree(value)) throw new Error('An anchor contains itself.')
    return { value, problems }
  } catch (error) {
    // Nesting without end and aliases without end are the author's mistakes too.
    const message = error instanceof Error ? error.message : String(error)
    return { problems: [...problems, syntaxProblem({ file: input.file, line: 1, column: 1, message })] }
  }
}

/** False when a value contains itself, as YAML anchors allow. */
function isTree(root: JsonValue): boolean {
  const finished = new Set<object>()
  const open = new Set<object>()
  const visit = (value: JsonValue): boolean => {
    if (typeof value !== 'object' || value === null || finished.has(value)) return true
    if (open.has(value)) return false
    open.add(value)
    for (const child of Array.isArray(value) ? value : Object.values(value)) if (!visit(child)) return false
    open.delete(value)
    finished.add(value)
    return true
  }
  return visit(root)
}

function jsonProblem(input: { file: string; text: string; error: unknown }): Problem {
  const message = input.error instanceof Error ? input.error.message : String(input.error)
  const offset = /position (\d+)/.exec(message)?.[1]
  const place = offset === undefined ? endOf(input.text) : positionAt(input.text, Number(offset))
  return syntaxProblem({
    file: input.file,
    ...place,
    message: message.replace(/\s*(in JSON )?at position.*$/, ''),
  })
}

function endOf(text: string): { line: number; column: number } {
  return positionAt(text, text.length)
}

function syntaxProblem(input: { file: string; line: number; column: number; message: string }): Problem {
  const { file, line, column } = input
  return {
    severity: 'error',
    code: 'invalid_spec',
    file,
    line,
    column,
    message: `The specification cannot be read here: ${input.message}`,
    hint: 'Mend the JSON or YAML at this place; a validator for the format names the rule.',
  }
}
