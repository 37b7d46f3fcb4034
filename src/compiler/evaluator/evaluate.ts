import type { ElementContent } from 'hast'
import { Budget } from './budget.ts'
import { bindPattern } from './bind-pattern.ts'
import { applyBinary } from './operators.ts'
import { createGlobals, findMethod, toNumber, toText } from './methods.ts'
import { runBody } from './run-statements.ts'
import { childOf, childrenOf, childrenWithHoles, flagOf, type Node, textOf } from './syntax.ts'
import {
  Closure,
  createObject,
  EvaluationError,
  isCallable,
  isValueObject,
  Markup,
  matchPlaces,
  Native,
  PageComponent,
  Pattern,
  Scope,
  type Value,
  type ValueObject,
} from './values.ts'

/** What the evaluator asks of the page it works for. */
export type EvaluatorHost = {
  /** Renders an element or component that page code wrote as JSX. */
  element(name: string, props: ValueObject, children: ElementContent[]): ElementContent[]
  page(component: PageComponent, props: ValueObject, children: ElementContent[]): ElementContent[]
  /** Page code used a hook or something of a browser; it is shown in its first state. */
  interactive(name: string): void
}

/** Evaluates the pure part of JavaScript over its syntax tree. Nothing is ever handed to the real interpreter. */
export class Evaluator {
  readonly budget = new Budget()
  readonly host: EvaluatorHost
  readonly globals: Scope

  constructor(host: EvaluatorHost) {
    this.host = host
    this.globals = new Scope()
    for (const [name, value] of createGlobals(this.budget)) this.globals.declare(name, value)
    for (const [name, value] of createHooks(this)) this.globals.declare(name, value)
  }

  /** The value of an expression; every failure is an EvaluationError. */
  evaluate(node: Node, scope: Scope): Value {
    try {
      return this.expression(node, scope)
    } catch (error) {
      if (error instanceof EvaluationError) throw error
      throw new EvaluationError('wrong-type', error instanceof Error ? error.message : String(error))
    }
  }

  expression(node: Node, scope: Scope): Value {
    this.budget.step()
    const handler = handlers[node.type]
    if (handler === undefined) throw new EvaluationError('unsupported', `${node.type} is not evaluated.`)
    return this.budget.nested(() => handler(this, node, scope))
  }

  child(node: Node, field: string, scope: Scope): Value {
    const child = childOf(node, field)
    return child === undefined ? undefined : this.expression(child, scope)
  }

  call(callee: Value, args: Value[]): Value {
    this.budget.step()
    if (callee instanceof Native) return callee.call((inner, innerArgs) => this.call(inner, innerArgs), args)
    if (callee instanceof PageComponent)
      return this.component(callee, isValueObject(args[0]) ? args[0] : createObject())
    if (!(callee instanceof Closure))
      throw new EvaluationError('wrong-type', 'Something that is no function is called.')
    return this.budget.nested(() => {
      const scope = new Scope(callee.scope)
      bindParameters(this, callee.parameters, args, scope)
      return callee.isExpression ? this.expression(callee.body, scope) : runBody(this, callee.body, scope)
    })
  }

  /** Renders what stands under a name in JSX: a function of the page, an imported page, or an element of the host. */
  component(value: Value, props: ValueObject): Value {
    if (value instanceof PageComponent) {
      return new Markup(this.host.page(value, props, toNodes(props.children)))
    }
    if (isCallable(value)) return this.call(value, [props])
    throw new EvaluationError('wrong-type', 'Something that is no component is used as one.')
  }

  /** Reads a property: own keys, lengths and the few methods, never a prototype. */
  member(object: Value, key: Value): Value {
    if (object === undefined || object === null) {
      throw new EvaluationError('wrong-type', `"${toText(key)}" is read from ${String(object)}.`)
    }
    const name = typeof key === 'number' ? String(key) : toText(key)
    if (typeof object === 'string' || Array.isArray(object)) {
      if (name === 'length') return object.length
      if (/^\d+$/.test(name)) return object[Number(name)]
      if (name === 'index' && Array.isArray(object)) return matchPlaces.get(object)
    }
    if (object instanceof Pattern && name === 'lastIndex') return object.lastIndex
    if (isValueObject(object)) return Object.hasOwn(object, name) ? object[name] : undefined
    return findMethod(object, name, this.budget)
  }
}

