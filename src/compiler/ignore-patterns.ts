/** Reads a `.mintignore` file (the syntax of `.gitignore`) into a question: is this path left out? */
export function parseIgnorePatterns(text: string): (path: string) => boolean {
  const rules = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(toRule)
  return (path) => {
    let ignored = false
    for (const rule of rules) {
      if (rule.pattern.test(path)) ignored = !rule.negated
    }
    return ignored
  }
}

function toRule(line: string): { pattern: RegExp; negated: boolean } {
  const negated = line.startsWith('!')
  let glob = negated ? line.slice(1) : line
  const folderOnly = glob.endsWith('/')
  if (folderOnly) glob = glob.slice(0, -1)
  const anchored = glob.includes('/')
  if (glob.startsWith('/')) glob = glob.slice(1)
  const body = globToPattern(glob)
  const start = anchored ? '^' : '^(?:.*/)?'
  const end = folderOnly ? '/' : '(?:/|$)'
  return { pattern: new RegExp(start + body + end), negated }
}

function globToPattern(glob: string): string {
  let pattern = ''
  for (let index = 0; index < glob.length; index += 1) {
    const rest = glob.slice(index)
    const character = glob[index] ?? ''
    if (rest.startsWith('**/')) {
      pattern += '(?:.*/)?'
      index += 2
    } else if (rest.startsWith('**')) {
      pattern += '.*'
      index += 1
    } else if (character === '*') pattern += '[^/]*'
    else if (character === '?') pattern += '[^/]'
    else pattern += character.replace(/[\\^$.|+()[\]{}]/g, '\\$&')
  }
  return pattern
}
