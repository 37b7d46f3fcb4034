import { Parser } from 'acorn'
import jsx from 'acorn-jsx'
import { EvaluationError } from './values.ts'

/** A node of the syntax tree; its fields are read with `childOf`, `childrenOf` and `textOf`. */
export type Node = { type: string; start: number; end: number; [field: string]: unknown }

const JsxParser = Parser.extend(jsx())
const options = { ecmaVersion: 'latest', sourceType: 'module' } as const
const expressions = new Map<string, Node>()
const cachedExpressions = 2000

/** Parses one expression. Nothing but comments is `undefined`. */
export function parseExpression(source: string): Node | undefined {
  if (isOnlyComments(source)) return undefined
  const known = expressions.get(source)
  if (known) return known
  const node = parseProgram(`(${source}\n)`)
  const statement = childrenOf(node, 'body')[0]
  const expression = statement && childOf(statement, 'expression')
  if (expression === undefined) throw new EvaluationError('syntax', 'This is not an expression.')
  if (expressions.size >= cachedExpressions) expressions.clear()
  if (source.length < 2000) expressions.set(source, expression)
  return expression
}

export function parseProgram(source: string): Node {
  try {
    return toNode(JsxParser.parse(source, options))
  } catch (error) {
    throw new EvaluationError('syntax', error instanceof Error ? error.message : String(error))
  }
}

export function isOnlyComments(source: string): boolean {
  return source.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '').trim() === ''
}

export function childOf(node: Node, field: string): Node | undefined {
  const value = node[field]
  return isNode(value) ? value : undefined
}

/** The children in a list; holes of arrays are left out unless asked for. */
export function childrenOf(node: Node, field: string): Node[] {
  const value = node[field]
  return Array.isArray(value) ? value.filter(isNode) : []
}

export function childrenWithHoles(node: Node, field: string): (Node | null)[] {
  const value = node[field]
  return Array.isArray(value) ? value.map((item) => (isNode(item) ? item : null)) : []
}

export function textOf(node: Node, field: string): string {
  const value = node[field]
  return typeof value === 'string' ? value : ''
}

export function flagOf(node: Node, field: string): boolean {
  return node[field] === true
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function toNode(value: unknown): Node {
  if (isNode(value)) return value
  throw new EvaluationError('syntax', 'The parser gave no tree.')
}