type Handler = (evaluator: Evaluator, node: Node, scope: Scope) => Value

const browserNames = new Set([
  'window',
  'document',
  'navigator',
  'localStorage',
  'sessionStorage',
  'location',
  'history',
  'fetch',
  'setTimeout',
  'setInterval',
  'clearTimeout',
  'clearInterval',
  'requestAnimationFrame',
  'XMLHttpRequest',
  'WebSocket',
  'globalThis',
  'self',
  'performance',
  'IntersectionObserver',
  'MutationObserver',
  'ResizeObserver',
  'customElements',
])

const handlers: Record<string, Handler> = Object.assign(Object.create(null), {
  Literal: (_evaluator, node) => literal(node),
  TemplateLiteral: (evaluator, node, scope) => {
    const quasis = childrenOf(node, 'quasis')
    const parts = childrenOf(node, 'expressions').map((part) => toText(evaluator.expression(part, scope)))
    const text = quasis.map((quasi, index) => cooked(quasi) + (parts[index] ?? '')).join('')
    evaluator.budget.grow(text.length)
    return text
  },
  Identifier: (_evaluator, node, scope) => {
    const name = textOf(node, 'name')
    if (scope.has(name)) return scope.get(name)
    if (browserNames.has(name))
      throw new EvaluationError('browser', `"${name}" exists in a browser only.`, name)
    throw new EvaluationError('unknown-name', `Nothing defines "${name}".`, name)
  },
  ParenthesizedExpression: (evaluator, node, scope) => evaluator.child(node, 'expression', scope),
  ChainExpression: (evaluator, node, scope) => {
    try {
      return evaluator.child(node, 'expression', scope)
    } catch (error) {
      if (error === shortCircuit) return undefined
      throw error
    }
  },
  MemberExpression: (evaluator, node, scope) => {
    const object = evaluator.child(node, 'object', scope)
    if (flagOf(node, 'optional') && (object === undefined || object === null)) throw shortCircuit
    return evaluator.member(object, propertyKey(evaluator, node, 'property', scope))
  },
  CallExpression: (evaluator, node, scope) => {
    const callee = evaluator.child(node, 'callee', scope)
    if (flagOf(node, 'optional') && (callee === undefined || callee === null)) throw shortCircuit
    if (callee === undefined) {
      throw new EvaluationError('unsupported', 'A function or method is called that pages do not have here.')
    }
    return evaluator.call(callee, spreadList(evaluator, childrenWithHoles(node, 'arguments'), scope))
  },
  NewExpression: (evaluator, node, scope) => {
    const name = textOf(childOf(node, 'callee') ?? node, 'name')
    const [first] = spreadList(evaluator, childrenWithHoles(node, 'arguments'), scope)
    if (name.endsWith('Error')) return createObject([['message', first === undefined ? '' : toText(first)]])
    if (name === 'Set') return Array.isArray(first) ? [...new Set(first)] : []
    throw new EvaluationError('unsupported', `"new ${name}" is not evaluated.`)
  },
  ConditionalExpression: (evaluator, node, scope) =>
    evaluator.child(node, 'test', scope)
      ? evaluator.child(node, 'consequent', scope)
      : evaluator.child(node, 'alternate', scope),
  LogicalExpression: (evaluator, node, scope) => {
    const left = evaluator.child(node, 'left', scope)
    const operator = textOf(node, 'operator')
    if (operator === '&&' ? !left : operator === '||' ? left : left !== undefined && left !== null)
      return left
    return evaluator.child(node, 'right', scope)
  },
  BinaryExpression: (evaluator, node, scope) => {
    const left = evaluator.child(node, 'left', scope)
    const value = applyBinary(textOf(node, 'operator'), left, evaluator.child(node, 'right', scope))
    if (typeof value === 'string') evaluator.budget.grow(value.length)
    return value
  },
  UnaryExpression: (evaluator, node, scope) => unary(evaluator, node, scope),
  UpdateExpression: (evaluator, node, scope) => {
    const target = childOf(node, 'argument')
    if (target === undefined) return undefined
    const before = toNumber(evaluator.expression(target, scope))
    const after = textOf(node, 'operator') === '++' ? before + 1 : before - 1
    assign(evaluator, target, after, scope)
    return flagOf(node, 'prefix') ? after : before
  },
  AssignmentExpression: (evaluator, node, scope) => {
    const target = childOf(node, 'left')
    if (target === undefined) return undefined
    const operator = textOf(node, 'operator')
    const right = () => evaluator.child(node, 'right', scope)
    if (operator === '=') return assign(evaluator, target, right(), scope)
    const before = evaluator.expression(target, scope)
    if (operator === '??=') return before ?? assign(evaluator, target, right(), scope)
    if (operator === '||=') return before || assign(evaluator, target, right(), scope)
    if (operator === '&&=') return before && assign(evaluator, target, right(), scope)
    const value = applyBinary(operator.slice(0, -1), before, right())
    if (typeof value === 'string') evaluator.budget.grow(value.length)
    return assign(evaluator, target, value, scope)
  },
  SequenceExpression: (evaluator, node, scope) =>
    childrenOf(node, 'expressions').reduce<Value>(
      (_last, part) => evaluator.expression(part, scope),
      undefined,
    ),
  ArrayExpression: (evaluator, node, scope) => {
    const list = spreadList(evaluator, childrenWithHoles(node, 'elements'), scope)
    evaluator.budget.grow(list.length)
    return list
  },
  ObjectExpression: (evaluator, node, scope) => objectLiteral(evaluator, node, scope),
  ArrowFunctionExpression: (_evaluator, node, scope) => closureOf(node, scope),
  FunctionExpression: (_evaluator, node, scope) => closureOf(node, scope),
  JSXElement: (evaluator, node, scope) => jsxElement(evaluator, node, scope),
  JSXFragment: (evaluator, node, scope) => new Markup(jsxChildren(evaluator, node, scope)),
  JSXExpressionContainer: (evaluator, node, scope) => evaluator.child(node, 'expression', scope),
  JSXEmptyExpression: () => undefined,
  AwaitExpression: () => {
    throw new EvaluationError('browser', 'Asynchronous code runs in a browser only.')
  },
} satisfies Record<string, Handler>)

