import type { JsonValue } from '../../theme/endpoint/endpoint-api.ts'
import type { JsonObject } from './openapi-api.ts'

/** Narrowing for documents that anybody may have written: each gives undefined for what is not of its kind. */
export function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

export function asArray(value: JsonValue | undefined): JsonValue[] | undefined {
  return Array.isArray(value) ? value : undefined
}

export function asString(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** A text worth showing: not empty. */
export function asText(value: JsonValue | undefined): string | undefined {
  const text = asString(value)
  return text === undefined || text.trim() === '' ? undefined : text
}

export function asNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** Own members only, so that `__proto__` and `constructor` in a document are names like any other. */
export function member(object: JsonObject | undefined, key: string): JsonValue | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined
}

export function objectEntries(value: JsonValue | undefined): [string, JsonObject][] {
  const entries: [string, JsonObject][] = []
  for (const [key, entry] of Object.entries(asObject(value) ?? {})) {
    const object = asObject(entry)
    if (object !== undefined) entries.push([key, object])
  }
  return entries
}
