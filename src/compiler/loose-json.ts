/** Reading settings that people wrote by hand: each reader answers with the wanted type or nothing. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export function asObject(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

export function asList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
}

export function asText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  return typeof value === 'number' ? String(value) : undefined
}

export function asNumber(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

export function asFlag(value: Json | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (value === 'true') return true
  return value === 'false' ? false : undefined
}

/** A copy without the keys whose value is missing, for types that forbid an explicit `undefined`. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}

export type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}