/** Thrown by `a?.b` where `a` is nothing, and caught by the chain around it. */
const shortCircuit = new EvaluationError('wrong-type', 'An optional chain ended.')

export function closureOf(node: Node, scope: Scope): Closure {
  if (flagOf(node, 'async') || flagOf(node, 'generator')) {
    return new Closure({
      parameters: [],
      body: { type: 'AwaitExpression', start: 0, end: 0 },
      isExpression: true,
      scope,
      name: '',
    })
  }
  const body = childOf(node, 'body')
  if (body === undefined) throw new EvaluationError('syntax', 'A function has no body.')
  const id = childOf(node, 'id')
  return new Closure({
    parameters: childrenOf(node, 'params'),
    body,
    isExpression: body.type !== 'BlockStatement',
    scope,
    name: id === undefined ? '' : textOf(id, 'name'),
  })
}

function bindParameters(evaluator: Evaluator, parameters: Node[], args: Value[], scope: Scope): void {
  parameters.forEach((parameter, index) => {
    const value = parameter.type === 'RestElement' ? args.slice(index) : args[index]
    const target =
      parameter.type === 'RestElement' ? (childOf(parameter, 'argument') ?? parameter) : parameter
    bindPattern(evaluator, target, value, scope)
  })
}

function literal(node: Node): Value {
  const regex = node.regex
  if (typeof regex === 'object' && regex !== null && 'pattern' in regex && 'flags' in regex) {
    return new Pattern(String(regex.pattern), String(regex.flags))
  }
  const { value } = node
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  if (typeof value === 'bigint') return Number(value)
  return undefined
}

function cooked(quasi: Node): string {
  const value = quasi.value
  return typeof value === 'object' && value !== null && 'cooked' in value ? String(value.cooked ?? '') : ''
}

function propertyKey(evaluator: Evaluator, node: Node, field: string, scope: Scope): Value {
  const key = childOf(node, field)
  if (key === undefined) return ''
  if (flagOf(node, 'computed')) return evaluator.expression(key, scope)
  return key.type === 'Identifier' ? textOf(key, 'name') : literal(key)
}

