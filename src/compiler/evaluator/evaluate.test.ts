import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ElementContent } from 'hast'
import { Evaluator, toNodes } from './evaluate.ts'
import { parseExpression } from './syntax.ts'
import { EvaluationError, Markup, Scope, type Value } from './values.ts'

function evaluate(source: string, names: Record<string, Value> = {}): Value {
  const evaluator = new Evaluator({
    element: (name, props, children): ElementContent[] => [
      { type: 'element', tagName: name, properties: { title: String(props.title ?? '') }, children },
    ],
    page: () => [],
    interactive: () => {},
  })
  const scope = new Scope(evaluator.globals)
  for (const [name, value] of Object.entries(names)) scope.declare(name, value)
  const node = parseExpression(source)
  return node === undefined ? undefined : evaluator.evaluate(node, scope)
}

function reasonOf(source: string): string {
  try {
    evaluate(source)
  } catch (error) {
    return error instanceof EvaluationError ? error.reason : `threw ${String(error)}`
  }
  return 'value'
}

test('evaluates literals, templates, members, conditions and destructuring', () => {
  assert.equal(evaluate('1 + 2 * 3'), 7)
  assert.equal(evaluate('`a$' + '{x}c`', { x: 'b' }), 'abc')
  assert.equal(evaluate('a.b[0]?.c ?? "none"', { a: { b: [] } }), 'none')
  assert.equal(
    evaluate(
      '(({ a, b: [c = 4, ...d] , ...e }) => a + c + d.length + Object.keys(e).length)({ a: 1, b: [undefined, 2, 3], f: 1 })',
    ),
    8,
  )
  assert.equal(evaluate('[3, 1, 2].sort().map((n) => n * 2).filter((n) => n > 2).join("-")'), '4-6')
  assert.equal(evaluate('"a b".split(" ").map((w) => w.toUpperCase()).join("")'), 'AB')
  assert.equal(
    evaluate(
      '(() => { let s = 0; for (const n of [1, 2, 3]) { if (n === 2) continue; s += n } return s })()',
    ),
    4,
  )
  assert.equal(
    evaluate('(() => { switch ("b") { case "a": return 1; case "b": return 2; default: return 3 } })()'),
    2,
  )
  assert.equal(
    evaluate('(() => { try { throw new Error("x") } catch (error) { return error.message } })()'),
    'x',
  )
})

test('goes on after the last match of a global pattern', () => {
  const source =
    '(() => { const r = /[a-z]/g; const all = []; let m; while ((m = r.exec("a1b2")) !== null) all.push(m.index); return all })()'
  assert.deepEqual(evaluate(source), [0, 2])
})

test('shows hooks in their first state', () => {
  const value = evaluate(
    '(() => { const [open, setOpen] = useState(() => false); useEffect(() => { setOpen(true) }); return open ? "yes" : "no" })()',
  )
  assert.equal(value, 'no')
})

test('renders JSX through the page that it stands in', () => {
  const value = evaluate('<Card title="x">{[1, 2].map((n) => <b key={n}>{n}</b>)} tail</Card>')
  assert.ok(value instanceof Markup)
  const [card] = toNodes(value)
  assert.ok(card?.type === 'element' && card.tagName === 'Card' && card.children.length === 3)
})

test('gives page code no way to the host', () => {
  const payloads = [
    '[].constructor',
    '"".constructor',
    '(() => 1).constructor',
    '({}).__proto__',
    '[].__proto__',
    '(() => 1).__proto__',
    '[].map.constructor',
    '"".replace.constructor',
    'Math.constructor',
    'Object.constructor',
    'JSON.constructor',
    'Object.getPrototypeOf',
    'Object.defineProperty',
    'Object.getOwnPropertyDescriptor',
    'Array.prototype',
    '({}).toString',
    '({}).valueOf',
    '({}).hasOwnProperty',
    '[]["const" + "ructor"]',
    '`$' + '{1}`.constructor',
    '/x/.constructor',
    '(<b/>).constructor',
    '(<b/>).nodes',
    '(<b/>).kind',
    '(() => 1).scope',
    '(() => 1).body',
    'Math.abs.call',
    '(() => 1).call',
    '(() => 1).apply',
    '(() => 1).bind',
    'console.log.constructor',
    'React.useState.constructor',
  ]
  for (const payload of payloads) assert.equal(evaluate(payload), undefined, payload)
  const refused = [
    'globalThis',
    'process',
    'require("fs")',
    'import("fs")',
    'this',
    'Function("return 1")()',
    'eval("1")',
    'Reflect.ownKeys({})',
    'new Proxy({}, {})',
    'Symbol.iterator',
    'new Function("1")',
    'window.location',
    'fetch("x")',
    'WebAssembly',
    'Error.prepareStackTrace',
    'Buffer',
    '[].constructor.constructor("return process")()',
    '(async () => 1)()',
    'import.meta.url',
    'new.target',
    'super.x',
    '({ get a() { return 1 } })',
    'tag`x`',
    'delete a.b',
    'class A {}',
    'new Date()',
    'setTimeout(() => 1)',
  ]
  for (const payload of refused) assert.notEqual(reasonOf(payload), 'value', payload)
})

test('cannot pollute a prototype', () => {
  evaluate(
    '(() => { const o = {}; o["__proto__"] = { polluted: true }; o.constructor = { prototype: { polluted: true } }; return o })()',
  )
  evaluate('Object.assign({}, JSON.parse("{\\"__proto__\\": {\\"polluted\\": true}}"))')
  evaluate('({ ["__proto__"]: { polluted: true }, ...{ "__proto__": { polluted: true } } })')
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})

test('stops loops, recursion and growth at its limits', () => {
  for (const bomb of [
    '(() => { while (true) {} })()',
    '(() => { for (;;) {} })()',
    '(() => { const f = () => f(); return f() })()',
    '(() => { let s = "x"; while (true) s += s })()',
    '"x".repeat(1e9)',
    '"x".padStart(1e9)',
    'Array.from({ length: 1e9 })',
    '(() => { const a = []; while (true) a.push(1, 2, 3) })()',
    '[1].concat(...Array.from({ length: 100000 }, () => Array.from({ length: 1000 })))',
    `${'['.repeat(400)}${']'.repeat(400)}`,
  ]) {
    assert.equal(reasonOf(bomb), 'limit', bomb.slice(0, 60))
  }
})

test('a page cannot catch the limits it works under', () => {
  assert.equal(reasonOf('(() => { while (true) { try { while (true) {} } catch (e) {} } })()'), 'limit')
})

test('tells an unknown name from a mistake', () => {
  assert.equal(reasonOf('id'), 'unknown-name')
  assert.equal(reasonOf('a.b.c'), 'unknown-name')
  assert.equal(reasonOf('null.x'), 'wrong-type')
  assert.equal(evaluate('typeof window'), 'undefined')
  assert.equal(evaluate('/* nothing */'), undefined)
})
