import { type Budget, evaluationLimits } from './budget.ts'
import { createObject, EvaluationError, Native, Pattern, type Value, matchPlaces } from './values.ts'

type Call = (callee: Value, args: Value[]) => Value
type Method<Receiver> = (receiver: Receiver, args: Value[], call: Call, budget: Budget) => Value

/** The methods that a value offers to page code; everything else does not exist. */
export function findMethod(receiver: Value, name: string, budget: Budget): Native | undefined {
  const bind = <T>(table: Map<string, Method<T>>, value: T): Native | undefined => {
    const method = table.get(name)
    return method && new Native(name, (call, args) => method(value, args, call, budget))
  }
  if (typeof receiver === 'string') return bind(stringMethods, receiver)
  if (typeof receiver === 'number') return bind(numberMethods, receiver)
  if (typeof receiver === 'boolean') return bind(booleanMethods, receiver)
  if (Array.isArray(receiver)) return bind(arrayMethods, receiver)
  if (receiver instanceof Pattern) return bind(patternMethods, receiver)
  return undefined
}

export function toText(value: Value): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value))
    return value.map((item) => (item === undefined || item === null ? '' : toText(item))).join(',')
  if (typeof value === 'object' && value !== null) {
    throw new EvaluationError('wrong-type', 'An object cannot be written as text.')
  }
  return String(value)
}

export function toNumber(value: Value): number {
  if (typeof value === 'object' && value !== null) return Number.NaN
  return Number(value)
}

function integer(value: Value, fallback: number): number {
  if (value === undefined) return fallback
  const number = Math.trunc(toNumber(value))
  return Number.isNaN(number) ? 0 : number
}

const stringMethods = new Map<string, Method<string>>([
  ['toUpperCase', (text) => text.toUpperCase()],
  ['toLowerCase', (text) => text.toLowerCase()],
  ['toLocaleUpperCase', (text) => text.toUpperCase()],
  ['toLocaleLowerCase', (text) => text.toLowerCase()],
  ['toString', (text) => text],
  ['trim', (text) => text.trim()],
  ['trimStart', (text) => text.trimStart()],
  ['trimEnd', (text) => text.trimEnd()],
  ['charAt', (text, [at]) => text.charAt(integer(at, 0))],
  ['charCodeAt', (text, [at]) => text.charCodeAt(integer(at, 0))],
  ['at', (text, [at]) => text.at(integer(at, 0))],
  ['slice', (text, [from, to]) => text.slice(integer(from, 0), integer(to, text.length))],
  ['substring', (text, [from, to]) => text.substring(integer(from, 0), integer(to, text.length))],
  ['includes', (text, [part]) => text.includes(toText(part))],
  ['startsWith', (text, [part]) => text.startsWith(toText(part))],
  ['endsWith', (text, [part]) => text.endsWith(toText(part))],
  ['indexOf', (text, [part]) => text.indexOf(toText(part))],
  ['lastIndexOf', (text, [part]) => text.lastIndexOf(toText(part))],
  ['concat', (text, parts, _call, budget) => grown(text + parts.map(toText).join(''), budget)],
  ['localeCompare', (text, [other]) => (text < toText(other) ? -1 : text > toText(other) ? 1 : 0)],
  [
    'split',
    (text, [separator, limit], _call, budget) => {
      const by =
        separator instanceof Pattern
          ? compile(separator, text)
          : separator === undefined
            ? undefined
            : toText(separator)
      const parts =
        by === undefined ? [text] : text.split(by, limit === undefined ? undefined : integer(limit, 0))
      budget.grow(parts.length + text.length)
      return parts
    },
  ],
  [
    'repeat',
    (text, [count], _call, budget) => {
      const times = Math.max(0, integer(count, 0))
      budget.grow(text.length * times)
      return text.repeat(times)
    },
  ],
  [
    'padStart',
    (text, [length, fill], _call, budget) => pad(text, integer(length, 0), fill, 'padStart', budget),
  ],
  ['padEnd', (text, [length, fill], _call, budget) => pad(text, integer(length, 0), fill, 'padEnd', budget)],
  ['replace', (text, [search, by], call, budget) => replace(text, search, by, call, budget, false)],
  ['replaceAll', (text, [search, by], call, budget) => replace(text, search, by, call, budget, true)],
  [
    'match',
    (text, [pattern], _call, budget) => {
      const found = pattern instanceof Pattern ? text.match(compile(pattern, text)) : null
      if (found === null) return null
      budget.grow(text.length)
      return [...found]
    },
  ],
])

