/**
 * `:::note … :::` of other formats becomes a callout of this one, line by line, so that places in the file stay. Code keeps
 * what it shows.
 */
export function readDirectives(text: string): string {
  if (!text.includes(':::')) return text
  return text.replace(pattern, (whole: string, ...rest: unknown[]) => {
    const { kind, indent = '', label, words, body = '' } = rest.at(-1) as Partial<Record<string, string>>
    const component = componentsByKind[kind?.toLowerCase() ?? '']
    if (component === undefined) return whole
    const title = (label ?? words ?? '').trim().replaceAll('"', '&quot;')
    return `${indent}<${component}${title === '' ? '' : ` title="${title}"`}>\n${body}${indent}</${component}>`
  })
}

const componentsByKind: Record<string, string> = {
  note: 'Note',
  info: 'Info',
  important: 'Info',
  tip: 'Tip',
  success: 'Check',
  warning: 'Warning',
  caution: 'Danger',
  danger: 'Danger',
}

const pattern =
  /^[ \t>]*(?<fence>`{3,}|~{3,})[\s\S]*?^[ \t>]*\k<fence>|^(?<indent>[ \t]*):::[ \t]*(?<kind>\w+)(?:\[(?<label>[^\]\n]*)\]|[ \t]+(?<words>[^\n{}<>]*))?[ \t]*\n(?<body>(?:(?![ \t]*:::)[^\n]*\n)*?)[ \t]*:::[ \t]*$/gm
