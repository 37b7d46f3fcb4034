import { bindPattern } from './bind-pattern.ts'
import { closureOf, type Evaluator } from './evaluate.ts'
import { toText } from './methods.ts'
import { childOf, childrenOf, type Node, textOf } from './syntax.ts'
import { EvaluationError, isValueObject, Scope, type Value } from './values.ts'

/** How a statement ended. */
type Completion = { type: 'normal' | 'break' | 'continue' } | { type: 'return'; value: Value }
const normal: Completion = { type: 'normal' }

/** Runs the body of a function and gives what it returns. */
export function runBody(evaluator: Evaluator, body: Node, scope: Scope): Value {
  const completion = runList(evaluator, childrenOf(body, 'body'), scope)
  return completion.type === 'return' ? completion.value : undefined
}

function runList(evaluator: Evaluator, statements: Node[], scope: Scope): Completion {
  for (const statement of statements) {
    if (statement.type === 'FunctionDeclaration') declareFunction(statement, scope)
  }
  for (const statement of statements) {
    const completion = run(evaluator, statement, scope)
    if (completion.type !== 'normal') return completion
  }
  return normal
}

export function declareFunction(node: Node, scope: Scope): void {
  const id = childOf(node, 'id')
  if (id !== undefined) scope.declare(textOf(id, 'name'), closureOf(node, scope))
}

function run(evaluator: Evaluator, node: Node, scope: Scope): Completion {
  evaluator.budget.step()
  switch (node.type) {
    case 'ReturnStatement':
      return { type: 'return', value: evaluator.child(node, 'argument', scope) }
    case 'ExpressionStatement':
      evaluator.child(node, 'expression', scope)
      return normal
    case 'VariableDeclaration':
      declareVariables(evaluator, node, scope)
      return normal
    case 'FunctionDeclaration':
    case 'EmptyStatement':
      return normal
    case 'BlockStatement':
      return runList(evaluator, childrenOf(node, 'body'), new Scope(scope))
    case 'IfStatement': {
      const branch = childOf(node, evaluator.child(node, 'test', scope) ? 'consequent' : 'alternate')
      return branch === undefined ? normal : run(evaluator, branch, scope)
    }
    case 'ForStatement':
      return runFor(evaluator, node, scope)
    case 'ForOfStatement':
    case 'ForInStatement':
      return runForEach(evaluator, node, scope)
    case 'WhileStatement':
    case 'DoWhileStatement':
      return runWhile(evaluator, node, scope)
    case 'SwitchStatement':
      return runSwitch(evaluator, node, scope)
    case 'BreakStatement':
      return { type: 'break' }
    case 'ContinueStatement':
      return { type: 'continue' }
    case 'ThrowStatement': {
      const value = evaluator.child(node, 'argument', scope)
      const message =
        isValueObject(value) && typeof value.message === 'string' ? value.message : 'The code threw.'
      throw new EvaluationError('thrown', message)
    }
    case 'TryStatement':
      return runTry(evaluator, node, scope)
    default:
      throw new EvaluationError('unsupported', `${node.type} is not evaluated.`)
  }
}

export function declareVariables(evaluator: Evaluator, node: Node, scope: Scope): void {
  for (const declaration of childrenOf(node, 'declarations')) {
    const id = childOf(declaration, 'id')
    if (id !== undefined) bindPattern(evaluator, id, evaluator.child(declaration, 'init', scope), scope)
  }
}

/** Runs the body of a loop once; a result means that the loop ends with it. */
function runTurn(evaluator: Evaluator, body: Node | undefined, scope: Scope): Completion | undefined {
  const completion = body === undefined ? normal : run(evaluator, body, scope)
  if (completion.type === 'break') return normal
  return completion.type === 'return' ? completion : undefined
}

function runFor(evaluator: Evaluator, node: Node, scope: Scope): Completion {
  const inner = new Scope(scope)
  const init = childOf(node, 'init')
  if (init?.type === 'VariableDeclaration') declareVariables(evaluator, init, inner)
  else if (init !== undefined) evaluator.expression(init, inner)
  while (childOf(node, 'test') === undefined || evaluator.child(node, 'test', inner)) {
    evaluator.budget.step()
    const ended = runTurn(evaluator, childOf(node, 'body'), inner)
    if (ended !== undefined) return ended
    evaluator.child(node, 'update', inner)
  }
  return normal
}

function runForEach(evaluator: Evaluator, node: Node, scope: Scope): Completion {
  const value = evaluator.child(node, 'right', scope)
  for (const item of itemsOf(value, node.type)) {
    const inner = new Scope(scope)
    const left = childOf(node, 'left')
    const pattern =
      left?.type === 'VariableDeclaration' ? childOf(childrenOf(left, 'declarations')[0] ?? left, 'id') : left
    if (pattern !== undefined) {
      bindPattern(
        evaluator,
        pattern,
        item,
        inner,
        left?.type === 'VariableDeclaration' ? 'declare' : 'assign',
      )
    }
    const ended = runTurn(evaluator, childOf(node, 'body'), inner)
    if (ended !== undefined) return ended
  }
  return normal
}

function itemsOf(value: Value, loop: string): Value[] {
  if (loop === 'ForInStatement') {
    if (Array.isArray(value)) return value.map((_item, index) => String(index))
    return isValueObject(value) ? Object.keys(value) : []
  }
  if (typeof value === 'string') return [...value]
  return Array.isArray(value) ? [...value] : []
}

function runWhile(evaluator: Evaluator, node: Node, scope: Scope): Completion {
  const first = node.type === 'DoWhileStatement'
  for (let turn = 0; (first && turn === 0) || evaluator.child(node, 'test', scope); turn += 1) {
    evaluator.budget.step()
    const ended = runTurn(evaluator, childOf(node, 'body'), scope)
    if (ended !== undefined) return ended
  }
  return normal
}

function runSwitch(evaluator: Evaluator, node: Node, scope: Scope): Completion {
  const value = evaluator.child(node, 'discriminant', scope)
  const cases = childrenOf(node, 'cases')
  const matching = cases.findIndex(
    (entry) => childOf(entry, 'test') !== undefined && evaluator.child(entry, 'test', scope) === value,
  )
  const start = matching >= 0 ? matching : cases.findIndex((entry) => childOf(entry, 'test') === undefined)
  if (start < 0) return normal
  const inner = new Scope(scope)
  for (const entry of cases.slice(start)) {
    const completion = runList(evaluator, childrenOf(entry, 'consequent'), inner)
    if (completion.type === 'break') return normal
    if (completion.type !== 'normal') return completion
  }
  return normal
}

function runTry(evaluator: Evaluator, node: Node, scope: Scope): Completion {
  const block = childOf(node, 'block')
  const handler = childOf(node, 'handler')
  try {
    return block === undefined ? normal : run(evaluator, block, scope)
  } catch (error) {
    // A page may catch its own mistakes, never the limits that it works under.
    const own = error instanceof EvaluationError && error.reason !== 'limit' && error.reason !== 'browser'
    if (!own || handler === undefined) throw error
    const inner = new Scope(scope)
    const parameter = childOf(handler, 'param')
    if (parameter !== undefined) {
      const caught: Value = Object.assign(Object.create(null), { message: toText(error.message) })
      bindPattern(evaluator, parameter, caught, inner)
    }
    return runList(evaluator, childrenOf(childOf(handler, 'body') ?? handler, 'body'), inner)
  } finally {
    const finalizer = childOf(node, 'finalizer')
    if (finalizer !== undefined) run(evaluator, finalizer, scope)
  }
}
