import { toNumber, toText } from './methods.ts'
import { EvaluationError, isValueObject, type Value } from './values.ts'

/** The operators between two values, without the conversions of objects that could call into the host. */
export function applyBinary(operator: string, left: Value, right: Value): Value {
  switch (operator) {
    case '===':
      return left === right
    case '!==':
      return left !== right
    case '==':
      return looselyEqual(left, right)
    case '!=':
      return !looselyEqual(left, right)
    case '+':
      return typeof left === 'string' || typeof right === 'string' || isComposite(left) || isComposite(right)
        ? toText(left) + toText(right)
        : toNumber(left) + toNumber(right)
    case '-':
      return toNumber(left) - toNumber(right)
    case '*':
      return toNumber(left) * toNumber(right)
    case '/':
      return toNumber(left) / toNumber(right)
    case '%':
      return toNumber(left) % toNumber(right)
    case '**':
      return toNumber(left) ** toNumber(right)
    case '<':
      return compare(left, right, (a, b) => a < b)
    case '<=':
      return compare(left, right, (a, b) => a <= b)
    case '>':
      return compare(left, right, (a, b) => a > b)
    case '>=':
      return compare(left, right, (a, b) => a >= b)
    case '&':
      return toNumber(left) & toNumber(right)
    case '|':
      return toNumber(left) | toNumber(right)
    case '^':
      return toNumber(left) ^ toNumber(right)
    case '<<':
      return toNumber(left) << toNumber(right)
    case '>>':
      return toNumber(left) >> toNumber(right)
    case '>>>':
      return toNumber(left) >>> toNumber(right)
    case 'in':
      return isValueObject(right) && Object.hasOwn(right, toText(left))
    default:
      throw new EvaluationError('unsupported', `The operator "${operator}" is not evaluated.`)
  }
}

function isComposite(value: Value): boolean {
  return typeof value === 'object' && value !== null
}

function looselyEqual(left: Value, right: Value): boolean {
  if (left === undefined || left === null) return right === undefined || right === null
  if (right === undefined || right === null) return false
  if (isComposite(left) || isComposite(right) || typeof left === typeof right) return left === right
  return toNumber(left) === toNumber(right)
}

function compare(
  left: Value,
  right: Value,
  by: (a: number | string, b: number | string) => boolean,
): boolean {
  return typeof left === 'string' && typeof right === 'string'
    ? by(left, right)
    : by(toNumber(left), toNumber(right))
}
