import type { ElementContent } from 'hast'
import type { Node } from './syntax.ts'

/**
 * The values that page code can hold. Objects have no prototype and are read by own keys only, so no page can reach a
 * constructor, a prototype or anything of the host.
 */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | Value[]
  | ValueObject
  | Closure
  | Native
  | Markup
  | PageComponent
  | Pattern

export type ValueObject = { [key: string]: Value }

/** A function that a page wrote. */
export class Closure {
  readonly kind = 'closure'
  readonly parameters: Node[]
  readonly body: Node
  readonly isExpression: boolean
  readonly scope: Scope
  readonly name: string

  constructor(fields: { parameters: Node[]; body: Node; isExpression: boolean; scope: Scope; name: string }) {
    this.parameters = fields.parameters
    this.body = fields.body
    this.isExpression = fields.isExpression
    this.scope = fields.scope
    this.name = fields.name
  }
}

/** One of the few functions that the evaluator offers. */
export class Native {
  readonly kind = 'native'
  readonly name: string
  readonly call: (call: (callee: Value, args: Value[]) => Value, args: Value[]) => Value

  constructor(name: string, call: Native['call']) {
    this.name = name
    this.call = call
  }
}

/** JSX, already rendered. */
export class Markup {
  readonly kind = 'markup'
  readonly nodes: ElementContent[]

  constructor(nodes: ElementContent[]) {
    this.nodes = nodes
  }
}

/** An imported page or snippet, used as a component. */
export class PageComponent {
  readonly kind = 'page'
  readonly file: string

  constructor(file: string) {
    this.file = file
  }
}

/** A regular expression literal, with the place where a global one goes on. */
export class Pattern {
  readonly kind = 'pattern'
  lastIndex = 0
  readonly source: string
  readonly flags: string

  constructor(source: string, flags: string) {
    this.source = source
    this.flags = flags
  }
}

export function isValueObject(value: Value): value is ValueObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Closure) &&
    !(value instanceof Native) &&
    !(value instanceof Markup) &&
    !(value instanceof PageComponent) &&
    !(value instanceof Pattern)
  )
}

export function isCallable(value: Value): value is Closure | Native | PageComponent {
  return value instanceof Closure || value instanceof Native || value instanceof PageComponent
}

export function createObject(entries: Iterable<[string, Value]> = []): ValueObject {
  const object: ValueObject = Object.create(null)
  for (const [key, value] of entries) object[key] = value
  return object
}

/** Names of one block, over those of the blocks around it. */
export class Scope {
  readonly #values = new Map<string, { value: Value } | { lazy: () => Value }>()
  readonly #parent: Scope | undefined

  constructor(parent?: Scope) {
    this.#parent = parent
  }

  declare(name: string, value: Value): void {
    this.#values.set(name, { value })
  }

  /** A name whose value is computed when it is first read, so that an unused helper with an error costs nothing. */
  declareLazy(name: string, lazy: () => Value): void {
    this.#values.set(name, { lazy })
  }

  has(name: string): boolean {
    return this.#values.has(name) || (this.#parent?.has(name) ?? false)
  }

  get(name: string): Value {
    const own = this.#values.get(name)
    if (own === undefined) return this.#parent?.get(name)
    if ('value' in own) return own.value
    this.#values.set(name, { value: undefined }) // A value that asks for itself finds nothing.
    const value = own.lazy()
    this.#values.set(name, { value })
    return value
  }

  assign(name: string, value: Value): boolean {
    if (this.#values.has(name)) {
      this.#values.set(name, { value })
      return true
    }
    return this.#parent?.assign(name, value) ?? false
  }
}

/** Where in a text a match stands: what `match.index` reads. */
export const matchPlaces = new WeakMap<Value[], number>()

/** Why page code stopped. */
export class EvaluationError extends Error {
  readonly reason: 'unknown-name' | 'limit' | 'unsupported' | 'wrong-type' | 'thrown' | 'syntax' | 'browser'
  /** The name that nobody defines, where that is the reason. */
  readonly identifier: string | undefined

  constructor(reason: EvaluationError['reason'], message: string, identifier?: string) {
    super(message)
    this.name = 'EvaluationError'
    this.reason = reason
    this.identifier = identifier
  }
}