const numberMethods = new Map<string, Method<number>>([
  [
    'toString',
    (number, [radix]) =>
      number.toString(radix === undefined ? 10 : Math.min(36, Math.max(2, integer(radix, 10)))),
  ],
  ['toFixed', (number, [digits]) => number.toFixed(Math.min(100, Math.max(0, integer(digits, 0))))],
  ['toPrecision', (number, [digits]) => number.toPrecision(Math.min(100, Math.max(1, integer(digits, 1))))],
  ['toLocaleString', (number) => number.toLocaleString('en-US')],
])

const booleanMethods = new Map<string, Method<boolean>>([['toString', (flag) => String(flag)]])

const patternMethods = new Map<string, Method<Pattern>>([
  ['test', (pattern, [text]) => execute(pattern, toText(text)) !== null],
  [
    'exec',
    (pattern, [text]) => {
      const found = execute(pattern, toText(text))
      if (found === null) return null
      const match: Value[] = [...found]
      matchPlaces.set(match, found.index)
      return match
    },
  ],
])

/** Runs a pattern once; a global one goes on after its last match. */
function execute(pattern: Pattern, text: string): RegExpExecArray | null {
  const compiled = compile(pattern, text)
  compiled.lastIndex = pattern.lastIndex
  const found = compiled.exec(text)
  pattern.lastIndex = compiled.lastIndex
  return found
}

const arrayMethods = new Map<string, Method<Value[]>>([
  ['map', (list, [fn], call) => list.map((item, index) => call(fn, [item, index, list]))],
  ['filter', (list, [fn], call) => list.filter((item, index) => Boolean(call(fn, [item, index, list])))],
  ['find', (list, [fn], call) => list.find((item, index) => Boolean(call(fn, [item, index, list])))],
  [
    'findIndex',
    (list, [fn], call) => list.findIndex((item, index) => Boolean(call(fn, [item, index, list]))),
  ],
  ['some', (list, [fn], call) => list.some((item, index) => Boolean(call(fn, [item, index, list])))],
  ['every', (list, [fn], call) => list.every((item, index) => Boolean(call(fn, [item, index, list])))],
  [
    'forEach',
    (list, [fn], call) => {
      list.forEach((item, index) => {
        call(fn, [item, index, list])
      })
      return undefined
    },
  ],
  [
    'reduce',
    (list, args, call) => {
      const [fn] = args
      let start = 0
      let value: Value = args[1]
      if (args.length < 2) {
        value = list[0]
        start = 1
      }
      for (let index = start; index < list.length; index += 1)
        value = call(fn, [value, list[index], index, list])
      return value
    },
  ],
  [
    'flatMap',
    (list, [fn], call, budget) => {
      const flat = list.flatMap((item, index): Value[] => {
        const value = call(fn, [item, index, list])
        return Array.isArray(value) ? value : [value]
      })
      budget.grow(flat.length)
      return flat
    },
  ],
  [
    'flat',
    (list, [depth], _call, budget) => {
      const flat = flatten(list, Math.min(10, integer(depth, 1)))
      budget.grow(flat.length)
      return flat
    },
  ],
  ['includes', (list, [item]) => list.includes(item)],
  ['indexOf', (list, [item]) => list.indexOf(item)],
  ['lastIndexOf', (list, [item]) => list.lastIndexOf(item)],
  ['at', (list, [at]) => list.at(integer(at, 0))],
  [
    'slice',
    (list, [from, to], _call, budget) =>
      grownList(list.slice(integer(from, 0), integer(to, list.length)), budget),
  ],
  ['join', (list, [by], _call, budget) => joinList(list, by, budget)],
  ['toString', (list, _args, _call, budget) => joinList(list, ',', budget)],
  [
    'concat',
    (list, others, _call, budget) =>
      grownList(
        others.reduce<Value[]>((all, other) => all.concat(other), list),
        budget,
      ),
  ],
  ['reverse', (list) => list.reverse()],
  ['toReversed', (list, _args, _call, budget) => grownList([...list].reverse(), budget)],
  ['sort', (list, [fn], call) => sortList(list, fn, call)],
  ['toSorted', (list, [fn], call, budget) => sortList(grownList([...list], budget), fn, call)],
  [
    'keys',
    (list, _args, _call, budget) =>
      grownList(
        list.map((_item, index) => index),
        budget,
      ),
  ],
  ['values', (list, _args, _call, budget) => grownList([...list], budget)],
  [
    'entries',
    (list, _args, _call, budget) =>
      grownList(
        list.map((item, index): Value => [index, item]),
        budget,
      ),
  ],
  [
    'push',
    (list, items, _call, budget) => {
      budget.grow(items.length)
      return list.push(...items)
    },
  ],
  ['pop', (list) => list.pop()],
  ['shift', (list) => list.shift()],
  [
    'unshift',
    (list, items, _call, budget) => {
      budget.grow(items.length)
      return list.unshift(...items)
    },
  ],
  [
    'splice',
    (list, [from, count, ...items], _call, budget) => {
      budget.grow(items.length)
      return list.splice(integer(from, 0), integer(count, list.length), ...items)
    },
  ],
  ['fill', (list, [value]) => list.fill(value)],
])

