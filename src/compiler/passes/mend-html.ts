import type { Repair } from './repair-mdx.ts'

/**
 * Turns what is right in HTML and wrong in MDX into MDX, all at once and without loss: comments, tags such as `<br>` that
 * are never closed, addresses in angle brackets, and styles, whose braces are no expressions. Code stays as it is, and so
 * does the number of lines.
 */
export function mendHtml(text: string): { text: string; repairs: Repair[] } {
  const repairs: Repair[] = []
  const mended = text.replace(pattern, (whole: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Partial<Record<string, string>>
    const offset = Number(rest.at(-3))
    const made = replacement(whole, groups)
    if (made === undefined) return whole
    if (made.hint !== undefined)
      repairs.push({
        ...placeOf(text, offset),
        severity: 'warning',
        message: `${made.message}, which is not valid MDX.`,
        hint: made.hint,
      })
    return made.text
  })
  return { text: mended, repairs }
}

const attributes = String.raw`(?:[^<>"'{}]|"[^"]*"|'[^']*'|\{[^{}]*\})*?`
const pattern = new RegExp(
  [
    String.raw`^[ \t>]*(?:[-*+] +|\d+[.)] +)?(?<fence>\x60{3,}|~{3,})[^\n]*(?:\n(?![ \t>]*\k<fence>[\x60~]*[ \t]*$)[^\n]*)*(?:\n[ \t>]*\k<fence>[\x60~]*[ \t]*$)?`,
    String.raw`(?<ticks>\x60+)(?!\x60)(?:(?!\n\n)[\s\S])*?(?<!\x60)\k<ticks>(?!\x60)`,
    String.raw`<!--(?<comment>[\s\S]*?)-->`,
    String.raw`<(?<raw>style|script)(?<rawAttributes>\s[^<>]*)?>(?<content>[\s\S]*?)</\k<raw>\s*>`,
    String.raw`<(?<address>https?://[^\s<>]+|mailto:[^\s<>]+)>`,
    String.raw`<(?<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)>`,
    String.raw`<(?<name>area|br|col|embed|hr|img|input|link|meta|source|track|wbr)(?<own>(?=[\s/>])${attributes})>`,
    String.raw`</(?<closed>br|hr|img)\s*>`,
  ].join('|'),
  'gim',
)

type Replacement = { text: string; message?: string; hint?: string }

function replacement(whole: string, groups: Partial<Record<string, string>>): Replacement | undefined {
  const { comment, raw, content = '', address, email, name, own = '', closed } = groups
  if (comment !== undefined) {
    return {
      text: `{/*${comment.replaceAll('*/', '* /')}*/}`,
      message: 'This is a comment of HTML',
      hint: 'Write comments as {/* … */}.',
    }
  }
  if (raw !== undefined) {
    if (content.trim() === '' || /^\s*\{/.test(content)) return undefined
    const open = whole.slice(0, whole.indexOf('>') + 1)
    return { text: `${open}${quoted(content)}</${raw}>` }
  }
  if (address !== undefined || email !== undefined) {
    const shown = address?.replace(/^mailto:/, '') ?? email ?? ''
    return {
      text: `[${shown}](${address ?? `mailto:${email}`})`,
      message: 'This is an address in angle brackets',
      hint: 'Write a link as [text](address).',
    }
  }
  if (name !== undefined) {
    const plain = own.trimEnd().replace(/\/$/, '')
    const quotedOwn = plain.replace(/(=\s*)([^\s"'{}=]+)(?=\s|$)/g, '$1"$2"')
    if (own.trimEnd().endsWith('/') && quotedOwn === plain) return undefined
    return {
      text: `<${name}${quotedOwn}/>`,
      message: `The tag <${name}> is not closed`,
      hint: `Close the tag in itself: <${name} />.`,
    }
  }
  if (closed !== undefined) {
    const text = closed.toLowerCase() === 'br' ? '<br/>' : ''
    return { text, message: `</${closed}> closes nothing`, hint: `Write <${closed} />.` }
  }
  return undefined
}

/** As the text of an expression, in which braces are only braces; lines begin and end where they did. */
function quoted(content: string): string {
  const safe = content.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')
  const [, before = '', inner = safe, after = ''] = /^(\s*\n)?([\s\S]*?)(\n\s*)?$/.exec(safe) ?? []
  return `${before}{\`${inner}\`}${after}`
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
