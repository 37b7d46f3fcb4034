import type { Nodes } from 'hast'

/** The words of a tree, without its markup. */
export function plainText(nodes: readonly Nodes[]): string {
  let text = ''
  for (const node of nodes) {
    if (node.type === 'text') text += node.value
    else if (node.type === 'trustedHtml') text += node.text
    else if (node.type === 'mdxTextExpression' || node.type === 'mdxFlowExpression') text += ''
    else if ('children' in node) text += plainText(node.children)
  }
  return text
}

/** The words of a heading without those of components in it, such as a badge. */
export function headingText(nodes: readonly Nodes[]): string {
  const own = plainText(nodes.filter((node) => !(node.type === 'element' && node.data?.call !== undefined)))
  return own.trim() === '' ? plainText(nodes) : own
}