function flatten(list: Value[], depth: number): Value[] {
  return list.flatMap((item): Value[] =>
    Array.isArray(item) ? (depth > 1 ? flatten(item, depth - 1) : item) : [item],
  )
}

function sortList(list: Value[], fn: Value, call: Call): Value[] {
  return list.sort((a, b) => {
    if (fn !== undefined) return toNumber(call(fn, [a, b]))
    const [left, right] = [toText(a), toText(b)]
    return left < right ? -1 : left > right ? 1 : 0
  })
}

function joinList(list: Value[], by: Value, budget: Budget): string {
  return grown(
    list
      .map((item) => (item === undefined || item === null ? '' : toText(item)))
      .join(by === undefined ? ',' : toText(by)),
    budget,
  )
}

function grown(text: string, budget: Budget): string {
  budget.grow(text.length)
  return text
}

function grownList(list: Value[], budget: Budget): Value[] {
  budget.grow(list.length)
  return list
}

function pad(
  text: string,
  length: number,
  fill: Value,
  method: 'padStart' | 'padEnd',
  budget: Budget,
): string {
  budget.grow(Math.max(0, length))
  return text[method](length, fill === undefined ? ' ' : toText(fill))
}

function replace(text: string, search: Value, by: Value, call: Call, budget: Budget, all: boolean): string {
  const pattern = search instanceof Pattern ? compile(search, text) : toText(search)
  const replacer = (found: string, ...rest: unknown[]): string => {
    if (typeof by === 'string' || typeof by === 'number') return toText(by)
    const groups = rest.filter((item): item is string => typeof item === 'string')
    return toText(call(by, [found, ...groups]))
  }
  const plain = typeof by === 'string'
  const result =
    all && typeof pattern === 'string'
      ? plain
        ? text.replaceAll(pattern, by)
        : text.replaceAll(pattern, replacer)
      : plain
        ? text.replace(pattern, by)
        : text.replace(pattern, replacer)
  return grown(result, budget)
}

/** Patterns come from pages, so they are short and meet short texts only. */
function compile(pattern: Pattern, text: string): RegExp {
  if (pattern.source.length > evaluationLimits.patternSource || text.length > evaluationLimits.patternInput) {
    throw new EvaluationError('limit', 'The regular expression or its text is too long.')
  }
  return new RegExp(pattern.source, pattern.flags.replace(/[^gimsuy]/g, ''))
}