function spreadList(evaluator: Evaluator, nodes: (Node | null)[], scope: Scope): Value[] {
  const list: Value[] = []
  for (const node of nodes) {
    if (node === null) list.push(undefined)
    else if (node.type === 'SpreadElement') {
      const value = evaluator.child(node, 'argument', scope)
      const items = typeof value === 'string' ? [...value] : Array.isArray(value) ? value : []
      evaluator.budget.grow(items.length)
      for (const item of items) list.push(item)
    } else list.push(evaluator.expression(node, scope))
  }
  return list
}

function objectLiteral(evaluator: Evaluator, node: Node, scope: Scope): ValueObject {
  const object = createObject()
  for (const property of childrenOf(node, 'properties')) {
    if (property.type === 'SpreadElement') {
      const value = evaluator.child(property, 'argument', scope)
      if (isValueObject(value)) for (const [key, item] of Object.entries(value)) object[key] = item
      continue
    }
    if (textOf(property, 'kind') !== 'init')
      throw new EvaluationError('unsupported', 'Getters and setters are not evaluated.')
    object[toText(propertyKey(evaluator, property, 'key', scope))] = evaluator.child(property, 'value', scope)
  }
  evaluator.budget.grow(Object.keys(object).length)
  return object
}

function unary(evaluator: Evaluator, node: Node, scope: Scope): Value {
  const operator = textOf(node, 'operator')
  const argument = childOf(node, 'argument')
  if (operator === 'typeof') {
    if (argument?.type === 'Identifier' && !scope.has(textOf(argument, 'name'))) return 'undefined'
    const value = evaluator.child(node, 'argument', scope)
    return isCallable(value) ? 'function' : value === null ? 'object' : typeof value
  }
  if (operator === 'delete') throw new EvaluationError('unsupported', '"delete" is not evaluated.')
  const value = evaluator.child(node, 'argument', scope)
  if (operator === '!') return !value
  if (operator === '-') return -toNumber(value)
  if (operator === '+') return toNumber(value)
  if (operator === '~') return ~toNumber(value)
  return undefined
}

function assign(evaluator: Evaluator, target: Node, value: Value, scope: Scope): Value {
  if (target.type === 'Identifier') {
    const name = textOf(target, 'name')
    if (!scope.assign(name, value))
      throw new EvaluationError('unknown-name', `Nothing defines "${name}".`, name)
    return value
  }
  if (target.type === 'MemberExpression') {
    const object = evaluator.child(target, 'object', scope)
    const key = toText(propertyKey(evaluator, target, 'property', scope))
    if (Array.isArray(object)) {
      const index = Number(key)
      if (!Number.isInteger(index) || index < 0 || index > object.length + 10_000) {
        throw new EvaluationError('wrong-type', 'A list is written at a place it does not have.')
      }
      evaluator.budget.grow(Math.max(0, index - object.length + 1))
      object[index] = value
    } else if (isValueObject(object)) {
      evaluator.budget.grow(1)
      object[key] = value
    } else if (object instanceof Pattern && key === 'lastIndex') object.lastIndex = toNumber(value)
    else throw new EvaluationError('wrong-type', 'Something that is no object is written to.')
    return value
  }
  bindPattern(evaluator, target, value, scope, 'assign')
  return value
}

function jsxElement(evaluator: Evaluator, node: Node, scope: Scope): Value {
  const opening = childOf(node, 'openingElement')
  const nameNode = opening && childOf(opening, 'name')
  if (opening === undefined || nameNode === undefined) return undefined
  const name = jsxName(nameNode)
  const props = createObject()
  for (const attribute of childrenOf(opening, 'attributes')) {
    if (attribute.type === 'JSXSpreadAttribute') {
      const value = evaluator.child(attribute, 'argument', scope)
      if (isValueObject(value)) for (const [key, item] of Object.entries(value)) props[key] = item
      continue
    }
    const key = jsxName(childOf(attribute, 'name') ?? attribute)
    const value = childOf(attribute, 'value')
    if (value === undefined) props[key] = true
    else if (value.type === 'Literal') props[key] = literal(value)
    else props[key] = evaluator.expression(value, scope)
  }
  const children = jsxChildren(evaluator, node, scope, props)
  return renderJsx(evaluator, name, props, children, scope)
}

