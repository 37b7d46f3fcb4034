/** What stands after the language of a fenced block, read as people write it. */
export type CodeMeta = {
  title: string
  icon?: string
  lineNumbers: boolean
  wrap: boolean
  expandable: boolean
  copy: boolean
  highlighted: Set<number>
  focused: Set<number>
}

export function readCodeMeta(meta: string): CodeMeta {
  const result: CodeMeta = {
    title: '',
    lineNumbers: false,
    wrap: false,
    expandable: false,
    copy: true,
    highlighted: new Set(),
    focused: new Set(),
  }
  const words: string[] = []
  for (const match of meta.matchAll(tokens)) {
    const [whole, name, quoted, singleQuoted, braced, bare, lines] = match
    if (lines !== undefined) {
      if (isRanges(lines)) addRanges(result.highlighted, lines)
    } else if (name !== undefined) {
      setOption(result, name, quoted ?? singleQuoted ?? braced ?? bare ?? '', whole, words)
    } else if (!setFlag(result, whole)) words.push(whole)
  }
  if (result.title === '') result.title = words.join(' ').replace(/^["'](.*)["']$/, '$1')
  return result
}

const tokens = /([A-Za-z][\w-]*)=(?:"([^"]*)"|'([^']*)'|\{([^}]*)\}|(\S+))|\{([^}]*)\}|\S+/g

function setOption(result: CodeMeta, name: string, value: string, whole: string, words: string[]): void {
  const text = value.replace(/^["'[{]+|["'\]}]+$/g, '').trim()
  const yes = text !== 'false'
  if (name === 'title' || name === 'filename') result.title = text
  else if (name === 'icon') result.icon = text
  else if (name === 'highlight') addRanges(result.highlighted, text)
  else if (name === 'focus') addRanges(result.focused, text)
  else if (name === 'lines') result.lineNumbers = yes
  else if (name === 'wrap') result.wrap = yes
  else if (name === 'expandable') result.expandable = yes
  else if (name === 'copy') result.copy = yes
  else if (!ignoredOptions.has(name) && words.length > 0) words.push(whole)
}

/** Options of this format, or of tools that read the same files, which say nothing to a reader. */
const ignoredOptions = new Set([
  'test',
  'theme',
  'placement',
  'lang',
  'language',
  'showLineNumbers',
  'meta',
  'name',
])

function setFlag(result: CodeMeta, word: string): boolean {
  switch (word) {
    case 'lines':
    case 'showLineNumbers':
      result.lineNumbers = true
      return true
    case 'wrap':
      result.wrap = true
      return true
    case 'expandable':
    case '[expandable]':
      result.expandable = true
      return true
    case 'nocopy':
      result.copy = false
      return true
    case 'twoslash':
      return true
    default:
      return false
  }
}

function isRanges(text: string): boolean {
  return /^[\d\s,-]+$/.test(text)
}

function addRanges(lines: Set<number>, text: string): void {
  for (const range of text.split(',')) {
    const match = /^\s*(\d+)\s*(?:-\s*(\d+))?\s*$/.exec(range)
    if (match === null) continue
    const from = Number(match[1])
    const to = Math.min(match[2] === undefined ? from : Number(match[2]), from + 10_000)
    for (let line = from; line <= to; line++) lines.add(line)
  }
}
