/** Whether `If-None-Match` names this tag; weak tags match, as RFC 9110 says for it. */
export function matchesNone(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

export type RangeAnswer =
  | { type: 'whole' }
  | { type: 'part'; start: number; end: number }
  | { type: 'unsatisfiable' }

/**
 * What a `Range` header asks of `size` bytes. Several ranges, other units and nonsense mean the whole, as does an
 * `If-Range` that names another state of the file.
 */
export function readRange(input: {
  range: string | undefined
  ifRange: string | undefined
  etag: string
  size: number
}): RangeAnswer {
  if (input.range === undefined) return { type: 'whole' }
  if (input.ifRange !== undefined && input.ifRange.trim() !== input.etag) return { type: 'whole' }
  const match = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(input.range)
  if (match === null) return { type: 'whole' }
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return { type: 'whole' }
  if (first === '') {
    const length = Number(last)
    if (length === 0 || input.size === 0) return { type: 'unsatisfiable' }
    return { type: 'part', start: Math.max(0, input.size - length), end: input.size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? input.size - 1 : Math.min(Number(last), input.size - 1)
  if (last !== '' && Number(last) < start) return { type: 'whole' }
  if (start >= input.size) return { type: 'unsatisfiable' }
  return { type: 'part', start, end }
}

export type Encoding = 'br' | 'gzip' | 'identity'

/** The best encoding the reader takes, ours being preferred where the reader has no preference. */
export function chooseEncoding(header: string | undefined): Encoding {
  if (header === undefined) return 'identity'
  const known = chosen.get(header)
  if (known !== undefined) return known
  const quality = new Map<string, number>()
  for (const part of header.split(',')) {
    const [name = '', ...parameters] = part.trim().toLowerCase().split(';')
    const q = parameters
      .map((parameter) => /^\s*q=([0-9.]+)\s*$/.exec(parameter)?.[1])
      .find((value) => value !== undefined)
    quality.set(name.trim(), q === undefined ? 1 : Number(q))
  }
  const of = (name: Encoding) => quality.get(name) ?? quality.get('*') ?? (name === 'identity' ? 0.001 : 0)
  let best: Encoding = 'identity'
  for (const name of ['gzip', 'br'] as const) if (of(name) > 0 && of(name) >= of(best)) best = name
  if (chosen.size < 200) chosen.set(header, best)
  return best
}

/** Browsers send a handful of different headers; each is read once. */
const chosen = new Map<string, Encoding>()