/** Renders a JSX name: members such as `Tree.Folder` belong to the host unless the page defines the first part. */
export function renderJsx(
  evaluator: Evaluator,
  name: string,
  props: ValueObject,
  children: ElementContent[],
  scope: Scope,
): Markup {
  const [first = '', ...rest] = name.split('.')
  const isComponent = /^[A-Z_$]/.test(first) || rest.length > 0
  if (isComponent && scope.has(first)) {
    const value = rest.reduce<Value>((object, key) => evaluator.member(object, key), scope.get(first))
    if (value instanceof Markup) return value
    if (value !== undefined && value !== null) {
      if (props.children === undefined && children.length > 0) props.children = new Markup(children)
      return new Markup(toNodes(evaluator.budget.nested(() => evaluator.component(value, props))))
    }
  }
  return new Markup(evaluator.host.element(name, props, children))
}

function jsxName(node: Node): string {
  if (node.type === 'JSXMemberExpression') {
    return `${jsxName(childOf(node, 'object') ?? node)}.${jsxName(childOf(node, 'property') ?? node)}`
  }
  if (node.type === 'JSXNamespacedName') {
    return `${jsxName(childOf(node, 'namespace') ?? node)}:${jsxName(childOf(node, 'name') ?? node)}`
  }
  return textOf(node, 'name')
}

function jsxChildren(evaluator: Evaluator, node: Node, scope: Scope, props?: ValueObject): ElementContent[] {
  const values: Value[] = []
  for (const child of childrenOf(node, 'children')) {
    if (child.type === 'JSXText') {
      const text = jsxText(textOf(child, 'value'))
      if (text !== '') values.push(text)
    } else if (child.type === 'JSXSpreadChild') values.push(evaluator.child(child, 'expression', scope))
    else values.push(evaluator.expression(child, scope))
  }
  // A component may take a function or a list as its child, so a single value is kept as it is.
  if (props !== undefined && values.length > 0 && props.children === undefined) {
    const [only] = values
    if (values.length === 1 && only !== undefined) props.children = only
  }
  return values.flatMap(toNodes)
}

/** Whitespace in JSX: lines are trimmed and joined by one space. */
function jsxText(text: string): string {
  if (!text.includes('\n')) return text
  const lines = text.split('\n')
  return lines
    .map((line, index) => {
      const start = index === 0 ? line : line.replace(/^[ \t]+/, '')
      return index === lines.length - 1 ? start : start.replace(/[ \t]+$/, '')
    })
    .filter((line) => line !== '')
    .join(' ')
}

/** What a value looks like on a page: nothing for flags and nothing, text for the rest. */
export function toNodes(value: Value): ElementContent[] {
  if (value === undefined || value === null || typeof value === 'boolean') return []
  if (typeof value === 'string' || typeof value === 'number') return [{ type: 'text', value: String(value) }]
  if (value instanceof Markup) return value.nodes
  if (Array.isArray(value)) return value.flatMap(toNodes)
  return []
}

/** Hooks in their first state: what a component shows before a browser runs it. */
function createHooks(evaluator: Evaluator): [string, Value][] {
  const initial = (value: Value) => (isCallable(value) ? evaluator.call(value, []) : value)
  const nothing = new Native('nothing', () => undefined)
  const hook = (name: string, run: (args: Value[]) => Value): [string, Value] => [
    name,
    new Native(name, (_call, args) => {
      evaluator.host.interactive(name)
      return run(args)
    }),
  ]
  const hooks: [string, Value][] = [
    hook('useState', ([value]) => [initial(value), nothing]),
    hook('useReducer', ([, value]) => [value, nothing]),
    hook('useEffect', () => undefined),
    hook('useLayoutEffect', () => undefined),
    hook('useRef', ([value]) => createObject([['current', value]])),
    hook('useMemo', ([compute]) => initial(compute)),
    hook('useCallback', ([fn]) => fn),
    hook('useContext', () => undefined),
    hook('useId', () => 'id'),
  ]
  const fragment = new Native('Fragment', (_call, [props]) =>
    isValueObject(props) ? new Markup(toNodes(props.children)) : undefined,
  )
  return [...hooks, ['Fragment', fragment], ['React', createObject([...hooks, ['Fragment', fragment]])]]
}
