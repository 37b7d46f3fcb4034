import type { Evaluator } from './evaluate.ts'
import { toText } from './methods.ts'
import { childOf, childrenOf, childrenWithHoles, flagOf, type Node, textOf } from './syntax.ts'
import { createObject, EvaluationError, isValueObject, type Scope, type Value } from './values.ts'

/** Gives names to the parts of a value: `{ a, b: [c = 1, ...rest] }`. */
export function bindPattern(
  evaluator: Evaluator,
  pattern: Node,
  value: Value,
  scope: Scope,
  how: 'declare' | 'assign' = 'declare',
): void {
  evaluator.budget.step()
  const bind = (target: Node | undefined, part: Value) => {
    if (target !== undefined) bindPattern(evaluator, target, part, scope, how)
  }
  switch (pattern.type) {
    case 'Identifier': {
      const name = textOf(pattern, 'name')
      if (how === 'declare') scope.declare(name, value)
      else if (!scope.assign(name, value))
        throw new EvaluationError('unknown-name', `Nothing defines "${name}".`, name)
      return
    }
    case 'AssignmentPattern':
      bind(childOf(pattern, 'left'), value === undefined ? evaluator.child(pattern, 'right', scope) : value)
      return
    case 'ArrayPattern': {
      const list = Array.isArray(value) ? value : typeof value === 'string' ? [...value] : []
      childrenWithHoles(pattern, 'elements').forEach((element, index) => {
        if (element === null) return
        if (element.type === 'RestElement') bind(childOf(element, 'argument'), list.slice(index))
        else bind(element, list[index])
      })
      return
    }
    case 'ObjectPattern': {
      if (value === undefined || value === null) {
        throw new EvaluationError('wrong-type', `The parts of ${String(value)} are asked for.`)
      }
      const taken = new Set<string>()
      for (const property of childrenOf(pattern, 'properties')) {
        if (property.type === 'RestElement') {
          const rest = isValueObject(value) ? Object.entries(value).filter(([key]) => !taken.has(key)) : []
          bind(childOf(property, 'argument'), createObject(rest))
          continue
        }
        const keyNode = childOf(property, 'key')
        if (keyNode === undefined) continue
        const key = flagOf(property, 'computed')
          ? toText(evaluator.expression(keyNode, scope))
          : keyNode.type === 'Identifier'
            ? textOf(keyNode, 'name')
            : String(keyNode.value)
        taken.add(key)
        bind(childOf(property, 'value'), evaluator.member(value, key))
      }
      return
    }
    default:
      throw new EvaluationError('unsupported', `${pattern.type} is not evaluated.`)
  }
}
