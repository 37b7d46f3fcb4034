/** Where an address has moved; both sides begin with a slash, the target may be foreign. */
export type Redirect = { from: string; to: string; permanent: boolean }

/** Compiles the project's redirects into one question: where does this path lead now? */
export function createRedirects(redirects: Redirect[]): (path: string) => string | undefined {
  const exact = new Map<string, string>()
  const patterns: { pattern: RegExp; to: string; names: string[] }[] = []
  for (const { from, to } of redirects) {
    const source = trimSlash(from)
    if (isWildcard(from)) patterns.push({ ...toPattern(source), to })
    else if (!exact.has(source)) exact.set(source, to)
  }
  return (path) => {
    const wanted = trimSlash(path)
    const direct = exact.get(wanted)
    if (direct !== undefined) return direct
    for (const { pattern, to, names } of patterns) {
      const match = pattern.exec(wanted)
      if (match) return fill(to, names, match)
    }
    return undefined
  }
}

export function isWildcard(address: string): boolean {
  return /\*|\/:[A-Za-z_]/.test(address)
}

function trimSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function toPattern(source: string): { pattern: RegExp; names: string[] } {
  const names: string[] = []
  let pattern = ''
  for (const part of source.split(/(\/?:[A-Za-z_]\w*(?:\([^)]*\))?[*+?]?|\*)/)) {
    const parameter = /^(\/?):([A-Za-z_]\w*)(?:\([^)]*\))?([*+?]?)$/.exec(part)
    if (part === '*') {
      names.push('*')
      pattern += '(.*)'
    } else if (parameter) {
      const [, slash = '', name = '', repeat = ''] = parameter
      names.push(name)
      if (repeat === '*') pattern += slash === '' ? '(.*)' : '(?:/(.*))?'
      else pattern += `${slash}${repeat === '+' ? '(.+)' : '([^/]+)'}`
    } else pattern += part.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
  }
  return { pattern: new RegExp(`^${pattern}/?$`), names }
}

function fill(target: string, names: string[], match: RegExpExecArray): string {
  const values = names.map((name, index) => ({ name, value: match[index + 1] ?? '' }))
  const stars = values.filter(({ name }) => name === '*')
  let star = 0
  const filled = target.replace(
    /:([A-Za-z_]\w*)(?:\([^)]*\))?[*+?]?|\*/g,
    (whole, name: string | undefined) => {
      if (name === undefined) {
        const value = stars[star]?.value ?? stars.at(-1)?.value ?? ''
        star += 1
        return value
      }
      const known = values.find((entry) => entry.name === name)
      return known === undefined ? whole : known.value
    },
  )
  return filled.length > 1 ? filled.replace(/(?<!:)\/{2,}/g, '/').replace(/(.)\/$/, '$1') : filled
}