/** `Math`, `Object`, `JSON` and their like, as far as they are pure. */
export function createGlobals(budget: Budget): Map<string, Value> {
  const native = (name: string, run: (args: Value[], call: Call) => Value): [string, Value] => [
    name,
    new Native(name, (call, args) => run(args, call)),
  ]
  const maths = (
    [
      'abs',
      'ceil',
      'floor',
      'round',
      'trunc',
      'sign',
      'sqrt',
      'cbrt',
      'log',
      'log2',
      'log10',
      'exp',
      'sin',
      'cos',
      'tan',
    ] as const
  ).map((name) => native(name, ([number]) => Math[name](toNumber(number))))
  const math = createObject([
    ...maths,
    native('min', (args) => Math.min(...args.map(toNumber))),
    native('max', (args) => Math.max(...args.map(toNumber))),
    native('pow', ([base, exponent]) => toNumber(base) ** toNumber(exponent)),
    ['PI', Math.PI],
    ['E', Math.E],
  ])
  const object = createObject([
    native('keys', ([value]) => ownEntries(value, budget).map(([key]) => key)),
    native('values', ([value]) => ownEntries(value, budget).map(([, item]) => item)),
    native('entries', ([value]) => ownEntries(value, budget).map(([key, item]): Value => [key, item])),
    native('assign', ([target, ...sources]) => {
      const merged = createObject(ownEntries(target, budget))
      for (const source of sources) for (const [key, item] of ownEntries(source, budget)) merged[key] = item
      return merged
    }),
    native('fromEntries', ([pairs]) =>
      createObject(
        (Array.isArray(pairs) ? pairs : []).flatMap((pair): [string, Value][] =>
          Array.isArray(pair) ? [[toText(pair[0]), pair[1]]] : [],
        ),
      ),
    ),
    native('freeze', ([value]) => value),
  ])
  const array = createObject([
    native('isArray', ([value]) => Array.isArray(value)),
    native('of', (args) => args),
    native('from', ([value, fn], call) => {
      const list = listOf(value, budget)
      return fn === undefined ? list : list.map((item, index) => call(fn, [item, index]))
    }),
  ])
  const json = createObject([
    native('stringify', ([value, , indent]) => {
      const text = JSON.stringify(
        value,
        plainReplacer,
        typeof indent === 'number' ? Math.min(10, indent) : undefined,
      )
      budget.grow(text?.length ?? 0)
      return text
    }),
    native('parse', ([text]) => fromJson(JSON.parse(toText(text)), budget)),
  ])
  const number = (value: Value) => toNumber(value)
  return new Map<string, Value>([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['Math', math],
    ['Object', object],
    ['Array', array],
    ['JSON', json],
    [
      'console',
      createObject(['log', 'warn', 'error', 'info', 'debug'].map((name) => native(name, () => undefined))),
    ],
    native('String', ([value]) => (value === undefined ? '' : toText(value))),
    native('Number', ([value]) => number(value)),
    native('Boolean', ([value]) => Boolean(value)),
    native('parseInt', ([value, radix]) =>
      Number.parseInt(toText(value), radix === undefined ? 10 : toNumber(radix)),
    ),
    native('parseFloat', ([value]) => Number.parseFloat(toText(value))),
    native('isNaN', ([value]) => Number.isNaN(number(value))),
    native('isFinite', ([value]) => Number.isFinite(number(value))),
    native('encodeURIComponent', ([value]) => grown(encodeURIComponent(toText(value)), budget)),
    native('encodeURI', ([value]) => grown(encodeURI(toText(value)), budget)),
    native('decodeURIComponent', ([value]) => decodeURIComponent(toText(value))),
  ])
}

function ownEntries(value: Value, budget: Budget): [string, Value][] {
  if (typeof value !== 'object' || value === null) return []
  const entries: [string, Value][] = Array.isArray(value)
    ? value.map((item, index): [string, Value] => [String(index), item])
    : Object.getPrototypeOf(value) === null
      ? Object.entries(value)
      : []
  budget.grow(entries.length)
  return entries
}

function listOf(value: Value, budget: Budget): Value[] {
  if (Array.isArray(value)) return grownList([...value], budget)
  if (typeof value === 'string') return grownList([...value], budget)
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null) {
    const length = ownEntries(value, budget).find(([key]) => key === 'length')?.[1]
    const count = Math.max(0, integer(length, 0))
    budget.grow(count)
    return Array.from({ length: count }, () => undefined)
  }
  return []
}

function plainReplacer(_key: string, value: unknown): unknown {
  const plain = typeof value !== 'object' || value === null || Array.isArray(value)
  return plain || Object.getPrototypeOf(value) === null ? value : undefined
}

function fromJson(value: unknown, budget: Budget): Value {
  budget.grow(1)
  if (Array.isArray(value)) return value.map((item) => fromJson(item, budget))
  if (typeof value === 'object' && value !== null) {
    return createObject(Object.entries(value).map(([key, item]) => [key, fromJson(item, budget)]))
  }
  return typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    value === null
    ? value
    : undefined
}
